//! The fixed part at the front of a segment.

use super::{MAX_RECORDS, MAX_RUN_BYTES, SEGMENT_MAJOR, SegmentProblem};
use memlore_model::{RecordHash, ReplicaId, Stream};

/// The greatest number of a record: a writer of a million a second gets there in a hundred thousand years.
const LAST_NUMBER: u64 = 1 << 62;

pub(super) const MAGIC: [u8; 8] = *b"memlore\x1a";
/// The blake3 hash of everything before it ends every segment, of every version.
pub(super) const HASH_BYTES: usize = 32;
pub(super) const HEADER_BYTES: usize = 88;
pub(super) const COMPRESSED: u16 = 1;
const ENCRYPTED: u16 = 2;
const MINOR: u8 = 0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub(super) flags: u16,
    pub(super) stream: Stream,
    pub(super) replica: ReplicaId,
    pub(super) previous: RecordHash,
    pub(super) first: u64,
    pub(super) last: u64,
    /// The size of the body, inflated.
    pub(super) body_bytes: u32,
    /// The size of the body as it stands in the file.
    pub(super) stored_bytes: u32,
}

impl Header {
    pub(super) fn write(&self, file: &mut Vec<u8>) {
        file.extend_from_slice(&MAGIC);
        file.extend_from_slice(&[SEGMENT_MAJOR, MINOR]);
        file.extend_from_slice(&(HEADER_BYTES as u16).to_le_bytes());
        file.extend_from_slice(&self.flags.to_le_bytes());
        file.extend_from_slice(&[self.stream.number(), 0]);
        file.extend_from_slice(&self.replica.0);
        file.extend_from_slice(&self.previous.0);
        file.extend_from_slice(&self.first.to_le_bytes());
        file.extend_from_slice(&self.last.to_le_bytes());
        file.extend_from_slice(&self.body_bytes.to_le_bytes());
        file.extend_from_slice(&self.stored_bytes.to_le_bytes());
    }

    /// Reads the header of a file whose hash was found right, without that hash; also returns the stored body.
    pub(super) fn read(file: &[u8]) -> Result<(Self, &[u8]), SegmentProblem> {
        let mut fields = Fields(&file[MAGIC.len()..]);
        let [major, _minor] = fields.take()?;
        if major != SEGMENT_MAJOR {
            return Err(newer(format!("format {major}, and this version reads format {SEGMENT_MAJOR}")));
        }
        let header_bytes = usize::from(u16::from_le_bytes(fields.take()?));
        let flags = u16::from_le_bytes(fields.take()?);
        if flags & ENCRYPTED != 0 {
            return Err(newer("an encrypted body".to_owned()));
        }
        if flags & !COMPRESSED != 0 {
            return Err(newer(format!("the flags {flags:#06x}")));
        }
        let [stream, reserved] = fields.take()?;
        let stream = Stream::from_number(stream).ok_or_else(|| newer(format!("stream number {stream}")))?;
        let header = Self {
            flags,
            stream,
            replica: ReplicaId(fields.take()?),
            previous: RecordHash(fields.take()?),
            first: u64::from_le_bytes(fields.take()?),
            last: u64::from_le_bytes(fields.take()?),
            body_bytes: u32::from_le_bytes(fields.take()?),
            stored_bytes: u32::from_le_bytes(fields.take()?),
        };
        // A later minor version may write a longer header; what it adds is passed over.
        let stored = file.get(header_bytes..).filter(|_| header_bytes >= HEADER_BYTES);
        let stored = stored.ok_or(SegmentProblem::Malformed("the header's length is impossible"))?;
        header.check(reserved, stored)?;
        Ok((header, stored))
    }

    /// How many records the header speaks of.
    pub(super) fn records(&self) -> usize {
        usize::try_from(self.last - self.first).map_or(usize::MAX, |more| more.saturating_add(1))
    }

    fn check(&self, reserved: u8, stored: &[u8]) -> Result<(), SegmentProblem> {
        let first_follows_nothing = self.previous == RecordHash::NONE;
        let rules = [
            (reserved == 0, "a reserved byte is not zero"),
            (self.first >= 1 && self.first <= self.last, "the record numbers are no run"),
            (self.last <= LAST_NUMBER, "a record's number is beyond all that are written"),
            ((self.first == 1) == first_follows_nothing, "only a first record follows nothing"),
            (stored.len() == self.stored_bytes as usize, "the body's length is wrong"),
            (self.body_bytes as usize <= MAX_RUN_BYTES, "the inflated body is too large"),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            Some((_, broken)) => Err(SegmentProblem::Malformed(broken)),
            None if self.records() > MAX_RECORDS => Err(SegmentProblem::Malformed("it has too many records")),
            None => Ok(()),
        }
    }
}

pub(super) fn newer(what: String) -> SegmentProblem {
    SegmentProblem::Newer { what }
}

struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], SegmentProblem> {
        let (field, rest) =
            self.0.split_first_chunk().ok_or(SegmentProblem::Malformed("the header is too short"))?;
        self.0 = rest;
        Ok(*field)
    }
}
