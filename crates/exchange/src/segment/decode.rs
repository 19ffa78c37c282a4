//! Reading a segment that anybody may have written, or half written.

use super::header::{COMPRESSED, HASH_BYTES, Header, MAGIC};
use super::{MAX_SEGMENT_BYTES, Segment, SegmentProblem, body};
use memlore_model::RecordName;
use std::borrow::Cow;

/// Reads a segment from the whole content of a file.
///
/// Memory is bounded by [`MAX_SEGMENT_BYTES`] and [`super::MAX_RUN_BYTES`], whatever the bytes say. The hash of
/// each record is computed here, so the records are a run of the stream that they name.
///
/// # Errors
/// Returns [`SegmentProblem::Incomplete`] when the hash over all of it is wrong: such a file may be whole later.
/// Every other problem is final for these bytes.
pub fn decode(bytes: &[u8]) -> Result<Segment, SegmentProblem> {
    if !bytes.starts_with(&MAGIC) {
        return Err(SegmentProblem::NotSegment);
    }
    if bytes.len() > MAX_SEGMENT_BYTES {
        return Err(SegmentProblem::TooLarge { bytes: bytes.len() as u64 });
    }
    let (file, hash) = bytes.split_last_chunk::<HASH_BYTES>().ok_or(SegmentProblem::Incomplete)?;
    if file.len() < MAGIC.len() || blake3::hash(file) != *hash {
        return Err(SegmentProblem::Incomplete);
    }
    let (header, stored) = Header::read(file)?;
    let body = if header.flags & COMPRESSED == 0 {
        Cow::Borrowed(stored)
    } else {
        // The buffer is as large as the header says and no larger: a bomb does not fit.
        let inflated = zstd::bulk::decompress(stored, header.body_bytes as usize);
        inflated.map_err(|_| SegmentProblem::Malformed("the body cannot be inflated"))?.into()
    };
    if body.len() != header.body_bytes as usize {
        return Err(SegmentProblem::Malformed("the inflated body's length is wrong"));
    }
    let name = RecordName { replica: header.replica, stream: header.stream, seq: header.first };
    let records = body::read(&body, name, header.previous, header.records())?;
    Ok(Segment { replica: header.replica, stream: header.stream, records })
}

/// Whether a file that begins with these bytes may be a segment.
pub(crate) fn begins_as_segment(bytes: &[u8]) -> bool {
    bytes.len() >= MAGIC.len() && bytes.starts_with(&MAGIC)
}

/// The hash that ends a segment and names its file.
pub(crate) fn file_hash(segment: &[u8]) -> [u8; HASH_BYTES] {
    segment.last_chunk().copied().unwrap_or_default()
}
