//! The attic: files of views that could not be taken over, kept aside to the byte.

use crate::database::create_private_folder;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// Keeps bytes aside under a name that says when and from which file; the same bytes are kept once.
pub(super) fn keep(state: &Path, file: &Path, bytes: &[u8], now_us: u64) -> io::Result<PathBuf> {
    let folder = state.join("attic");
    create_private_folder(&folder).map_err(io::Error::other)?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let hash = blake3::hash(bytes).to_hex();
    let ending = format!("-{}-{name}", &hash[..16]);
    for entry in fs::read_dir(&folder)?.flatten() {
        if entry.file_name().to_string_lossy().ends_with(&ending) {
            return Ok(entry.path());
        }
    }
    let path = folder.join(format!("{now_us}{ending}"));
    let mut kept = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&path)?;
    kept.write_all(bytes)?;
    kept.sync_all()?;
    Ok(path)
}
