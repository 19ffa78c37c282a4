//! Reading a file that may change, vanish or block at any moment.

use super::Folder;
use super::walk::is_absent;
use crate::ShareProblem;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

impl Folder {
    pub(super) fn read_file(&self, path: &str, bytes_most: usize) -> Result<Vec<u8>, ShareProblem> {
        let real = self.within(path)?;
        match read(&real, bytes_most) {
            Err(error) if is_absent(&error) => {
                self.check_there()?;
                Err(ShareProblem::Gone { path: path.to_owned() })
            }
            other => other.map_err(|source| ShareProblem::Read { path: path.to_owned(), source }),
        }
    }
}

fn read(real: &Path, bytes_most: usize) -> io::Result<Vec<u8>> {
    let file = open(real)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no plain file"));
    }
    // The size is a hint: a file may be growing, and a forged one may claim anything.
    let expected = usize::try_from(metadata.len()).unwrap_or(usize::MAX).min(bytes_most);
    let mut bytes = Vec::with_capacity(expected);
    file.take(bytes_most as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(unix)]
fn open(real: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    // Somebody may have put a pipe or a link in the file's place since it was listed.
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    OpenOptions::new().read(true).custom_flags(flags.bits().cast_signed()).open(real)
}

#[cfg(not(unix))]
fn open(real: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).open(real)
}
