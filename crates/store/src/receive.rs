//! Taking in records that other replicas wrote.

use crate::parting::{self, OwnStream};
use crate::reviews;
use crate::sessions::{Place, Projector, SessionRecord};
use crate::set::{self, Origin};
use crate::writing::{Head, Writing, head, insert_record, replica_number, save_head};
use crate::{Result, Store};
use memlore_exchange::{MAX_RECORDS, MAX_RUN_BYTES, Run};
use memlore_model::review::Cursor;
use memlore_model::{
    ChangeHash, Kind, Payload, Put, Record, RecordHash, RecordName, ReplicaId, Stream, change,
};
use rusqlite::{Connection, OptionalExtension as _, params};

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

/// Takes in a run of one stream's records, in order, and those that had waited for them: as a segment gives them, each
/// with the true hash of the one before.
///
/// A record whose predecessor is not here waits; so does one that contradicts a record we have.
pub(crate) fn receive(writing: &mut Writing<'_>, records: &[Record]) -> Result<Received> {
    let Some(first) = records.first() else { return Ok(Received::default()) };
    let (replica, stream) = (first.name.replica, first.name.stream);
    let number = writing.read(|tx| replica_number(tx, replica))?;
    let mut parted = false;
    if number == writing.own || writing.read(|tx| writing.store.owns(tx, number))? {
        let own = OwnStream { number, stream };
        if let Some(first) = parting::first_contradiction(writing, own, records)? {
            parting::part(writing, own, first)?;
            parted = true;
        }
    }
    let mut stream = Incoming {
        number,
        replica,
        stream,
        head: writing.read(|tx| head(tx, number, stream))?,
        received: Received::default(),
        entries: set::Projector::default(),
        messages: Projector::default(),
    };
    for (index, record) in records.iter().enumerate() {
        // Reading the run hashed each of its records but the last, to say what the next one follows.
        let next = records.get(index + 1).filter(|next| next.name.seq == record.name.seq + 1);
        let hash = next.map_or_else(|| record.hash(), |next| next.previous);
        stream.take(writing, record, hash)?;
    }
    while let Some(record) = writing.read(|tx| next_waiting(tx, &stream))? {
        let hash = record.hash();
        stream.append(writing, &record, hash)?;
        writing.read(|tx| tx.execute("delete from waiting where hash = ?1", [hash.0]))?;
    }
    writing.read(|tx| stream.entries.finish(tx).and_then(|()| stream.messages.finish(tx)))?;
    if stream.received.records > 0 {
        writing.read(|tx| save_head(tx, number, stream.stream, &stream.head))?;
        let now_us = writing.now_us;
        writing.read(|tx| {
            tx.execute("update replicas set last_seen_us = ?2 where num = ?1", params![number, now_us])
        })?;
        if number == writing.own {
            stream.received.ahead_of_us = true;
            writing.reload_heads()?;
        }
    }
    stream.received.parted = parted;
    Ok(stream.received)
}

struct Incoming {
    number: i64,
    replica: ReplicaId,
    stream: Stream,
    head: Head,
    received: Received,
    entries: set::Projector,
    messages: Projector,
}

impl Incoming {
    fn take(&mut self, writing: &mut Writing<'_>, record: &Record, hash: RecordHash) -> Result<()> {
        let seq = record.name.seq;
        if seq == self.head.seq_last + 1 && record.previous == self.head.hash {
            return self.append(writing, record, hash);
        }
        let known = seq <= self.head.seq_last
            && writing.read(|tx| hash_at(tx, self.number, self.stream, seq))? == Some(hash);
        if !known {
            let why = if seq <= self.head.seq_last { "fork" } else { "gap" };
            writing.read(|tx| wait(tx, record, hash, why))?;
            self.received.waiting += 1;
        }
        Ok(())
    }

    /// Appends the next record of the stream and projects it.
    fn append(&mut self, writing: &mut Writing<'_>, record: &Record, hash: RecordHash) -> Result<()> {
        let change = (record.kind == Kind::CHANGE && self.stream == Stream::Memory)
            .then(|| self.projectable(record))
            .flatten();
        let told = match record.name.stream {
            Stream::Sessions => SessionRecord::read(record),
            Stream::Memory => None,
        };
        let applied =
            change.is_some() || told.is_some() || writing.read(|tx| apply_other(tx, self.number, record))?;
        let named = change.as_ref().map(|change| (change.hash, change.max_op));
        let number = writing.read(|tx| insert_record(tx, self.number, record, hash, named, applied))?;
        if let Some(change) = change {
            self.head.change_hash = Some(change.hash);
            self.head.max_op = change.max_op;
            for put in &change.puts {
                let stamp = match put {
                    Put::Add(_, entry) => entry.written,
                    Put::Remove(_, tombstone) => tombstone.at,
                };
                writing.observe(stamp);
            }
            let origin = Origin {
                record: number,
                own_number: self.number,
                replica: self.replica,
                seq: record.name.seq,
            };
            writing.read(|tx| self.entries.project(tx, origin, &change.puts))?;
            writing.shelf.forget_books();
        }
        if let Some(told) = told {
            let place = Place {
                clock: told.clock().unwrap_or_default(),
                replica: self.replica,
                number: self.number,
                seq: record.name.seq,
            };
            writing.observe(place.clock);
            writing.read(|tx| self.messages.project(tx, place, number, &told))?;
        }
        // A change that cannot be read still has its number in the chain: the next one counts on.
        self.head.change_seq += u64::from(record.kind == Kind::CHANGE);
        self.head.seq_last = record.name.seq;
        self.head.hash = hash;
        self.received.records += 1;
        Ok(())
    }

    /// The change in a record, when it may be projected: it is its writer's own, the next, and lies above its
    /// chain. Anything else is kept and forwarded.
    fn projectable(&self, record: &Record) -> Option<Projectable> {
        let change = change::read(record.payload.bytes()?).ok()?;
        let own = change.actor == self.replica;
        let next = change.seq == self.head.change_seq + 1;
        let above = change.start_op > self.head.max_op;
        (own && next && above).then(|| Projectable {
            hash: change.hash,
            max_op: change.max_op,
            puts: change.puts,
        })
    }
}

struct Projectable {
    hash: ChangeHash,
    max_op: u64,
    puts: Vec<Put>,
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

/// The hash of the record at a place.
pub(crate) fn hash_at(
    db: &Connection,
    replica: i64,
    stream: Stream,
    seq: u64,
) -> rusqlite::Result<Option<RecordHash>> {
    db.prepare_cached("select hash from records where replica = ?1 and stream = ?2 and seq = ?3")?
        .query_row(params![replica, stream.number(), seq], |row| row.get(0).map(RecordHash))
        .optional()
}

fn wait(db: &Connection, record: &Record, hash: RecordHash, why: &str) -> rusqlite::Result<()> {
    let erased = match &record.payload {
        Payload::Present(_) => None,
        Payload::Erased(digest) => Some(digest),
    };
    db.prepare_cached(
        "insert or ignore into waiting (hash, replica, stream, seq, previous, kind, payload, erased, why)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        hash.0,
        record.name.replica.0,
        record.name.stream.number(),
        record.name.seq,
        record.previous.0,
        record.kind.0,
        record.payload.bytes(),
        erased,
        why
    ])?;
    Ok(())
}

fn next_waiting(db: &Connection, stream: &Incoming) -> rusqlite::Result<Option<Record>> {
    db.prepare_cached(
        "select kind, payload, erased from waiting
         where replica = ?1 and stream = ?2 and seq = ?3 and previous = ?4",
    )?
    .query_row(
        params![stream.replica.0, stream.stream.number(), stream.head.seq_last + 1, stream.head.hash.0],
        |row| {
            Ok(Record {
                name: RecordName {
                    replica: stream.replica,
                    stream: stream.stream,
                    seq: stream.head.seq_last + 1,
                },
                previous: stream.head.hash,
                kind: Kind(row.get(0)?),
                payload: payload_of(row.get(1)?, row.get(2)?),
            })
        },
    )
    .optional()
}

/// A payload from the two columns it is stored in.
pub(crate) fn payload_of(bytes: Option<Vec<u8>>, erased: Option<[u8; 32]>) -> Payload {
    match (bytes, erased) {
        (Some(bytes), _) => Payload::Present(bytes),
        (None, erased) => Payload::Erased(erased.unwrap_or_default()),
    }
}

/// One line of records: those of a stream under one number of the tables, and the id written in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    pub(crate) number: i64,
    pub(crate) written: ReplicaId,
    pub(crate) stream: Stream,
}

/// Every branch of which there are records here, and which.
pub(crate) fn branches(db: &Connection) -> rusqlite::Result<Vec<(Branch, Run)>> {
    db.prepare_cached(
        "select s.replica, coalesce(p.written, p.id), s.stream, s.seq,
             (select min(r.seq) from records r where r.replica = s.replica and r.stream = s.stream)
         from streams s join replicas p on p.num = s.replica order by s.replica, s.stream",
    )?
    .query_map([], |row| {
        let Some(stream) = Stream::from_number(row.get(2)?) else { return Ok(None) };
        let Some(first) = row.get(4)? else { return Ok(None) };
        let branch = Branch { number: row.get(0)?, written: ReplicaId(row.get(1)?), stream };
        Ok(Some((branch, Run { first, last: row.get(3)? })))
    })?
    .filter_map(rusqlite::Result::transpose)
    .collect()
}

/// Reads a run of a branch's records: as many as were asked for, or as one segment can carry and one more.
pub(crate) fn run(store: &Store, branch: Branch, first: u64, last: u64) -> Result<Vec<Record>> {
    let Branch { number, written, stream } = branch;
    store.db.read(|db| {
        let mut previous = match first {
            0 | 1 => RecordHash::NONE,
            _ => hash_at(db, number, stream, first - 1)?.unwrap_or_default(),
        };
        let mut query = db.prepare_cached(
            "select seq, kind, payload, erased, hash from records
             where replica = ?1 and stream = ?2 and seq between ?3 and ?4 order by seq",
        )?;
        let mut rows = query.query(params![number, stream.number(), first, last])?;
        let (mut records, mut bytes) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let name = RecordName { replica: written, stream, seq: row.get(0)? };
            let payload = payload_of(row.get(2)?, row.get(3)?);
            let record = Record { name, previous, kind: Kind(row.get(1)?), payload };
            previous = RecordHash(row.get(4)?);
            bytes += record.payload.bytes().map_or(0, <[u8]>::len);
            records.push(record);
            if bytes > MAX_RUN_BYTES || records.len() > MAX_RECORDS {
                break;
            }
        }
        Ok(records)
    })
}
