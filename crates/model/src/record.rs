//! Records: the immutable items of a replica's streams, chained by their hashes.

use crate::ReplicaId;
use std::fmt;

/// The largest payload of one record, in bytes; larger ones are neither written nor taken in.
pub const MAX_PAYLOAD_BYTES: usize = 16 * 1024 * 1024;

/// One of a replica's two append-only sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// Entries and tombstones.
    Memory,
    /// Session messages and facts.
    Sessions,
}

impl Stream {
    /// Both streams.
    pub const ALL: [Self; 2] = [Self::Memory, Self::Sessions];

    /// The stream's number in hashes, segments and tables.
    pub fn number(self) -> u8 {
        match self {
            Self::Memory => 1,
            Self::Sessions => 2,
        }
    }

    /// The stream with this number.
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|stream| stream.number() == number)
    }
}

/// What a payload is. A number that this version does not know is stored and forwarded, not applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(pub u32);

impl Kind {
    /// An automerge change of the memory set.
    pub const CHANGE: Self = Self(1);
    /// A review's cursor, as JSON.
    pub const CURSOR: Self = Self(2);
    /// The hash of a conflict copy that was taken in, 32 bytes.
    pub const CONFLICT_COPY: Self = Self(3);
    /// A session's message, as JSON.
    pub const MESSAGE: Self = Self(16);
    /// Facts about a session, as JSON.
    pub const FACTS: Self = Self(17);
    /// Messages that are hidden, or in sight again, as JSON.
    pub const HIDING: Self = Self(18);
    /// Messages known under two flush timestamps, as JSON.
    pub const SAME: Self = Self(19);
}

/// The blake3 hash that names a record and everything before it in its stream.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct RecordHash(pub [u8; 32]);

impl RecordHash {
    /// What stands before the first record of a stream.
    pub const NONE: Self = Self([0; 32]);
}

impl fmt::Display for RecordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data_encoding::HEXLOWER.encode(&self.0))
    }
}

impl fmt::Debug for RecordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RecordHash({self})")
    }
}

/// A record's content, or what is left of it after it was erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// The bytes as they were written.
    Present(Vec<u8>),
    /// The blake3 hash of bytes that somebody erased: the chain stays whole without them.
    Erased([u8; 32]),
}

impl Payload {
    /// The bytes, when they are still there.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Present(bytes) => Some(bytes),
            Self::Erased(_) => None,
        }
    }

    /// The blake3 hash of the bytes.
    pub fn digest(&self) -> [u8; 32] {
        match self {
            Self::Present(bytes) => *blake3::hash(bytes).as_bytes(),
            Self::Erased(digest) => *digest,
        }
    }
}

/// The place of a record: whose, in which stream, at which number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordName {
    /// The replica that wrote it.
    pub replica: ReplicaId,
    /// The stream it stands in.
    pub stream: Stream,
    /// Its number there, from 1, without gaps.
    pub seq: u64,
}

/// One immutable item of a stream.
///
/// Invariant: [`Self::hash`] covers the record's name, kind, payload and, through `previous`, everything
/// before it; so two records with one hash are the same record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where it stands.
    pub name: RecordName,
    /// The hash of the record before it in the stream.
    pub previous: RecordHash,
    /// What the payload is.
    pub kind: Kind,
    /// The content.
    pub payload: Payload,
}

impl Record {
    /// `blake3(previous, replica, stream, seq, kind, blake3(payload))`, numbers little-endian.
    pub fn hash(&self) -> RecordHash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.previous.0);
        hasher.update(&self.name.replica.0);
        hasher.update(&[self.name.stream.number()]);
        hasher.update(&self.name.seq.to_le_bytes());
        hasher.update(&self.kind.0.to_le_bytes());
        hasher.update(&self.payload.digest());
        RecordHash(*hasher.finalize().as_bytes())
    }
}

/// The hashes of the records of a run, as one that was read or checked before: each record then names the true hash of
/// the one before it, so only the last is hashed.
pub fn hashes(run: &[Record]) -> impl Iterator<Item = RecordHash> {
    run.iter().enumerate().map(|(index, record)| {
        let next = run.get(index + 1).filter(|next| next.name.seq == record.name.seq + 1);
        next.map_or_else(|| record.hash(), |next| next.previous)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn erasing_a_payload_keeps_the_hash() {
        let name = RecordName { replica: ReplicaId([1; 16]), stream: Stream::Memory, seq: 1 };
        let payload = Payload::Present(b"secret".to_vec());
        let erased = Payload::Erased(payload.digest());
        let record = Record { name, previous: RecordHash::NONE, kind: Kind::CHANGE, payload };
        assert_eq!(Record { payload: erased, ..record.clone() }.hash(), record.hash());
    }
}
