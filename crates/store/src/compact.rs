//! Keeping our part of the share small: merging our own segments, and deleting what larger ones carry.
//!
//! Which files are merged and which may go is decided by `memlore_exchange`; here they are written, read back, and
//! deleted after a while, so that a reader who has just listed the small ones still finds them.

use crate::answer::Compacted;
use crate::branch::{Branch, run};
use crate::sync::{Carried, CarriedFile, forget, reading};
use crate::{Result, Store};
use memlore_exchange::{
    Effort, Listing, MAX_RUN_BYTES, MAX_SEGMENT_BYTES, Merging, OwnFile, Run, Share, ShareProblem, decode,
    fit, folder_of, needed, publish, runs_to_merge, weight,
};
use memlore_model::{Record, RecordHash, Stream, hashes};
use rusqlite::params;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How long a file of ours stays after larger ones carry all of it: seven days.
pub const GRACE: Duration = Duration::from_secs(7 * 24 * 3_600);
/// The same in microseconds.
pub(crate) const GRACE_US: u64 = GRACE.as_secs() * 1_000_000;
/// The same while our folder has more than [`CROWDED`] files: an hour.
const SHORT_GRACE_US: u64 = 3_600 * 1_000_000;
const CROWDED: usize = 200;

/// How our segments are looked after.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Compacting {
    /// On the way of an exchange: only what is due.
    OnTheWay { grace_us: u64 },
    /// Because somebody asked for it.
    Now { grace_us: u64 },
}

/// Looks after our segments on the way of an exchange; that touches no file unless something is due.
pub(crate) fn tend(
    store: &Store,
    share: &dyn Share,
    carried: &Carried,
    listing: &Listing,
) -> std::result::Result<(), ShareProblem> {
    let folder = format!("{}/", folder_of(store.me.id));
    let files = listing.files.iter().filter(|file| file.path.starts_with(&folder)).count();
    let grace_us = if files > CROWDED { SHORT_GRACE_US } else { GRACE_US };
    compact(store, share, carried, Compacting::OnTheWay { grace_us }, &mut Compacted::default())
}

/// Merges our own segments and deletes those that larger ones have carried for long enough.
pub(crate) fn compact(
    store: &Store,
    share: &dyn Share,
    carried: &Carried,
    how: Compacting,
    compacted: &mut Compacted,
) -> std::result::Result<(), ShareProblem> {
    let (merging, grace_us) = match how {
        Compacting::OnTheWay { grace_us } => (Merging::WhenDue, grace_us),
        Compacting::Now { grace_us } => (Merging::Now, grace_us),
    };
    for stream in Stream::ALL {
        let branch = Branch { number: store.me.number, written: store.me.id, stream };
        let known = carried.of_writer(branch);
        let mut files: Vec<OwnFile> = known.iter().map(|file| file.own_file()).collect();
        let (still_needed, _) = needed(&files);
        let mut written = Vec::new();
        for run in runs_to_merge(&still_needed, merging) {
            let parts =
                still_needed.iter().filter(|file| run.first <= file.run.first && file.run.last <= run.last);
            compacted.merged += parts.count();
            written.extend(write_as_few(store, share, branch, run)?);
        }
        compacted.written += written.len();
        compacted.records += written.iter().map(|file| file.run.records()).sum::<u64>();
        files.extend(written);
        let (still_needed, superseded) = needed(&files);
        compacted.files += still_needed.len() + superseded.len();
        let gone = retire(store, share, &known, &superseded, &still_needed, grace_us)?;
        compacted.files -= gone;
        compacted.deleted += gone;
    }
    Ok(())
}

/// Writes a run of ours into as few files as carry it, and reads each back.
fn write_as_few(
    store: &Store,
    share: &dyn Share,
    branch: Branch,
    Run { mut first, last }: Run,
) -> std::result::Result<Vec<OwnFile>, ShareProblem> {
    let mut written = Vec::new();
    while first <= last {
        let mut records = run(store, branch, first, last).map_err(reading)?;
        records.truncate(fit(&records));
        if records.is_empty() {
            break;
        }
        let weight = weight(&records);
        // What is large will not be written again so soon.
        let effort = if weight >= MAX_RUN_BYTES as u64 / 8 { Effort::Thorough } else { Effort::Quick };
        let published = publish(share, &records, effort)?;
        let run = Run { first, last: first + records.len() as u64 - 1 };
        first = run.last + 1;
        if hashes_in(share, &published.path).is_some_and(|there| carries(&there, &records)) {
            written.push(OwnFile { path: published.path, run, weight });
        }
    }
    Ok(written)
}

fn carries(there: &Hashes, records: &[Record]) -> bool {
    records.iter().zip(hashes(records)).all(|(record, hash)| there.get(&record.name.seq) == Some(&hash))
}

/// The records that a file holds at this moment: their numbers and hashes.
type Hashes = BTreeMap<u64, RecordHash>;

fn hashes_in(share: &dyn Share, path: &str) -> Option<Hashes> {
    let segment = decode(&share.read(path, MAX_SEGMENT_BYTES + 1).ok()?).ok()?;
    Some(segment.records.iter().map(|record| record.name.seq).zip(hashes(&segment.records)).collect())
}

/// Notes since when files are superseded, and deletes those that have been for long enough and of which every record
/// is read back from the others first; returns how many.
pub(crate) fn retire(
    store: &Store,
    share: &dyn Share,
    known: &[&CarriedFile],
    superseded: &[&OwnFile],
    others: &[&OwnFile],
    grace_us: u64,
) -> std::result::Result<usize, ShareProblem> {
    let now_us = (store.open.now)();
    let paths: BTreeSet<&str> = superseded.iter().map(|file| file.path.as_str()).collect();
    note(store, known, &paths, now_us).map_err(reading)?;
    let mut read: BTreeMap<&str, Option<Hashes>> = BTreeMap::new();
    let mut gone = Vec::new();
    for file in known.iter().filter(|file| paths.contains(file.path.as_str())) {
        if now_us.saturating_sub(file.superseded_us.unwrap_or(now_us)) < grace_us {
            continue;
        }
        let Some(records) = hashes_in(share, &file.path) else { continue };
        let carriers: Vec<&str> = others
            .iter()
            .filter(|other| other.run.first <= file.run.last && file.run.first <= other.run.last)
            .map(|other| other.path.as_str())
            .collect();
        for path in &carriers {
            read.entry(path).or_insert_with(|| hashes_in(share, path));
        }
        let read_back = |(seq, hash): (&u64, &RecordHash)| {
            carriers.iter().any(|path| read[path].as_ref().is_some_and(|there| there.get(seq) == Some(hash)))
        };
        if records.iter().all(read_back) {
            share.delete(&file.path)?;
            gone.push(file.path.as_str());
        }
    }
    forget(store, &gone).map_err(reading)?;
    Ok(gone.len())
}

/// Remembers since when files are superseded, and that others are not any more.
///
/// A moment that lies ahead was noted by a clock that was put right since, and counts from now on.
fn note(store: &Store, known: &[&CarriedFile], superseded: &BTreeSet<&str>, now_us: u64) -> Result<()> {
    let changed = known.iter().filter_map(|file| {
        let since =
            superseded.contains(file.path.as_str()).then(|| file.superseded_us.unwrap_or(now_us).min(now_us));
        (since != file.superseded_us).then_some((file.path.as_str(), since))
    });
    let changed: Vec<_> = changed.collect();
    if changed.is_empty() {
        return Ok(());
    }
    let tx = store.db.begin()?;
    let write = || {
        let mut update = tx.prepare_cached("update taken_files set superseded_us = ?2 where path = ?1")?;
        changed.iter().try_for_each(|(path, since)| update.execute(params![path, since]).map(drop))
    };
    write().and_then(|()| tx.commit()).map_err(|error| store.db.trouble(error))
}
