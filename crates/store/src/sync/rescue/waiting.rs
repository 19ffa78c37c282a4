//! Rescuing records that wait: what they follow may come back, with a device that was away or was restored.

use super::{Urgency, yield_to_others};
use crate::answer::Synced;
use crate::receive::waiting_record;
use crate::sync::carried::{Carried, CarriedFile};
use crate::sync::publish::{keep_read, reading};
use crate::{Result, Store};
use memlore_exchange::{MAX_RECORDS, MAX_RUN_BYTES, Run, Share, ShareProblem, missing};
use memlore_model::{Record, RecordHash, ReplicaId, Stream};
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Publishes records that wait here and that no file has carried for a while, as those that stand in their place are.
pub(super) fn rescue(
    store: &Store,
    share: &dyn Share,
    carried: &Carried,
    urgency: Urgency,
    synced: &mut Synced,
) -> std::result::Result<(), ShareProblem> {
    let now_us = (store.open.now)();
    let chains = store.db.read(Chain::all).map_err(reading)?;
    let streams: BTreeSet<_> = chains.iter().map(|chain| (chain.written, chain.stream)).collect();
    for (written, stream) in streams {
        let mut by_end: BTreeMap<RecordHash, Vec<&CarriedFile>> = BTreeMap::new();
        for file in carried.unplaced(written, stream) {
            by_end.entry(file.hash).or_default().push(file);
        }
        for files in by_end.values() {
            yield_to_others(store, share, (written, stream), files)?;
        }
    }
    for chain in &chains {
        let since = chain.lacking_since(carried, now_us);
        note(store, chain, &since).map_err(reading)?;
        let is_due = |index: &usize| since[*index].is_some_and(|since_us| urgency.is_due(since_us, now_us));
        let mut from = 0;
        while from < since.len() {
            let count = (from..since.len()).take_while(is_due).count();
            if count > 0 {
                let run = Run { first: chain.records[from].seq, last: chain.records[from + count - 1].seq };
                keep_read(&|run| chain.read(store, run), share, store.me.id, run, synced)?;
            }
            from += count.max(1);
        }
    }
    Ok(())
}

/// Records of one stream that wait, each following the one before.
#[derive(Debug)]
struct Chain {
    written: ReplicaId,
    stream: Stream,
    records: Vec<Waiting>,
}

/// A record that waits, without its content.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    seq: u64,
    hash: RecordHash,
    /// Since which listing no file carries it.
    lacking_us: Option<u64>,
}

impl Chain {
    fn all(db: &Connection) -> rusqlite::Result<Vec<Self>> {
        let mut query = db.prepare_cached(
            "select replica, stream, seq, hash, previous, lacking_us from waiting order by replica, stream, seq",
        )?;
        let mut rows = query.query([])?;
        let mut chains: Vec<Self> = Vec::new();
        // Where each chain ends at the moment.
        let mut ends: HashMap<RecordHash, usize> = HashMap::new();
        while let Some(row) = rows.next()? {
            let Some(stream) = Stream::from_number(row.get(1)?) else { continue };
            let written = ReplicaId(row.get(0)?);
            let hash = RecordHash(row.get(3)?);
            let waiting = Waiting { seq: row.get(2)?, hash, lacking_us: row.get(5)? };
            // Where two follow one record, the second begins a chain of its own.
            let chain = ends.remove(&RecordHash(row.get(4)?)).unwrap_or_else(|| {
                chains.push(Self { written, stream, records: Vec::new() });
                chains.len() - 1
            });
            chains[chain].records.push(waiting);
            ends.insert(hash, chain);
        }
        Ok(chains)
    }

    /// Where a record of this number stands in the chain.
    fn index(&self, seq: u64) -> Option<usize> {
        self.records.binary_search_by_key(&seq, |waiting| waiting.seq).ok()
    }

    /// Since which listing no file carries each record; a moment that lies ahead counts from now on.
    fn lacking_since(&self, carried: &Carried, now_us: u64) -> Vec<Option<u64>> {
        let (first, last) = (self.records[0].seq, self.records[self.records.len() - 1].seq);
        let there = carried.unplaced(self.written, self.stream).filter(|file| {
            self.index(file.run.last).is_some_and(|index| self.records[index].hash == file.hash)
        });
        let lacking = missing(there.map(|file| file.run), Run { first, last });
        let since = |waiting: &Waiting| {
            let lacks = lacking.iter().any(|run| (run.first..=run.last).contains(&waiting.seq));
            lacks.then(|| waiting.lacking_us.unwrap_or(now_us).min(now_us))
        };
        self.records.iter().map(since).collect()
    }

    /// Reads a run of the chain: all of it, or as much as one segment can carry and one more.
    fn read(&self, store: &Store, run: Run) -> Result<Vec<Record>> {
        let (Some(first), Some(last)) = (self.index(run.first), self.index(run.last)) else {
            return Ok(Vec::new());
        };
        store.db.read(|db| {
            let (mut records, mut bytes) = (Vec::new(), 0);
            for waiting in &self.records[first..=last] {
                let record = waiting_record(db, waiting.hash.0)?;
                bytes += record.payload.bytes().map_or(0, <[u8]>::len);
                records.push(record);
                if bytes > MAX_RUN_BYTES || records.len() > MAX_RECORDS {
                    break;
                }
            }
            Ok(records)
        })
    }
}

/// Writes down since when records are lacking, where that changed.
fn note(store: &Store, chain: &Chain, since: &[Option<u64>]) -> Result<()> {
    let changed = chain.records.iter().zip(since).filter(|(waiting, since)| waiting.lacking_us != **since);
    let changed: Vec<(&Waiting, &Option<u64>)> = changed.collect();
    if changed.is_empty() {
        return Ok(());
    }
    let tx = store.db.begin()?;
    let write = || {
        let mut update = tx.prepare_cached("update waiting set lacking_us = ?2 where hash = ?1")?;
        changed
            .iter()
            .try_for_each(|(waiting, since)| update.execute(params![waiting.hash.0, since]).map(drop))
    };
    write().and_then(|()| tx.commit()).map_err(|error| store.db.trouble(error))
}
