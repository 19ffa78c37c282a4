//! What a share has to be able to do, whatever it is made of.

use std::io;
use std::ops::ControlFlow;

/// A place through which replicas exchange immutable files.
///
/// A folder, an object store and the simulated share of the tests are shares. Paths are relative to the share,
/// with `/` between their parts.
///
/// Implementers write a file so that its name appears with all of its bytes, where the place allows it. Callers
/// may not assume that others see it so, or soon, or in order; nor that a file listed is still there; nor that
/// a file missing was deleted: a mailbox answers what it has at the moment.
pub trait Share: Send + Sync {
    /// What to call the share when speaking to people: its path or address.
    fn title(&self) -> String;

    /// Calls `visit` with what lies in the folder `under`, down to `depth` levels (1: the folder's own), until it
    /// breaks. The share itself is `""`. Folders at the last level are visited, not entered.
    ///
    /// Nothing is held in memory but the way down. Bookkeeping of other programs ([`crate::ignored()`]) is passed
    /// over. A folder that is not there is empty, but for the share itself.
    ///
    /// # Errors
    /// Returns [`ShareProblem::Missing`] when the share itself is not there.
    fn walk(
        &self,
        under: &str,
        depth: usize,
        visit: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ShareProblem>;

    /// Reads a file from its beginning, at most this many bytes.
    ///
    /// The first read of a file that is only in the cloud ([`FoundKind::File`]) may take as long as the network
    /// does.
    ///
    /// # Errors
    /// Returns [`ShareProblem::Gone`] when there is no such file.
    fn read(&self, path: &str, bytes_most: usize) -> Result<Vec<u8>, ShareProblem>;

    /// Writes a new file durably, with the folders above it; never replaces one.
    ///
    /// # Errors
    /// Returns what kept it from being written; then no reader takes what may have been left.
    fn write_new(&self, path: &str, bytes: &[u8]) -> Result<Written, ShareProblem>;

    /// Writes a file, replacing one of this name. Only for what may change: see [`crate::publish_about`], and a
    /// file of our own that was found damaged.
    ///
    /// # Errors
    /// Returns what kept it from being written.
    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), ShareProblem>;

    /// Deletes a file; that it is gone already is no error.
    ///
    /// # Errors
    /// Returns what kept it from being deleted.
    fn delete(&self, path: &str) -> Result<(), ShareProblem>;
}

/// What became of a new file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// It is there.
    New,
    /// A file of this name was there before, and was left as it is.
    Exists,
}

/// Something that lies in a share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its path, relative to the share.
    pub path: String,
    /// What it is.
    pub kind: FoundKind,
}

/// What lies at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FoundKind {
    /// A file.
    File {
        /// What tells its present content from another.
        stamp: FileStamp,
        /// Whether its content is only in the cloud, as far as can be told without reading it.
        remote: bool,
    },
    /// A folder.
    Folder,
    /// A folder whose content cannot be listed, or not to its end.
    Unlisted,
    /// Something that is not read, and why.
    Other(&'static str),
}

/// What tells one content of a file from another without reading it.
///
/// Equal stamps of one path mean that it need not be read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileStamp {
    /// Its size.
    pub size_bytes: u64,
    /// When it was last written, in microseconds since the epoch; 0 when not known.
    pub mtime_us: i64,
    /// Its number in the file system; 0 where there is none.
    pub inode: u64,
}

/// What could not be done with a share.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ShareProblem {
    /// The share is not there: not mounted, moved, or deleted. Nothing follows from that for what we hold.
    #[error("the share {title} is not there")]
    Missing {
        /// The share.
        title: String,
    },
    /// The share cannot be opened as it is named.
    #[error("cannot use {title} as a share")]
    Address {
        /// The address.
        title: String,
        /// Why not.
        source: io::Error,
    },
    /// A file is not there, or no longer.
    #[error("{path} is not in the share")]
    Gone {
        /// The file.
        path: String,
    },
    /// A part of the path leads out of the share, or is no folder.
    #[error("{path} does not lie in a folder of the share itself, so nothing is written there")]
    Outside {
        /// The path that was to be written.
        path: String,
    },
    /// Another segment stands where one of ours belongs.
    #[error("{path} in the share holds another segment")]
    Occupied {
        /// The file.
        path: String,
    },
    /// Something could not be listed.
    #[error("cannot list {path}")]
    List {
        /// The folder.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// Something could not be read.
    #[error("cannot read {path} in the share")]
    Read {
        /// The file.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// Something could not be written, or deleted.
    #[error("cannot write {path} in the share")]
    Write {
        /// The file.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// Something else holds the file, and went on holding it for as long as we were willing to wait.
    #[error("{path} in the share is held by another program")]
    Held {
        /// The file.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// The records make no segment.
    #[error("the records cannot be published")]
    Encode(#[from] crate::EncodeProblem),
}

impl ShareProblem {
    /// Whether it says nothing of any other file: the rest of the share can be worked on.
    pub fn is_of_one_file(&self) -> bool {
        matches!(self, Self::Gone { .. } | Self::Outside { .. } | Self::Occupied { .. } | Self::Read { .. })
    }
}
