//! Putting our own files into a share.

use crate::layout::{about_path, kept_folder, stream_folder};
use crate::segment::{Effort, MAX_SEGMENT_BYTES, decode, encode, file_hash};
use crate::{About, SegmentName, Share, ShareProblem, Written};
use memlore_model::{Record, ReplicaId};

/// A segment that is in the share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// Its path, relative to the share.
    pub path: String,
    /// Its size.
    pub bytes: usize,
    /// Whether it was there before.
    pub already: bool,
}

/// Publishes a run of one stream's records in the folder of the replica that wrote them.
///
/// Publishing the same run twice is harmless: equal bytes have equal names. Longer runs are cut by the caller,
/// where [`crate::fit`] says.
///
/// # Errors
/// Returns why the run is not in the share.
pub fn publish(share: &dyn Share, records: &[Record], effort: Effort) -> Result<Published, ShareProblem> {
    let bytes = encode(records, effort)?;
    let name = records[0].name;
    place(share, &stream_folder(name.replica, name.stream), records, &bytes)
}

/// Publishes a run of somebody else's records, or of an id that we no longer use, in `r/<holder>/x`.
///
/// # Errors
/// Returns why the run is not in the share.
pub fn publish_kept(
    share: &dyn Share,
    holder: ReplicaId,
    records: &[Record],
    effort: Effort,
) -> Result<Published, ShareProblem> {
    let bytes = encode(records, effort)?;
    place(share, &kept_folder(holder), records, &bytes)
}

fn place(
    share: &dyn Share,
    folder: &str,
    records: &[Record],
    bytes: &[u8],
) -> Result<Published, ShareProblem> {
    let (first, last) = (records[0].name.seq, records[records.len() - 1].name.seq);
    let name = SegmentName::new(first, last, &file_hash(bytes));
    let path = format!("{folder}/{name}");
    if share.write_new(&path, bytes)? == Written::New {
        return Ok(Published { path, bytes: bytes.len(), already: false });
    }
    let there = share.read(&path, MAX_SEGMENT_BYTES + 1)?;
    if there == bytes {
        Ok(Published { path, bytes: bytes.len(), already: true })
    } else if decode(&there).is_ok() {
        Err(ShareProblem::Occupied { path })
    } else {
        // Ours by its name, and torn: an old power cut, or a sync program that gave up.
        share.replace(&path, bytes)?;
        Ok(Published { path, bytes: bytes.len(), already: false })
    }
}

/// Tells people about a replica, in a file on which nothing depends; unchanged bytes are not written.
///
/// # Errors
/// Returns why it could not be written.
pub fn publish_about(share: &dyn Share, replica: ReplicaId, about: &About) -> Result<(), ShareProblem> {
    let (path, bytes) = (about_path(replica), about.to_json());
    match share.read(&path, bytes.len() + 1) {
        Ok(there) if there == bytes.as_bytes() => Ok(()),
        _ => share.replace(&path, bytes.as_bytes()),
    }
}
