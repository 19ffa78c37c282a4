//! The set as automerge changes, built and read without a document.
//!
//! A change puts keys on ROOT and nothing else: `+<entry id>` an entry, `-<entry id>` a tombstone, each a JSON
//! string scalar with no predecessor. All changes of all replicas together are one valid Automerge document;
//! nobody needs it to write or to read, and its cost, which grows with history, is not paid.

mod build;
mod read;

pub use build::build;
pub use read::read;

use crate::{Entry, EntryId, ReplicaId, Tombstone};
use std::fmt;

/// The greatest operation number that automerge's documents can hold.
pub const LAST_OP: u64 = (1 << 31) - 1;

/// Automerge's own name of a change: the SHA-256 of its bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChangeHash(pub [u8; 32]);

impl fmt::Debug for ChangeHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChangeHash({})", data_encoding::HEXLOWER.encode(&self.0))
    }
}

/// What one operation of a change puts on ROOT.
#[derive(Clone, Debug, PartialEq)]
pub enum Put {
    /// An entry was added.
    Add(EntryId, Entry),
    /// An entry was removed.
    Remove(EntryId, Tombstone),
}

/// The numbers that the next change of a replica needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NextChange {
    /// The replica that writes it.
    pub actor: ReplicaId,
    /// Its number among that replica's changes, from 1, without gaps.
    pub seq: u64,
    /// Its first operation's number: above every operation of its own chain and of its dependencies.
    pub start_op: u64,
    /// The replica's previous change and, of each other replica, the latest change that added what this one
    /// removes.
    pub dependencies: Vec<ChangeHash>,
}

/// A change ready to be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltChange {
    /// The uncompressed chunk.
    pub bytes: Vec<u8>,
    /// Automerge's name of it.
    pub hash: ChangeHash,
    /// Its last operation's number.
    pub max_op: u64,
}

/// A change that came from outside, decoded.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadChange {
    /// The replica that wrote it.
    pub actor: ReplicaId,
    /// Its number among that replica's changes.
    pub seq: u64,
    /// Its first operation's number.
    pub start_op: u64,
    /// Its last operation's number; one below `start_op` when it has none.
    pub max_op: u64,
    /// The changes it depends on.
    pub dependencies: Vec<ChangeHash>,
    /// Automerge's name of it.
    pub hash: ChangeHash,
    /// What it puts, in the order of its operations.
    pub puts: Vec<Put>,
    /// How many keys it puts whose prefix or value this version does not know.
    pub unknown: usize,
}

/// Why bytes are no change that can be projected. They are kept and forwarded all the same.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeProblem {
    /// Not one uncompressed change chunk with a correct checksum.
    #[error("the bytes are no uncompressed automerge change chunk")]
    NoChange,
    /// Automerge could not read it.
    #[error("automerge cannot read the change: {0}")]
    Unreadable(String),
    /// Its actor is no replica id.
    #[error("the change's actor is no replica id")]
    Actor,
    /// It does something else than putting strings on ROOT, or overwrites.
    #[error("operation {0} of the change is no plain put on ROOT")]
    Shape(u64),
    /// Its operation numbers pass [`LAST_OP`].
    #[error("the change's operations pass number {LAST_OP}")]
    TooFar,
}
