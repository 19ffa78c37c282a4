//! Rescuing records that nobody else's file carries any more: a lost replica's, or those of an emptied share.

mod waiting;

use super::carried::{Carried, CarriedFile};
use super::publish::{keep, reading};
use crate::answer::Synced;
use crate::branch::{Branch, branches};
use crate::compact::{GRACE_US, retire};
use crate::{Result, Store, identity};
use memlore_exchange::{OwnFile, Run, Share, ShareProblem, kept_folder, missing, needed};
use memlore_model::{ReplicaId, Stream};
use rusqlite::{Connection, params};

/// How long nobody's file may lack records before they are rescued: seven days.
const PATIENCE_US: u64 = 7 * 24 * 3_600 * 1_000_000;

/// How long is waited for a file that may only be on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Urgency {
    /// Somebody named the share, and stands there.
    AtOnce,
    /// Seven days, and two listings.
    AfterAWhile,
}

impl Urgency {
    fn is_due(self, since_us: u64, now_us: u64) -> bool {
        self == Self::AtOnce || now_us.saturating_sub(since_us) >= PATIENCE_US
    }
}

/// Publishes others' records that we hold and no file has carried for a while, and takes back what we keep for others
/// once somebody nearer carries it.
pub(super) fn rescue(
    store: &Store,
    share: &dyn Share,
    carried: &Carried,
    urgency: Urgency,
    synced: &mut Synced,
) -> std::result::Result<(), ShareProblem> {
    let now_us = (store.open.now)();
    let mut lacking = Vec::new();
    let former = store.db.read(identity::former_ids).map_err(reading)?;
    for (branch, mut held) in store.db.read(branches).map_err(reading)? {
        yield_to_others(store, share, (branch.written, branch.stream), &carried.ending_in(branch))?;
        // A listing that was cut says nothing of what it lacks. Our own records are published as ours.
        if !carried.whole || branch.number == store.me.number {
            continue;
        }
        if let Some(ours) = former.iter().find(|former| former.number == branch.number) {
            // So are those of our former ids, as far as they are ours.
            held.first = held.first.max(ours.last(branch.stream) + 1);
        }
        let files = carried.of(store, branch).map_err(reading)?;
        for run in missing(files.iter().map(|file| file.run), held) {
            lacking.push((branch, run));
        }
    }
    if !carried.whole {
        return Ok(());
    }
    let known = store.db.read(Lacking::all).map_err(reading)?;
    let lacking: Vec<Lacking> =
        lacking.into_iter().flat_map(|(branch, run)| Lacking::since(&known, branch, run, now_us)).collect();
    if lacking != known {
        remember(store, &lacking).map_err(reading)?;
    }
    let is_due = |lacking: &Lacking| urgency.is_due(lacking.since_us, now_us);
    let (due, rest): (Vec<Lacking>, Vec<Lacking>) = lacking.into_iter().partition(is_due);
    for Lacking { branch, run, .. } in &due {
        keep(store, share, store.me.id, *branch, *run, synced)?;
    }
    if !due.is_empty() {
        remember(store, &rest).map_err(reading)?;
    }
    waiting::rescue(store, share, carried, urgency, synced)
}

/// Retires files that we keep for others where the writer's own, or those of a holder with a smaller id, carry the
/// same: of several holders one keeps its file. The files are of one stream, and end in one branch of it.
fn yield_to_others(
    store: &Store,
    share: &dyn Share,
    (written, stream): (ReplicaId, Stream),
    files: &[&CarriedFile],
) -> std::result::Result<(), ShareProblem> {
    let ours = format!("{}/", kept_folder(store.me.id));
    let kept: Vec<&CarriedFile> = files.iter().copied().filter(|file| file.path.starts_with(&ours)).collect();
    if kept.is_empty() {
        return Ok(());
    }
    let is_nearer = |file: &&&CarriedFile| {
        let holder = file.path.split('/').nth(1).and_then(|folder| folder.parse::<ReplicaId>().ok());
        let smaller =
            holder.is_some_and(|holder| holder < store.me.id) && file.path.split('/').nth(2) == Some("x");
        smaller || file.is_the_writers(written, stream)
    };
    let nearer: Vec<OwnFile> = files.iter().filter(is_nearer).map(|file| file.own_file()).collect();
    let (gone, rest): (Vec<OwnFile>, Vec<OwnFile>) = kept
        .iter()
        .map(|file| file.own_file())
        .partition(|file| missing(nearer.iter().map(|near| near.run), file.run).is_empty());
    let (still_needed, doubled) = needed(&rest);
    let superseded: Vec<&OwnFile> = gone.iter().chain(doubled).collect();
    let others: Vec<&OwnFile> = nearer.iter().chain(still_needed).collect();
    retire(store, share, &kept, &superseded, &others, GRACE_US).map(drop)
}

/// Records that no file of the share carries, since some listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lacking {
    branch: Branch,
    run: Run,
    since_us: u64,
}

impl Lacking {
    fn all(db: &Connection) -> rusqlite::Result<Vec<Self>> {
        db.prepare_cached(
            "select l.replica, coalesce(p.written, p.id), l.stream, l.first, l.last, l.since_us
             from lacking l join replicas p on p.num = l.replica order by l.replica, l.stream, l.first",
        )?
        .query_map([], |row| {
            let stream = Stream::from_number(row.get(2)?).unwrap_or(Stream::Memory);
            Ok(Self {
                branch: Branch { number: row.get(0)?, written: ReplicaId(row.get(1)?), stream },
                run: Run { first: row.get(3)?, last: row.get(4)? },
                since_us: row.get(5)?,
            })
        })?
        .collect()
    }

    /// A run that is lacking now, in parts by since when each was: what was lacking in the listing before stays so.
    ///
    /// A moment that lies ahead was noted by a clock that was put right since, and counts from now on.
    fn since(known: &[Self], branch: Branch, run: Run, now_us: u64) -> Vec<Self> {
        let before = known.iter().filter(|known| known.branch == branch);
        let mut parts: Vec<Self> = before
            .filter_map(|known| {
                let common =
                    Run { first: known.run.first.max(run.first), last: known.run.last.min(run.last) };
                let since_us = known.since_us.min(now_us);
                (common.records() > 0).then_some(Self { run: common, since_us, ..*known })
            })
            .collect();
        let new = missing(parts.iter().map(|part| part.run), run);
        parts.extend(new.into_iter().map(|run| Self { branch, run, since_us: now_us }));
        parts.sort_unstable_by_key(|part| part.run);
        parts
    }
}

fn remember(store: &Store, lacking: &[Lacking]) -> Result<()> {
    let tx = store.db.begin()?;
    let write = || {
        tx.execute("delete from lacking", [])?;
        let mut insert = tx.prepare_cached(
            "insert into lacking (replica, stream, first, last, since_us) values (?1, ?2, ?3, ?4, ?5)",
        )?;
        lacking.iter().try_for_each(|Lacking { branch, run, since_us }| {
            let stream = branch.stream.number();
            insert.execute(params![branch.number, stream, run.first, run.last, since_us]).map(drop)
        })
    };
    write().and_then(|()| tx.commit()).map_err(|error| store.db.trouble(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_carried_in_between_is_lacking_anew() {
        let branch = Branch { number: 7, written: ReplicaId([7; 16]), stream: Stream::Memory };
        let run = |first, last| Run { first, last };
        let lacking = |run, since_us| Lacking { branch, run, since_us };
        let first = Lacking::since(&[], branch, run(1, 9), 100);
        assert_eq!(first, [lacking(run(1, 9), 100)]);
        let second = Lacking::since(&first, branch, run(4, 12), 200);
        assert_eq!(second, [lacking(run(4, 9), 100), lacking(run(10, 12), 200)]);
        let other = Branch { number: 8, ..branch };
        assert_eq!(Lacking::since(&second, other, run(5, 5), 300)[0].since_us, 300);
    }

    #[test]
    fn what_a_clock_noted_that_was_ahead_is_lacking_from_now_on() {
        let branch = Branch { number: 7, written: ReplicaId([7; 16]), stream: Stream::Memory };
        let ahead = Lacking { branch, run: Run { first: 1, last: 9 }, since_us: 9_000 };
        assert_eq!(Lacking::since(&[ahead], branch, ahead.run, 100), [Lacking { since_us: 100, ..ahead }]);
    }
}
