//! Writing a file so that its name appears with all of its bytes.

use super::Folder;
use super::walk::is_absent;
use crate::ignored::unfinished;
use crate::{ShareProblem, Written};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What becomes of a file that stands there already.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Kept,
    Replaced,
}

impl Folder {
    pub(super) fn write_file(
        &self,
        path: &str,
        bytes: &[u8],
        standing: Standing,
    ) -> Result<Written, ShareProblem> {
        self.check_there()?;
        let target = self.within(path)?;
        self.retry(path, || {
            self.make_folders_of(&target)?;
            if standing == Standing::Kept && fs::symlink_metadata(&target).is_ok() {
                return Ok(Written::Exists);
            }
            self.write_once(&target, bytes, standing)
        })
    }

    pub(super) fn delete_file(&self, path: &str) -> Result<(), ShareProblem> {
        self.check_there()?;
        let target = self.within(path)?;
        self.retry(path, || match fs::remove_file(&target) {
            // Another process of this replica may have deleted it first.
            Err(error) if is_absent(&error) => Ok(()),
            other => other,
        })
    }

    fn retry<T>(&self, path: &str, mut attempt: impl FnMut() -> io::Result<T>) -> Result<T, ShareProblem> {
        let path = || path.to_owned();
        let mut pauses = pauses(self.patience);
        loop {
            match attempt() {
                Ok(done) => return Ok(done),
                Err(source) if !is_held(&source) => return Err(ShareProblem::Write { path: path(), source }),
                Err(source) => match pauses.next() {
                    Some(pause) => (self.sleep)(pause),
                    None => return Err(ShareProblem::Held { path: path(), source }),
                },
            }
        }
    }

    /// Makes the folders above a file, below the share's own, and makes them durable.
    fn make_folders_of(&self, target: &Path) -> io::Result<()> {
        let below = target.ancestors().skip(1).take_while(|folder| *folder != self.path);
        let folders: Vec<_> = below.collect();
        for folder in folders.into_iter().rev() {
            match fs::create_dir(folder) {
                Ok(()) => sync_folder_of(folder)?,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn write_once(&self, target: &Path, bytes: &[u8], standing: Standing) -> io::Result<Written> {
        let name = target.file_name().unwrap_or_default().to_string_lossy();
        // Beside the target, under a name that sync programs leave alone, only when there is no other way.
        let beside = || Temporary::write(target.parent().unwrap_or(&self.path), &name, bytes);
        let staged = Temporary::write(&self.staging, &name, bytes).or_else(|_| beside())?;
        let written = match staged.give_name(target, bytes, standing) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => {
                beside()?.give_name(target, bytes, standing)?
            }
            other => other?,
        };
        sync_folder_of(target)?;
        Ok(written)
    }
}

/// An unfinished file; gone when this is dropped, unless it was moved away.
struct Temporary {
    path: PathBuf,
    moved: bool,
}

impl Temporary {
    fn write(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<Self> {
        const ATTEMPTS: u32 = 1_000;
        for attempt in 0..ATTEMPTS {
            let path = folder.join(unfinished(name, attempt));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let temporary = Self { path, moved: false };
                    file.write_all(bytes)?;
                    file.sync_all()?;
                    return Ok(temporary);
                }
                // Another process is writing the same, or one was killed while it did.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("too many unfinished files of this name"))
    }

    fn give_name(mut self, target: &Path, bytes: &[u8], standing: Standing) -> io::Result<Written> {
        let moved = match standing {
            Standing::Kept => rename_without_replacing(&self.path, target),
            Standing::Replaced => fs::rename(&self.path, target),
        };
        match moved {
            Ok(()) => {
                self.moved = true;
                Ok(Written::New)
            }
            Err(error) if standing == Standing::Kept && lacks(&error) => link_new(&self.path, target, bytes),
            Err(error) => exists_or(Err(error)),
        }
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // After a move the name is free, and another process may be using it already.
        if !self.moved {
            let _removed = fs::remove_file(&self.path);
        }
    }
}

/// Links cannot replace anything either; the temporary name goes away by itself.
fn link_new(temporary: &Path, target: &Path, bytes: &[u8]) -> io::Result<Written> {
    match fs::hard_link(temporary, target) {
        // FAT refuses links as not permitted, network file systems in other words.
        Err(error) if lacks(&error) || error.kind() == io::ErrorKind::PermissionDenied => {
            write_in_place(target, bytes)
        }
        linked => exists_or(linked),
    }
}

/// For file systems that know neither way: a reader may see half a file, and takes it when it is whole.
fn write_in_place(target: &Path, bytes: &[u8]) -> io::Result<Written> {
    let mut file = match OpenOptions::new().write(true).create_new(true).open(target) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(Written::Exists),
        other => other?,
    };
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    if written.is_err() {
        drop(file);
        let _removed = fs::remove_file(target);
    }
    written.map(|()| Written::New)
}

fn exists_or(moved: io::Result<()>) -> io::Result<Written> {
    match moved {
        Ok(()) => Ok(Written::New),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Written::Exists),
        Err(error) => Err(error),
    }
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_without_replacing(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    Ok(renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_without_replacing(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Whether the file system does not know the call at all.
fn lacks(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

/// Whether another program may be holding the file for a moment: a virus scanner, a sync program.
fn is_held(error: &io::Error) -> bool {
    const SHARING_VIOLATION: i32 = 32;
    const LOCK_VIOLATION: i32 = 33;
    let kinds =
        [io::ErrorKind::PermissionDenied, io::ErrorKind::ResourceBusy, io::ErrorKind::ExecutableFileBusy];
    kinds.contains(&error.kind())
        || cfg!(windows) && matches!(error.raw_os_error(), Some(SHARING_VIOLATION | LOCK_VIOLATION))
}

fn sync_folder_of(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|_| cfg!(unix)) else { return Ok(()) };
    match File::open(folder)?.sync_all() {
        // Some network file systems know no such thing.
        Err(error) if lacks(&error) => Ok(()),
        other => other,
    }
}

/// Pauses that double from 10 ms to 2 s, together no longer than `total`.
fn pauses(total: Duration) -> impl Iterator<Item = Duration> {
    const FIRST: Duration = Duration::from_millis(10);
    const LONGEST: Duration = Duration::from_secs(2);
    let lengths = std::iter::successors(Some(FIRST), |pause| Some((*pause * 2).min(LONGEST)));
    lengths.scan(total, |left, pause| {
        *left = left.checked_sub(pause)?;
        Some(pause)
    })
}

#[cfg(test)]
mod tests;
