//! Writing a segment.

use super::header::{COMPRESSED, Header};
use super::{EncodeProblem, MAX_RECORDS, MAX_RUN_BYTES, body};
use memlore_model::{MAX_PAYLOAD_BYTES, Payload, Record, RecordHash};

/// What stands around a payload in the body.
const AROUND_BYTES: usize = 48;

/// How hard to look for a shorter body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// For a run that will soon be merged into a larger one.
    #[default]
    Quick,
    /// For a run that will stay.
    Thorough,
}

impl Effort {
    fn level(self) -> i32 {
        match self {
            Self::Quick => 3,
            // Beyond 9 it takes ten times as long for a tenth less.
            Self::Thorough => 9,
        }
    }
}

/// The bytes of the segment that carries these records: one gapless run of one replica's stream.
///
/// # Errors
/// Returns why they make no segment. [`fit`] says how many of a longer run do.
pub fn encode(records: &[Record], effort: Effort) -> Result<Vec<u8>, EncodeProblem> {
    let (first, last) = records.first().zip(records.last()).ok_or(EncodeProblem::Empty)?;
    check_run(records)?;
    if fit(records) < records.len() {
        let bytes = records.iter().map(payload_bytes).sum();
        return Err(EncodeProblem::TooMuch { records: records.len(), bytes });
    }
    let body = body::write(records);
    let packed = zstd::bulk::compress(&body, effort.level())
        .map_err(|error| EncodeProblem::Compress(error.to_string()))?;
    let (flags, stored) = if packed.len() < body.len() { (COMPRESSED, &packed) } else { (0, &body) };
    let header = Header {
        flags,
        stream: first.name.stream,
        replica: first.name.replica,
        previous: first.previous,
        first: first.name.seq,
        last: last.name.seq,
        body_bytes: body.len() as u32,
        stored_bytes: stored.len() as u32,
    };
    let mut file = Vec::with_capacity(stored.len() + 128);
    header.write(&mut file);
    file.extend_from_slice(stored);
    let hash = blake3::hash(&file);
    file.extend_from_slice(hash.as_bytes());
    Ok(file)
}

/// Returns how many of the first records one segment can carry: at least one, when there is one.
pub fn fit(records: &[Record]) -> usize {
    let mut bytes = 0usize;
    let fitting = records.iter().take(MAX_RECORDS).take_while(|record| {
        bytes = bytes.saturating_add(payload_bytes(record).saturating_add(AROUND_BYTES));
        bytes <= MAX_RUN_BYTES
    });
    fitting.count().max(usize::from(!records.is_empty()))
}

/// How much room records take in a segment, which has [`MAX_RUN_BYTES`] of it: by their bytes or by their number,
/// whichever is more.
pub fn weight(records: &[Record]) -> u64 {
    let bytes: usize = records.iter().map(|record| payload_bytes(record) + AROUND_BYTES).sum();
    bytes.max(records.len() * (MAX_RUN_BYTES / MAX_RECORDS)) as u64
}

fn payload_bytes(record: &Record) -> usize {
    record.payload.bytes().map_or(0, <[u8]>::len)
}

fn check_run(records: &[Record]) -> Result<(), EncodeProblem> {
    let mut before: Option<(&Record, RecordHash)> = None;
    for record in records {
        let seq = record.name.seq;
        let follows = match before {
            None => seq >= 1 && (seq == 1) == (record.previous == RecordHash::NONE),
            Some((last, hash)) => {
                let name = memlore_model::RecordName { seq, ..last.name };
                record.name == name && seq.checked_sub(1) == Some(last.name.seq) && record.previous == hash
            }
        };
        if !follows {
            return Err(EncodeProblem::NoRun { seq });
        }
        if let Payload::Present(bytes) = &record.payload
            && bytes.len() > MAX_PAYLOAD_BYTES
        {
            return Err(EncodeProblem::Payload { seq, bytes: bytes.len() });
        }
        before = Some((record, record.hash()));
    }
    Ok(())
}
