//! Which of a replica's own segments are merged, and which may go.
//!
//! A replica publishes little at a time, so its folder fills with small files. They are merged as a binary counter
//! counts: from the newest backwards, whenever [`ENOUGH`] files have come together of which the first is no larger
//! than all after it. Whatever the history, the files that are not full then halve in size from one to the next, but
//! for the newest few; so there are at most [`ENOUGH`] and the logarithm of their sizes, and a record is written again
//! once and each time that the file it lies in doubles.

use crate::segment::{MAX_RUN_BYTES, Run};

/// How many files come together before any are merged without being asked for.
pub const ENOUGH: usize = 8;

/// From half of what a segment may carry on, a file stays as it is.
const FULL: u64 = MAX_RUN_BYTES as u64 / 2;

/// One of a replica's own files, with the run that it was found to carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnFile {
    /// Its path in the share.
    pub path: String,
    /// The run.
    pub run: Run,
    /// How much room the run takes, see [`crate::weight`].
    pub weight: u64,
}

/// When files are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merging {
    /// When enough have come together: what every exchange does.
    WhenDue,
    /// Whenever two that are not full lie side by side.
    Now,
}

/// The runs that are to be written again, each as one file or as few as carry it.
///
/// `files` are those of one stream that are needed, see [`needed`]; others would be counted twice.
pub fn runs_to_merge(files: &[&OwnFile], merging: Merging) -> Vec<Run> {
    let mut files = files.to_vec();
    files.sort_unstable_by_key(|file| (file.run.first, file.run.last));
    let side_by_side =
        |a: &&OwnFile, b: &&OwnFile| !full(a) && !full(b) && b.run.first <= a.run.last.saturating_add(1);
    files.chunk_by(side_by_side).filter_map(|group| mergeable(group, merging)).collect()
}

fn full(file: &OwnFile) -> bool {
    file.weight >= FULL
}

/// The longest end of a group that is to be merged.
fn mergeable(group: &[&OwnFile], merging: Merging) -> Option<Run> {
    let least = match merging {
        Merging::WhenDue => ENOUGH,
        Merging::Now => 2,
    };
    let mut after: u64 = group.iter().map(|file| file.weight).sum();
    let begin = (0..group.len()).find(|begin| {
        after -= group[*begin].weight;
        group.len() - begin >= least && (merging == Merging::Now || group[*begin].weight <= after)
    })?;
    let last = group[begin..].iter().map(|file| file.run.last).max()?;
    Some(Run { first: group[begin].run.first, last })
}

/// Divides files of one stream into those that are needed and those all of whose records others carry.
///
/// Looked at in one order, longest first, a file may go when those before it carry its run. Of two processes that see
/// different files neither relies on what the other may delete: each file goes in favour of longer ones only, and
/// the longest never goes.
pub fn needed(files: &[OwnFile]) -> (Vec<&OwnFile>, Vec<&OwnFile>) {
    let mut by_length: Vec<&OwnFile> = files.iter().collect();
    by_length.sort_unstable_by(|a, b| (b.run.records(), &a.path).cmp(&(a.run.records(), &b.path)));
    let (mut needed, mut superseded): (Vec<&OwnFile>, Vec<&OwnFile>) = (Vec::new(), Vec::new());
    for file in by_length {
        let carried = needed.iter().map(|file| file.run);
        if missing(carried, file.run).is_empty() { superseded.push(file) } else { needed.push(file) }
    }
    (needed, superseded)
}

/// The parts of a run that none of these runs holds.
pub fn missing(carried: impl IntoIterator<Item = Run>, wanted: Run) -> Vec<Run> {
    let mut carried: Vec<Run> = carried.into_iter().collect();
    carried.sort_unstable();
    let mut missing = Vec::new();
    let mut next = wanted.first;
    for run in carried.iter().take_while(|run| run.first <= wanted.last) {
        if run.first > next {
            missing.push(Run { first: next, last: run.first - 1 });
        }
        let Some(after) = run.last.checked_add(1) else { return missing };
        next = next.max(after);
    }
    if next <= wanted.last {
        missing.push(Run { first: next, last: wanted.last });
    }
    missing
}

#[cfg(test)]
mod tests;
