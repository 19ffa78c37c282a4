//! One device's copy of the share: files by their paths, and which change of each it has.

use std::collections::BTreeMap;
use std::sync::Arc;

/// What a file holds.
pub(super) type Bytes = Arc<[u8]>;

/// A file as one change left it; without bytes it was deleted.
#[derive(Clone, Debug)]
pub(super) struct Version {
    /// The change's number: of two versions of one path the greater is the newer, everywhere.
    pub(super) change: u64,
    /// Whether all of it is here; a sync program may show half a file first.
    pub(super) whole: bool,
    /// The content.
    pub(super) bytes: Option<Bytes>,
    /// When it was last written, as the device that wrote it saw it.
    pub(super) mtime_us: i64,
    /// Its number in this copy.
    pub(super) inode: u64,
    /// Until this moment its content is only in the cloud.
    pub(super) remote_until: u64,
}

/// The files of one copy, those that were deleted included.
#[derive(Clone, Debug, Default)]
pub(super) struct Files(BTreeMap<String, Version>);

impl Files {
    /// A file that is there.
    pub(super) fn get(&self, path: &str) -> Option<(&Version, &Bytes)> {
        self.0.get(path).and_then(|version| Some((version, version.bytes.as_ref()?)))
    }

    /// A file that is there, to be changed in place.
    pub(super) fn get_mut(&mut self, path: &str) -> Option<&mut Version> {
        self.0.get_mut(path).filter(|version| version.bytes.is_some())
    }

    /// Takes a version in unless a newer one is here; returns whether it did.
    pub(super) fn take(&mut self, path: &str, version: Version) -> bool {
        let newer = |known: &Version| (known.change, known.whole) >= (version.change, version.whole);
        if self.0.get(path).is_some_and(newer) {
            return false;
        }
        self.0.insert(path.to_owned(), version);
        true
    }

    /// The files that are there, by path.
    pub(super) fn present(&self) -> impl Iterator<Item = (&str, &Version, &Bytes)> {
        self.0.iter().filter_map(|(path, version)| Some((path.as_str(), version, version.bytes.as_ref()?)))
    }

    /// Every path and its newest version, deleted ones included.
    pub(super) fn all(&self) -> impl Iterator<Item = (&String, &Version)> {
        self.0.iter()
    }
}
