//! The lock of a view. Where other writers have one it is theirs: hermes' is `flock` on a sibling with `.lock` appended.
//! Where they have none it is a file of our own, which nobody finds beside theirs.

use crate::Store;
use memlore_view::Dialect;
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::database::Patience;

/// How long to wait for whoever holds a view.
const WAIT: Duration = Duration::from_secs(2);

/// A view's lock, held until it is dropped.
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a view, making its file when it is missing.
    pub(super) fn take(store: &Store, dialect: Dialect, view: &Path) -> io::Result<Self> {
        let home = store.open.home.as_path();
        let path = match dialect {
            Dialect::Hermes => path_beside(view),
            Dialect::Bullets | Dialect::Section | Dialect::Gemini => own_path(&store.open.state, view),
        };
        let open =
            || OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = match open() {
            // A home that is gone is not made again: it may be a disk that is not mounted.
            Err(error) if error.kind() == io::ErrorKind::NotFound && home.is_dir() => {
                std::fs::create_dir_all(path.parent().unwrap_or(home))?;
                open()?
            }
            opened => opened?,
        };
        let mut patience = Patience::of(WAIT);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if patience.wait() => {}
                Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::WouldBlock.into()),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

/// Where the lock of a view lies that its other writers use.
pub(super) fn path_beside(view: &Path) -> PathBuf {
    let mut path = view.as_os_str().to_owned();
    path.push(".lock");
    path.into()
}

/// Where the lock of a view lies that only memlore uses.
fn own_path(state: &Path, view: &Path) -> PathBuf {
    let hash = blake3::hash(view.as_os_str().as_encoded_bytes()).to_hex();
    super::witness_folder(state).join(format!("{}.lock", &hash[..16]))
}
