//! Segments: immutable files that carry a run of one stream's records.
//!
//! `docs/format.md` describes the bytes. Reading trusts nothing: a segment that decodes is a gapless run whose
//! every hash was computed here.

mod body;
mod decode;
mod encode;
mod header;

pub use decode::decode;
pub(crate) use decode::{begins_as_segment, file_hash};
pub use encode::{Effort, encode, fit, weight};

use memlore_model::{MAX_PAYLOAD_BYTES, Record, RecordHash, ReplicaId, Stream};

/// The major version of segments that this version writes, and the greatest that it reads.
pub const SEGMENT_MAJOR: u8 = 1;

/// The most records of one segment.
pub const MAX_RECORDS: usize = 65_536;

/// The most that the payloads of one segment hold together, in bytes, and its body when inflated.
pub const MAX_RUN_BYTES: usize = MAX_PAYLOAD_BYTES + 2 * 1024 * 1024;

/// The largest file that is read as a segment, in bytes.
pub const MAX_SEGMENT_BYTES: usize = MAX_RUN_BYTES + 64 * 1024;

/// A run of records by their numbers, the last one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Run {
    /// The number of the first record, from 1.
    pub first: u64,
    /// The number of the last record; one below the first when there is none.
    pub last: u64,
}

impl Run {
    /// How many records there are.
    pub fn records(&self) -> u64 {
        self.last.saturating_add(1).saturating_sub(self.first)
    }
}

/// A run of one stream's records.
///
/// Invariant: at least one record; all of this replica and stream; each one's `previous` is the hash of the one
/// before it, and their numbers have no gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The replica that wrote the records.
    pub replica: ReplicaId,
    /// The stream they stand in.
    pub stream: Stream,
    /// The records, in order.
    pub records: Vec<Record>,
}

impl Segment {
    /// The number of the first record.
    pub fn first(&self) -> u64 {
        self.records.first().map_or(0, |record| record.name.seq)
    }

    /// The number of the last record.
    pub fn last(&self) -> u64 {
        self.records.last().map_or(0, |record| record.name.seq)
    }

    /// The hash that the first record follows.
    pub fn previous(&self) -> RecordHash {
        self.records.first().map_or(RecordHash::NONE, |record| record.previous)
    }
}

/// Why records make no segment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeProblem {
    /// There are none.
    #[error("a segment needs at least one record")]
    Empty,
    /// One does not follow the one before it.
    #[error("record {seq} does not follow the record before it, so they are no run")]
    NoRun {
        /// The record's number.
        seq: u64,
    },
    /// One alone passes the limit of payloads.
    #[error("the payload of record {seq} has {bytes} bytes; at most {MAX_PAYLOAD_BYTES} can be exchanged")]
    Payload {
        /// The record's number.
        seq: u64,
        /// Its size.
        bytes: usize,
    },
    /// They are too many for one segment; [`fit`] says how many are not.
    #[error("{records} records of {bytes} bytes are too much for one segment")]
    TooMuch {
        /// How many there are.
        records: usize,
        /// The size of their payloads.
        bytes: usize,
    },
    /// The bytes could not be compressed.
    #[error("the records could not be compressed: {0}")]
    Compress(String),
}

/// Why bytes are no segment that this version can take.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentProblem {
    /// They do not begin as a segment does.
    #[error("the file is no segment")]
    NotSegment,
    /// They begin as a segment does, but are cut off or damaged: perhaps the rest is still on its way.
    #[error("the segment is cut off, damaged, or not here yet")]
    Incomplete,
    /// More bytes than a segment may have.
    #[error("the segment has {bytes} bytes; at most {MAX_SEGMENT_BYTES} are read")]
    TooLarge {
        /// How many there are.
        bytes: u64,
    },
    /// A later version wrote it.
    #[error("the segment needs a newer version of memlore: it has {what}")]
    Newer {
        /// What this version does not know.
        what: String,
    },
    /// All bytes are here as they were written, and they break a rule.
    #[error("the segment breaks the format: {0}")]
    Malformed(&'static str),
}

#[cfg(test)]
mod tests;
