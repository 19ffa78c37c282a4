//! The body of a segment: its records, one after the other.

use super::header::newer;
use super::{MAX_RUN_BYTES, SegmentProblem};
use memlore_model::{
    Kind, Link, MAX_PAYLOAD_BYTES, Payload, Record, RecordHash, RecordName, ReplicaId, leb128, squeeze,
};
use std::borrow::Cow;

/// The payload's bytes as they are.
const RAW: u8 = 0;
/// A change without what can be computed again.
const SQUEEZED: u8 = 1;
/// The digest of a payload that was erased.
const ERASED: u8 = 2;

const RUN_TOO_LARGE: SegmentProblem = SegmentProblem::Malformed("its payloads together are too large");
const ENDS_EARLY: SegmentProblem = SegmentProblem::Malformed("a record ends early");

/// The body of these records, before it is compressed.
pub(super) fn write(records: &[Record]) -> Vec<u8> {
    let mut body = Vec::new();
    let mut link = None;
    for record in records {
        let (encoding, bytes) = encoded(record, &mut link);
        leb128::put(&mut body, u64::from(record.kind.0));
        body.push(encoding);
        leb128::put(&mut body, bytes.len() as u64);
        body.extend_from_slice(&bytes);
    }
    body
}

/// Returns the record's encoding and bytes, and leaves in `link` what the next change can lean on.
fn encoded<'a>(record: &'a Record, link: &mut Option<Link>) -> (u8, Cow<'a, [u8]>) {
    if record.kind == Kind::CHANGE {
        let bytes = record.payload.bytes();
        let squeezed = bytes.and_then(|bytes| squeeze::squeeze(bytes, link.as_ref(), record.name.replica));
        let (squeezed, next) = squeezed.unzip();
        *link = next;
        if let Some(squeezed) = squeezed {
            return (SQUEEZED, squeezed.into());
        }
    }
    match &record.payload {
        Payload::Present(bytes) => (RAW, bytes.into()),
        Payload::Erased(digest) => (ERASED, digest[..].into()),
    }
}

/// Reads a body; `first` names its first record, and `previous` is the hash before that.
pub(super) fn read(
    mut body: &[u8],
    first: RecordName,
    previous: RecordHash,
    count: usize,
) -> Result<Vec<Record>, SegmentProblem> {
    // A record takes three bytes at least, so a forged count allocates no more than the body gives.
    let mut records = Vec::with_capacity(count.min(body.len() / 3));
    let (mut link, mut previous, mut run_bytes) = (None, previous, 0);
    for at in 0..count as u64 {
        let (kind, payload) = read_one(&mut body, &mut link, first.replica)?;
        run_bytes += payload.bytes().map_or(0, <[u8]>::len);
        if run_bytes > MAX_RUN_BYTES {
            return Err(RUN_TOO_LARGE);
        }
        let name = RecordName { seq: first.seq + at, ..first };
        let record = Record { name, previous, kind, payload };
        previous = record.hash();
        records.push(record);
    }
    if body.is_empty() { Ok(records) } else { Err(SegmentProblem::Malformed("bytes follow its last record")) }
}

fn read_one(
    body: &mut &[u8],
    link: &mut Option<Link>,
    replica: ReplicaId,
) -> Result<(Kind, Payload), SegmentProblem> {
    let kind = leb128::take(body).and_then(|kind| u32::try_from(kind).ok());
    let kind = Kind(kind.ok_or(SegmentProblem::Malformed("a record's kind is unreadable"))?);
    let (&encoding, rest) = body.split_first().ok_or(ENDS_EARLY)?;
    *body = rest;
    let length = leb128::take(body).and_then(|length| usize::try_from(length).ok()).ok_or(ENDS_EARLY)?;
    let (bytes, rest) = body.split_at_checked(length).ok_or(ENDS_EARLY)?;
    *body = rest;
    let payload = match encoding {
        RAW => {
            *link = link.filter(|_| kind != Kind::CHANGE);
            Payload::Present(bytes.to_vec())
        }
        SQUEEZED => {
            let unsqueezed = squeeze::unsqueeze(bytes, link.as_ref(), replica);
            let (bytes, next) =
                unsqueezed.ok_or(SegmentProblem::Malformed("a squeezed change is unreadable"))?;
            *link = Some(next);
            Payload::Present(bytes)
        }
        ERASED => {
            *link = link.filter(|_| kind != Kind::CHANGE);
            let digest = bytes.try_into();
            Payload::Erased(digest.map_err(|_| SegmentProblem::Malformed("a digest has not 32 bytes"))?)
        }
        other => return Err(newer(format!("a record in encoding {other}"))),
    };
    if payload.bytes().is_some_and(|bytes| bytes.len() > MAX_PAYLOAD_BYTES) {
        return Err(SegmentProblem::Malformed("a payload is too large"));
    }
    Ok((kind, payload))
}
