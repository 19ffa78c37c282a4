//! Gathering what the decision about a share needs to know.

use super::{Marker, StoreId};
use crate::layout::{MARKER, REPLICAS, about_path, folder_of};
use crate::{About, FoundKind, SegmentName, Share, ShareFile, ShareProblem, Take, take};
use memlore_model::ReplicaId;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

const MARKER_BYTES_MOST: usize = 64 * 1024;
const MARKERS_MOST: usize = 64;
/// Of the files that may be ours, or of replicas we know, so many are opened, to find one that is whole.
const TRIES: usize = 16;

/// What is known of a share before it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkerFacts {
    /// Whether the share itself is there.
    pub there: bool,
    /// What its marker and the conflict copies of it say.
    pub markers: Vec<Marker>,
    /// Whether it holds nothing but other programs' bookkeeping and empty folders of replicas.
    pub empty: bool,
    /// Whether it holds anybody's segments; looked for only where there is no marker.
    pub segments: bool,
    /// Whether it holds a segment of ours, found by its content, or what we say of ourselves.
    pub own_files: bool,
    /// Whether it holds a segment of a replica whose records are here, found by its content; looked for only where
    /// somebody named a share without a marker, in which nothing of ours is found.
    pub known_files: bool,
    /// The ids that this store accepts, its own among them; none before it met its first share.
    pub accepted: BTreeSet<StoreId>,
    /// Whether somebody named this share just now, with `--share`.
    pub named: bool,
}

impl MarkerFacts {
    /// Looks into a share. `own` are the replica's ids: its present one and those it had before; `known` are the
    /// replicas whose records are here, looked at only where somebody named the share.
    ///
    /// # Errors
    /// Returns why the share cannot be looked into; that it is not there is a fact, no error.
    pub fn gather(
        share: &dyn Share,
        own: &[ReplicaId],
        known: &BTreeSet<ReplicaId>,
        accepted: &BTreeSet<StoreId>,
        named: bool,
    ) -> Result<Self, ShareProblem> {
        let mut facts =
            Self { there: true, empty: true, accepted: accepted.clone(), named, ..Self::default() };
        let mut markers = Vec::new();
        let listed = share.walk("", 1, &mut |found| {
            facts.empty &= found.path == REPLICAS && found.kind == FoundKind::Folder;
            let file = matches!(found.kind, FoundKind::File { .. });
            if file && may_be_marker(&found.path) && (markers.len() < MARKERS_MOST || found.path == MARKER) {
                markers.push(found.path);
            }
            ControlFlow::Continue(())
        });
        match listed {
            Err(ShareProblem::Missing { .. }) => return Ok(Self { there: false, ..facts }),
            other => other?,
        }
        // A sync program that deletes every file may leave our folders behind.
        facts.empty = facts.empty && holds_folders_only(share)?;
        markers.sort();
        for path in markers {
            let marker = read_marker(share, &path)?;
            // A copy may be anything; only the marker's own place says that a marker is meant.
            if marker != Marker::Unreadable || path == MARKER {
                facts.markers.push(marker);
            }
        }
        facts.own_files =
            own.iter().any(|replica| speaks_of(share, *replica) || holds_segment_of(share, *replica));
        facts.known_files = named
            && !facts.empty
            && !facts.own_files
            && facts.markers.is_empty()
            && holds_segment(share, REPLICAS, 3, &|replica| known.contains(&replica));
        // Where there is a marker nobody needs to know, and a foreign share is looked into no further.
        facts.segments =
            facts.own_files || facts.known_files || (facts.markers.is_empty() && holds_segments(share)?);
        Ok(facts)
    }

    /// The stores that the markers name.
    pub fn stores(&self) -> impl Iterator<Item = StoreId> + '_ {
        self.markers.iter().filter_map(|marker| match marker {
            Marker::Store(store) => Some(*store),
            _ => None,
        })
    }
}

fn read_marker(share: &dyn Share, path: &str) -> Result<Marker, ShareProblem> {
    match share.read(path, MARKER_BYTES_MOST) {
        Ok(bytes) => Ok(Marker::read(&bytes)),
        Err(ShareProblem::Gone { .. }) => Ok(Marker::Unreadable),
        Err(problem) => Err(problem),
    }
}

/// Every sync program keeps the beginning of a name in its conflict copies, and its extension somewhere.
fn may_be_marker(name: &str) -> bool {
    let lower = name.to_lowercase();
    lower.starts_with("memlore") && lower.contains(".json")
}

fn holds_folders_only(share: &dyn Share) -> Result<bool, ShareProblem> {
    let mut only_folders = true;
    share.walk(REPLICAS, 4, &mut |found| {
        only_folders &= found.kind == FoundKind::Folder;
        if only_folders { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(only_folders)
}

fn holds_segments(share: &dyn Share) -> Result<bool, ShareProblem> {
    let mut found_one = false;
    share.walk(REPLICAS, 3, &mut |found| {
        found_one |= file_name(&found.path).parse::<SegmentName>().is_ok();
        if found_one { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })?;
    Ok(found_one)
}

/// Whether a replica that had nothing to publish yet was here.
fn speaks_of(share: &dyn Share, replica: ReplicaId) -> bool {
    let told = share.read(&about_path(replica), MARKER_BYTES_MOST);
    told.is_ok_and(|bytes| About::from_json(&String::from_utf8_lossy(&bytes)).is_some())
}

fn holds_segment_of(share: &dyn Share, replica: ReplicaId) -> bool {
    holds_segment(share, &folder_of(replica), 2, &|other| other == replica)
}

/// Whether a segment of such a replica lies below a folder. Its content says so, since names are changed by others;
/// only those that still have a name of ours are opened first.
fn holds_segment(share: &dyn Share, under: &str, depth: usize, of: &dyn Fn(ReplicaId) -> bool) -> bool {
    let (mut files, mut renamed) = (Vec::new(), Vec::new());
    let listed = share.walk(under, depth, &mut |found| {
        if let FoundKind::File { stamp, remote } = found.kind {
            let name: Option<SegmentName> = file_name(&found.path).parse().ok();
            let among = if name.is_some() { &mut files } else { &mut renamed };
            if among.len() < TRIES {
                among.push(ShareFile { name, replica: None, path: found.path, stamp, remote });
            }
        }
        if files.len() < TRIES { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    let such = |file: &ShareFile| matches!(take(share, file), Take::Taken(segment) if of(segment.replica));
    listed.is_ok() && files.iter().chain(&renamed).any(such)
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_conflict_copy_of_the_marker_is_looked_at() {
        for name in [
            "memlore.json",
            "memlore-LAPTOP7.json",
            "memlore-LAPTOP7-2.json",
            "memlore-laptop7-safeBackup-0001.json",
            "memlore (Ann's conflicted copy 2026-01-02).json",
            "memlore (Case Conflict).json",
            "memlore.sync-conflict-20260102-101010-ABCDEF7.json",
            "memlore (conflicted copy 2026-01-02 101010).json",
            "memlore 2.json",
            "memlore (1).json",
            "memlore.json.conflict1",
            "memlore.json..path1",
            "Memlore.JSON",
        ] {
            assert!(may_be_marker(name), "{name}");
        }
        assert!(!may_be_marker("notes.json"));
    }
}
