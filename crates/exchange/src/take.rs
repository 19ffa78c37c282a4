//! Taking in one file of a share: its content decides.

use crate::segment::{MAX_SEGMENT_BYTES, Segment, SegmentProblem, begins_as_segment, decode};
use crate::{Share, ShareFile, ShareProblem};

const BEGINNING_BYTES: usize = 8;

/// What one file of a share turned out to be.
///
/// All of these are remembered with the file's stamp; the file is read again when that changes.
#[derive(Debug)]
pub enum Take {
    /// A segment, whole and checked.
    Taken(Segment),
    /// Perhaps a segment, of which not everything is here yet.
    NotYet(NotYet),
    /// A segment of a later version; the words say what is new.
    Newer(String),
    /// A whole segment that breaks the format, or is too large: worth a report, never an obstacle.
    Refused(SegmentProblem),
    /// No segment: somebody else's file.
    Ignored,
}

/// Why a file cannot be taken yet.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NotYet {
    /// It was there when the share was listed.
    #[error("the file is gone again")]
    Gone,
    /// It is cut off or damaged.
    #[error("the file is cut off, damaged, or still being written")]
    Incomplete,
    /// It could not be read.
    #[error("the file cannot be read now")]
    Unreadable(#[source] ShareProblem),
}

/// Reads a file of the share and says what it is.
///
/// Bounded by [`MAX_SEGMENT_BYTES`]; of a file that does not begin as a segment, or is larger than any, nothing
/// more is read.
pub fn take(share: &dyn Share, file: &ShareFile) -> Take {
    let too_large = file.stamp.size_bytes > MAX_SEGMENT_BYTES as u64;
    match read(share, file, too_large) {
        Ok(bytes) if too_large && begins_as_segment(&bytes) => {
            Take::Refused(SegmentProblem::TooLarge { bytes: file.stamp.size_bytes })
        }
        Ok(bytes) => judge(&bytes, file.name.is_some()),
        Err(ShareProblem::Gone { .. }) => Take::NotYet(NotYet::Gone),
        Err(problem) => Take::NotYet(NotYet::Unreadable(problem)),
    }
}

fn read(share: &dyn Share, file: &ShareFile, too_large: bool) -> Result<Vec<u8>, ShareProblem> {
    if too_large || file.name.is_none() {
        let beginning = share.read(&file.path, BEGINNING_BYTES)?;
        if too_large || !begins_as_segment(&beginning) {
            return Ok(beginning);
        }
    }
    share.read(&file.path, MAX_SEGMENT_BYTES + 1)
}

fn judge(bytes: &[u8], has_name: bool) -> Take {
    match decode(bytes) {
        Ok(segment) => Take::Taken(segment),
        Err(SegmentProblem::Incomplete) => Take::NotYet(NotYet::Incomplete),
        // Cloud programs create files empty, or full of zeros, before their content comes.
        Err(SegmentProblem::NotSegment) if has_name => Take::NotYet(NotYet::Incomplete),
        Err(SegmentProblem::NotSegment) => Take::Ignored,
        Err(SegmentProblem::Newer { what }) => Take::Newer(what),
        Err(problem) => Take::Refused(problem),
    }
}
