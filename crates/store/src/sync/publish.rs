//! Publishing what is ours, and what others would lack without us.

use super::carried::Carried;
use super::enter::trouble_of;
use crate::answer::Synced;
use crate::branch::{Branch, beginning};
use crate::{Error, Result, Store, identity};
use memlore_exchange::{
    About, Effort, Published, Run, Share, ShareProblem, fit, missing, publish, publish_about, publish_kept,
};
use memlore_model::{Record, ReplicaId, Stream};

/// How many records are read into memory at once to be published.
const PUBLISHED_AT_ONCE: u64 = 10_000;

/// What the database says while the share is worked on.
pub(crate) fn reading(error: Error) -> ShareProblem {
    ShareProblem::Read { path: "the database".into(), source: std::io::Error::other(error) }
}

/// Publishes every record of ours that no file in our folder carries, and of our former ids every one that no file
/// carries anywhere.
pub(super) fn publish_missing(
    store: &Store,
    share: &dyn Share,
    carried: &Carried,
    synced: &mut Synced,
) -> std::result::Result<(), ShareProblem> {
    for stream in Stream::ALL {
        let own = Branch { number: store.me.number, written: store.me.id, stream };
        let head = store.db.read(|db| crate::writing::head(db, own.number, stream)).map_err(reading)?;
        let there = carried.of_writer(own);
        for run in missing(there.iter().map(|file| file.run), Run { first: 1, last: head.seq_last }) {
            let read = |run: Run| crate::branch::run(store, own, run.first, run.last);
            publish_run(&read, run, synced, &|records| publish(share, records, Effort::Quick))?;
        }
    }
    for former in store.db.read(identity::former_ids).map_err(reading)? {
        for stream in Stream::ALL {
            let branch = Branch { number: former.number, written: former.written, stream };
            let there = carried.of(store, branch).map_err(reading)?;
            let (first, _) = store.db.read(|db| beginning(db, former.number, stream)).map_err(reading)?;
            let wanted = Run { first, last: former.last(stream) };
            for run in missing(there.iter().map(|file| file.run), wanted) {
                keep(store, share, store.me.id, branch, run, synced)?;
            }
        }
    }
    let about = About {
        device: store.open.device.clone(),
        agent: store.open.agent.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    publish_about(share, store.me.id, &about)
}

/// Publishes records that are not ours to write, or no longer, in the folder where a replica keeps such.
pub(super) fn keep(
    store: &Store,
    share: &dyn Share,
    holder: ReplicaId,
    branch: Branch,
    run: Run,
    synced: &mut Synced,
) -> std::result::Result<(), ShareProblem> {
    keep_read(&|run: Run| crate::branch::run(store, branch, run.first, run.last), share, holder, run, synced)
}

/// The same of records that are read as told: all of a run, or its beginning.
pub(super) fn keep_read(
    read: &dyn Fn(Run) -> Result<Vec<Record>>,
    share: &dyn Share,
    holder: ReplicaId,
    run: Run,
    synced: &mut Synced,
) -> std::result::Result<(), ShareProblem> {
    publish_run(read, run, synced, &|records| publish_kept(share, holder, records, Effort::Quick))
}

/// Publishes a run. A file that is in the way of a part of it is told, and the rest is published all the same.
fn publish_run(
    read: &dyn Fn(Run) -> Result<Vec<Record>>,
    Run { mut first, last }: Run,
    synced: &mut Synced,
    publish: &dyn Fn(&[Record]) -> std::result::Result<Published, ShareProblem>,
) -> std::result::Result<(), ShareProblem> {
    while first <= last {
        let upto = last.min(first + PUBLISHED_AT_ONCE - 1);
        let records = read(Run { first, last: upto }).map_err(reading)?;
        let count = fit(&records);
        if count == 0 {
            return Ok(());
        }
        first += count as u64;
        match publish(&records[..count]) {
            Ok(published) => {
                synced.published_segments += usize::from(!published.already);
                synced.published_records += if published.already { 0 } else { count };
            }
            Err(problem) if problem.is_of_one_file() => {
                synced.share_problem.get_or_insert_with(|| trouble_of(&problem));
            }
            Err(problem) => return Err(problem),
        }
    }
    Ok(())
}
