//! Taking in records that other replicas wrote.

mod told;

use crate::branch::{Branch, family, find, payload_of};
use crate::reviews;
use crate::sessions::{self, Place, Projector};
use crate::set::{self, Origin};
use crate::split::{self, Split};
use crate::writing::{Head, Writing, head, insert_record, replica_number, save_head};
use crate::{Result, care};
use memlore_model::change::ReadChange;
use memlore_model::review::Cursor;
use memlore_model::{Kind, Payload, Put, Record, RecordHash, RecordName, ReplicaId, Stream, hashes};
use rusqlite::{Connection, params};
use told::{Told, read_ahead};

/// After so many records it is told how far taking them in has come.
const TOLD_EVERY: usize = 1_000;

/// What became of a run of records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Received {
    /// Records that are new here and in their place.
    pub(crate) records: usize,
    /// Records that wait for others.
    pub(crate) waiting: usize,
    /// Whether the records are of our own stream, and we did not write them: we were restored or cloned.
    pub(crate) ahead_of_us: bool,
    /// Whether the records contradict ours, so that we go on under a new id.
    pub(crate) parted: bool,
}

/// Takes in a run of one stream's records, and those that had waited for them: as a segment gives them, each with the
/// true hash of the one before.
///
/// A record stands where its predecessor is, in whatever branch of the stream; one whose predecessor is not here waits.
///
/// `on_the_way` is told now and then how many were looked at.
pub(crate) fn receive(
    writing: &mut Writing<'_>,
    records: &[Record],
    on_the_way: &dyn Fn(usize),
) -> Result<Received> {
    let Some(first) = records.first() else { return Ok(Received::default()) };
    let (written, stream) = (first.name.replica, first.name.stream);
    let (root, family) = writing.read(|tx| Ok((replica_number(tx, written)?, family(tx, written)?)))?;
    let mut receiving = Receiving {
        written,
        stream,
        root,
        family,
        tip: writing.read(|tx| Tip::read(tx, root, stream))?,
        received: Received::default(),
        entries: set::Projector::default(),
        messages: Projector::default(),
        split: false,
    };
    // What is here already is not read again.
    let new = receiving.tip.is_followed_by(first);
    let mut hashes = hashes(records).enumerate();
    let mut take = |record, told| {
        let (index, hash) = hashes.next().expect("every record has a hash");
        if index % TOLD_EVERY == 0 {
            on_the_way(index);
        }
        receiving.take(writing, record, hash, told)
    };
    match new {
        true => read_ahead(records, take)?,
        false => records.iter().try_for_each(|record| take(record, None))?,
    }
    if receiving.received.records > 0 {
        receiving.take_waiting(writing)?;
    }
    receiving.finish(writing)
}

/// A stream that records are taken into, and the branch at which the last one was put.
struct Receiving {
    written: ReplicaId,
    stream: Stream,
    /// The number of the id itself.
    root: i64,
    /// Its number, and those of its branches.
    family: Vec<i64>,
    tip: Tip,
    received: Received,
    entries: set::Projector,
    messages: Projector,
    /// Whether records stand under another number than before.
    split: bool,
}

/// The end of a branch.
struct Tip {
    number: i64,
    id: ReplicaId,
    head: Head,
    /// Whether several branches go on from here, and nothing else does.
    forked: bool,
    /// Whether the head is not written down yet.
    grown: bool,
}

impl Tip {
    fn read(db: &Connection, number: i64, stream: Stream) -> rusqlite::Result<Self> {
        let id = db
            .prepare_cached("select id from replicas where num = ?1")?
            .query_row([number], |row| row.get(0).map(ReplicaId))?;
        let forked = split::is_forked(db, number, stream)?;
        Ok(Self { number, id, head: head(db, number, stream)?, forked, grown: false })
    }

    fn is_followed_by(&self, record: &Record) -> bool {
        !self.forked && record.name.seq == self.head.seq_last + 1 && record.previous == self.head.hash
    }
}

/// Where a record belongs.
enum Spot {
    /// Here, where the tip is now.
    Tip,
    /// It is there already.
    Known,
    /// Nowhere yet: what it follows is not here.
    Nowhere,
}

impl Receiving {
    fn take(
        &mut self,
        writing: &mut Writing<'_>,
        record: &Record,
        hash: RecordHash,
        told: Option<Told>,
    ) -> Result<()> {
        match self.go_where_it_belongs(writing, record, hash)? {
            Spot::Tip => self.append(writing, record, hash, told.unwrap_or_else(|| Told::by(record))),
            Spot::Known => Ok(()),
            Spot::Nowhere => {
                self.received.waiting += 1;
                // Whatever came before it: we did not write it, and under our id nobody else does.
                self.received.ahead_of_us |= self.family.contains(&writing.own);
                writing.read(|tx| wait(tx, record, hash))
            }
        }
    }

    /// Moves the tip to where a record can be appended; forks a branch where that is what the record does.
    fn go_where_it_belongs(
        &mut self,
        writing: &mut Writing<'_>,
        record: &Record,
        hash: RecordHash,
    ) -> Result<Spot> {
        if self.tip.is_followed_by(record) {
            return Ok(Spot::Tip);
        }
        self.write_down(writing)?;
        let (stream, seq, family) = (self.stream, record.name.seq, &self.family);
        if writing.read(|tx| find(tx, family, stream, seq, |known| known == hash))?.is_some() {
            return Ok(Spot::Known);
        }
        let parent = match seq {
            1 => (record.previous == RecordHash::NONE).then_some(self.root),
            _ => writing.read(|tx| find(tx, family, stream, seq - 1, |known| known == record.previous))?,
        };
        let Some(parent) = parent else { return Ok(Spot::Nowhere) };
        self.tip = writing.read(|tx| Tip::read(tx, parent, stream))?;
        if self.tip.is_followed_by(record) {
            return Ok(Spot::Tip);
        }
        let branch = Branch { number: parent, written: self.written, stream };
        if self.tip.head.seq_last >= seq {
            let Split { number, parted } = split::split(writing, branch, seq)?;
            self.family.push(number);
            self.split = true;
            self.received.parted |= parted;
        }
        let number = writing.read(|tx| split::begin(tx, branch, record, hash))?;
        self.family.push(number);
        self.tip = writing.read(|tx| Tip::read(tx, number, stream))?;
        Ok(Spot::Tip)
    }

    /// Takes in what had waited: in the order of their numbers, so that one pass is enough.
    fn take_waiting(&mut self, writing: &mut Writing<'_>) -> Result<()> {
        let waiting: Vec<[u8; 32]> = writing.read(|tx| {
            tx.prepare_cached("select hash from waiting where replica = ?1 and stream = ?2 order by seq")?
                .query_map(params![self.written.0, self.stream.number()], |row| row.get(0))?
                .collect()
        })?;
        for hash in waiting {
            let record = writing.read(|tx| waiting_record(tx, hash))?;
            match self.go_where_it_belongs(writing, &record, RecordHash(hash))? {
                Spot::Nowhere => continue,
                Spot::Known => {}
                Spot::Tip => self.append(writing, &record, RecordHash(hash), Told::by(&record))?,
            }
            writing.read(|tx| tx.execute("delete from waiting where hash = ?1", [hash]))?;
        }
        Ok(())
    }

    fn write_down(&mut self, writing: &Writing<'_>) -> Result<()> {
        if std::mem::take(&mut self.tip.grown) {
            writing.read(|tx| save_head(tx, self.tip.number, self.stream, &self.tip.head))?;
        }
        Ok(())
    }

    fn finish(mut self, writing: &mut Writing<'_>) -> Result<Received> {
        self.write_down(writing)?;
        writing.read(|tx| self.entries.finish(tx).and_then(|()| self.messages.finish(tx)))?;
        if self.split {
            writing.read(|tx| {
                care::rebuild_within(tx)?;
                sessions::rebuild_within(tx)
            })?;
            writing.shelf.forget_books();
        }
        if self.received.records > 0 {
            let now_us = writing.now_us;
            writing.read(|tx| {
                tx.execute("update replicas set last_seen_us = ?2 where num = ?1", params![self.root, now_us])
            })?;
        }
        if self.received.ahead_of_us {
            writing.reload_heads()?;
        }
        Ok(self.received)
    }

    /// Appends the next record of the branch and projects it.
    fn append(
        &mut self,
        writing: &mut Writing<'_>,
        record: &Record,
        hash: RecordHash,
        told: Told,
    ) -> Result<()> {
        let (change, told) = match told {
            Told::Change(change) => (Some(change).filter(|change| self.is_projectable(change)), None),
            Told::Session(told) => (None, Some(told)),
            Told::Other => (None, None),
        };
        let applied = change.is_some()
            || told.is_some()
            || writing.read(|tx| apply_other(tx, self.tip.number, record))?;
        let named = change.as_ref().map(|change| (change.hash, change.max_op));
        let number = writing.read(|tx| insert_record(tx, self.tip.number, record, hash, named, applied))?;
        writing.stored(number);
        if let Some(change) = change {
            self.tip.head.change_hash = Some(change.hash);
            self.tip.head.max_op = change.max_op;
            for put in &change.puts {
                let stamp = match put {
                    Put::Add(_, entry) => entry.written,
                    Put::Remove(_, tombstone) => tombstone.at,
                };
                writing.observe(stamp);
            }
            let origin = Origin {
                record: number,
                own_number: self.tip.number,
                replica: self.tip.id,
                seq: record.name.seq,
            };
            writing.read(|tx| self.entries.project(tx, origin, &change.puts))?;
            writing.shelf.forget_books();
        }
        if let Some(told) = told {
            let place = Place {
                clock: told.clock().unwrap_or_default(),
                replica: self.tip.id,
                number: self.tip.number,
                seq: record.name.seq,
            };
            writing.observe(place.clock);
            writing.read(|tx| self.messages.project(tx, place, number, &told))?;
        }
        // A change that cannot be read still has its number in the chain: the next one counts on.
        self.tip.head.change_seq += u64::from(record.kind == Kind::CHANGE);
        self.tip.head.seq_last = record.name.seq;
        self.tip.head.hash = hash;
        self.received.records += 1;
        self.received.ahead_of_us |= self.tip.number == writing.own;
        self.tip.grown = true;
        Ok(())
    }

    /// Whether a change may be projected: it is its writer's own, the next, and lies above its chain. Anything else
    /// is kept and forwarded.
    fn is_projectable(&self, change: &ReadChange) -> bool {
        let own = change.actor == self.written;
        let next = change.seq == self.tip.head.change_seq + 1;
        let above = change.start_op > self.tip.head.max_op;
        own && next && above
    }
}

/// Applies a record that is no change; returns whether this version knows its kind.
fn apply_other(db: &Connection, replica: i64, record: &Record) -> rusqlite::Result<bool> {
    match (record.name.stream, record.kind, record.payload.bytes()) {
        (Stream::Memory, Kind::CONFLICT_COPY, Some(hash)) => {
            db.prepare_cached("insert or ignore into conflict_copies (hash) values (?1)")?.execute([hash])?;
            Ok(true)
        }
        (Stream::Memory, Kind::CURSOR, Some(payload)) => {
            let cursor = Cursor::from_json(payload);
            cursor.map_or(Ok(false), |cursor| {
                reviews::project_cursor(db, replica, record.name.seq, &cursor).map(|()| true)
            })
        }
        _ => Ok(false),
    }
}

fn wait(db: &Connection, record: &Record, hash: RecordHash) -> rusqlite::Result<()> {
    let erased = match &record.payload {
        Payload::Present(_) => None,
        Payload::Erased(digest) => Some(digest),
    };
    db.prepare_cached(
        "insert or ignore into waiting (hash, replica, stream, seq, previous, kind, payload, erased)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        hash.0,
        record.name.replica.0,
        record.name.stream.number(),
        record.name.seq,
        record.previous.0,
        record.kind.0,
        record.payload.bytes(),
        erased
    ])?;
    Ok(())
}

pub(crate) fn waiting_record(db: &Connection, hash: [u8; 32]) -> rusqlite::Result<Record> {
    db.prepare_cached(
        "select replica, stream, seq, previous, kind, payload, erased from waiting where hash = ?1",
    )?
    .query_row([hash], |row| {
        Ok(Record {
            name: RecordName {
                replica: ReplicaId(row.get(0)?),
                stream: Stream::from_number(row.get(1)?).unwrap_or(Stream::Memory),
                seq: row.get(2)?,
            },
            previous: RecordHash(row.get(3)?),
            kind: Kind(row.get(4)?),
            payload: payload_of(row.get(5)?, row.get(6)?),
        })
    })
}
