//! Where a replica lives, and what comes in from the world around it.

use memlore_exchange::{Folder, Share, ShareProblem};
use std::path::{Path, PathBuf};

/// Gives the wall time in microseconds since the epoch.
pub type WallClock = Box<dyn Fn() -> u64 + Send>;

/// Fills a buffer with random bytes.
pub type Random = Box<dyn Fn(&mut [u8]) + Send>;

/// Opens the share at an address that is no folder's, such as `s3://bucket/prefix`; `None` when the address means
/// nothing to it, so that a folder is meant.
pub type OpenShare = Box<dyn Fn(&str) -> Option<Result<Box<dyn Share>, ShareProblem>> + Send>;

/// How far taking in what others published has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakingIn {
    /// How many bytes of new files were taken in.
    pub bytes: u64,
    /// How many bytes of new files there are.
    pub all_bytes: u64,
}

/// Is told how far taking in has come: before the first new file, now and then, and after each.
pub type OnTakingIn = Box<dyn Fn(TakingIn) + Send>;

/// Where a replica lives and who uses it.
pub struct Open {
    /// The agent profile's folder.
    pub home: PathBuf,
    /// The replica's own folder.
    pub state: PathBuf,
    /// The agent, for provenance; may be empty.
    pub agent: String,
    /// The device's name, for people.
    pub device: String,
    /// The machine's id, where there is a stable one.
    pub machine: Option<String>,
    /// The wall clock.
    pub now: WallClock,
    /// The random source.
    pub random: Random,
    /// What opens shares that are no folders.
    pub shares: OpenShare,
    /// Who watches what is taken in from a share.
    pub on_taking_in: OnTakingIn,
}

/// The shares of a program that knows folders only.
pub fn only_folders(_address: &str) -> Option<Result<Box<dyn Share>, ShareProblem>> {
    None
}

/// The folder that a `file://` address means, `None` for any other address.
///
/// Only a folder of this machine can be meant; what stands between the second slash and the third is another's name.
pub(crate) fn folder_at(address: &str) -> Option<PathBuf> {
    let rest = address.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let mut bytes = path.strip_prefix('/').map(|_| path.bytes())?;
    let mut decoded = Vec::with_capacity(path.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            byte => byte,
        });
    }
    String::from_utf8(decoded).ok().map(PathBuf::from)
}

/// A share that was opened.
pub(crate) struct OpenedShare {
    share: Box<dyn Share>,
    /// Where it lies, when it is a folder.
    pub(crate) folder: Option<PathBuf>,
}

impl std::ops::Deref for OpenedShare {
    type Target = dyn Share;

    fn deref(&self) -> &Self::Target {
        &*self.share
    }
}

impl Open {
    /// Opens the share at an address; `staging` holds the unfinished files of one that is a folder.
    pub(crate) fn share(&self, address: &str, staging: &Path) -> Result<OpenedShare, ShareProblem> {
        match (self.shares)(address) {
            Some(share) => share.map(|share| OpenedShare { share, folder: None }),
            None => {
                let share = Box::new(Folder::new(address, staging));
                Ok(OpenedShare { share, folder: Some(address.into()) })
            }
        }
    }
}

/// The state folder of a home that names none: one per home, below the platform's data folder.
///
/// A home has one state, however it is named and whether it is there yet: links are resolved as far as the path
/// exists.
pub fn default_state(data_folder: &Path, home: &Path) -> PathBuf {
    let resolved = resolve(&std::path::absolute(home).unwrap_or_else(|_| home.to_owned()));
    let hash = blake3::hash(resolved.as_os_str().as_encoded_bytes());
    let name: String = resolved
        .file_name()
        .map(|name| name.to_string_lossy().chars().filter(|c| c.is_ascii_alphanumeric()).take(24).collect())
        .unwrap_or_default();
    data_folder.join("memlore").join(format!("{name}-{}", &hash.to_hex()[..12]))
}

fn resolve(path: &Path) -> PathBuf {
    if let Ok(resolved) = path.canonicalize() {
        return resolved;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolve(parent).join(name),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_address_is_a_folder_of_this_machine() {
        let folder = |address| folder_at(address).map(|path| path.to_string_lossy().into_owned());
        assert_eq!(folder("file:///srv/my%20share").as_deref(), Some("/srv/my share"));
        assert_eq!(folder("file://localhost/srv/caf%C3%A9").as_deref(), Some("/srv/café"));
        for other in ["file://nas/srv", "file://", "file:///srv/%zz", "file:///srv/%f", "/srv", "s3://srv/x"]
        {
            assert_eq!(folder(other), None, "{other}");
        }
    }

    #[test]
    fn a_home_has_one_state_before_and_after_it_exists_and_through_links() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("real")).unwrap();
        std::os::unix::fs::symlink("real", folder.path().join("link")).unwrap();
        let state = |home: &str| default_state(Path::new("/data"), &folder.path().join(home));
        let before = state("link/home");
        std::fs::create_dir(folder.path().join("real/home")).unwrap();
        assert_eq!(before, state("link/home"));
        assert_eq!(before, state("real/home"));
        assert_ne!(before, state("real/other"));
    }
}
