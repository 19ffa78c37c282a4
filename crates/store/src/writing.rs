//! One write transaction: the replica's clock, the heads of its streams, and what is appended to them.

use crate::shelf::Shelf;
use crate::{Error, Result, Store, books, reviews, set};
use memlore_model::change::{self, LAST_OP};
use memlore_model::review::Cursor;
use memlore_model::{
    BookName, ChangeHash, Clock, EntryId, Kind, NextChange, Payload, Position, Put, Record, RecordHash,
    RecordName, ReplicaId, Stamp, Stream,
};
use rusqlite::types::ValueRef;
use rusqlite::{OptionalExtension as _, Row, Transaction, params};
use std::cell::Cell;
use std::collections::BTreeMap;

/// The end of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Head {
    pub(crate) seq_last: u64,
    pub(crate) hash: RecordHash,
    /// How many records of the stream are changes.
    pub(crate) change_seq: u64,
    pub(crate) change_hash: Option<ChangeHash>,
    pub(crate) max_op: u64,
}

/// A write transaction under way.
///
/// Nothing is stored before [`Self::commit`]; dropping it rolls everything back.
pub(crate) struct Writing<'a> {
    pub(crate) tx: Transaction<'a>,
    pub(crate) store: &'a Store,
    pub(crate) now_us: u64,
    /// The replica's number in the tables.
    pub(crate) own: i64,
    /// The replica's id.
    pub(crate) id: ReplicaId,
    clock: Clock,
    /// The end of our memory stream.
    pub(crate) head: Head,
    /// What was read of the tables and is still true.
    pub(crate) shelf: Shelf,
    generation: u64,
    /// Whether nobody will be told the warnings of this transaction, because what was asked for is refused.
    pub(crate) unheard: bool,
    appended: bool,
    /// The number of the last record of all, once it is known.
    last_record: Cell<Option<i64>>,
    /// The end of our sessions stream, once something was appended to it.
    sessions_head: Option<Head>,
}

impl<'a> Writing<'a> {
    /// Begins a transaction.
    pub(crate) fn begin(store: &'a Store) -> Result<Self> {
        let tx = store.db.begin()?;
        let now_us = (store.open.now)().min(memlore_model::LAST_US);
        let (own, id, clock, generation, head) = tx
            .prepare_cached(
                "select seq, hash, change_seq, change_hash, max_op, own, id, clock_us, clock_logical, generation
                 from replica join replicas on num = own
                 left join streams on streams.replica = own and stream = ?1 where one = 1",
            )
            .and_then(|mut query| {
                query.query_row([Stream::Memory.number()], |row| {
                    let clock = Stamp { us: row.get(7)?, logical: row.get(8)? };
                    let head = match row.get_ref(0)? {
                        ValueRef::Null => Head::default(),
                        _ => head_of(row)?,
                    };
                    Ok((row.get(5)?, ReplicaId(row.get(6)?), Clock::after(clock), row.get(9)?, head))
                })
            })
            .map_err(|error| store.db.trouble(error))?;
        Ok(Self {
            tx,
            store,
            now_us,
            own,
            id,
            clock,
            head,
            shelf: store.shelf.take(generation),
            generation,
            unheard: false,
            appended: false,
            last_record: Cell::new(None),
            sessions_head: None,
        })
    }

    /// Reads the ends of our streams again, after somebody else's copy of one was taken in.
    pub(crate) fn reload_heads(&mut self) -> Result<()> {
        self.head = self.read(|tx| head(tx, self.own, Stream::Memory))?;
        self.sessions_head = None;
        Ok(())
    }

    /// A new instant of the replica's clock.
    pub(crate) fn tick(&mut self) -> Stamp {
        self.clock.tick(self.now_us)
    }

    /// Takes note of somebody else's clock.
    pub(crate) fn observe(&mut self, stamp: Stamp) {
        self.clock.observe(stamp, self.now_us);
    }

    /// Random bits for an entry's id.
    pub(crate) fn nonce(&self) -> u32 {
        let mut bytes = [0; 4];
        (self.store.open.random)(&mut bytes);
        u32::from_le_bytes(bytes)
    }

    /// The number that the first operation of a change gets which depends on changes up to `max_op`.
    pub(crate) fn next_op(&self, max_op: u64) -> u64 {
        self.head.max_op.max(max_op) + 1
    }

    /// What a change depends on that removes these entries: of each other replica the latest change that added one
    /// of them. And the number that its first operation gets.
    pub(crate) fn causes(
        &self,
        removed: impl Iterator<Item = EntryId>,
        operations: usize,
    ) -> Result<(Vec<ChangeHash>, u64)> {
        let mut latest: BTreeMap<i64, (u64, ChangeHash)> = BTreeMap::new();
        let mut max_op = 0;
        for id in removed {
            let Some(added) = self.read(|tx| added_by(tx, id))? else { continue };
            if added.replica != self.own {
                max_op = max_op.max(added.max_op);
                let known = latest.entry(added.replica).or_insert((added.seq, added.hash));
                *known = (*known).max((added.seq, added.hash));
            }
        }
        let start_op = self.next_op(max_op);
        // Somebody's numbers near the end would take away our right to remove what they added. A removal that
        // does not name its cause removes all the same.
        if start_op + operations as u64 > LAST_OP {
            return Ok((Vec::new(), self.next_op(0)));
        }
        Ok((latest.into_values().map(|(_, hash)| hash).collect(), start_op))
    }

    /// Goes on under the replica's new id, after one was minted inside this transaction.
    pub(crate) fn go_on_as(&mut self, me: crate::identity::Me) -> Result<()> {
        (self.own, self.id, self.appended) = (me.number, me.id, false);
        self.reload_heads()
    }

    /// Appends a change that makes these puts and projects it; returns its record's number.
    pub(crate) fn append_change(
        &mut self,
        start_op: u64,
        mut dependencies: Vec<ChangeHash>,
        puts: &[Put],
    ) -> Result<i64> {
        dependencies.extend(self.head.change_hash);
        let next = NextChange { actor: self.id, seq: self.head.change_seq + 1, start_op, dependencies };
        let built = change::build(&next, puts).map_err(|error| {
            Error::Refused(format!("no change can be written: {error} (limit {LAST_OP})"))
        })?;
        let appended =
            Appended { kind: Kind::CHANGE, payload: built.bytes, change: Some((built.hash, built.max_op)) };
        let record = self.append(Stream::Memory, appended)?;
        let origin = set::Origin { record, own_number: self.own, replica: self.id, seq: self.head.seq_last };
        set::project(&self.tx, origin, puts).map_err(|error| self.store.db.trouble(error))?;
        self.shelf.follow(puts, (self.own, self.id));
        Ok(record)
    }

    /// Appends a record that is no change to the memory stream, and projects a cursor; returns the record's number.
    pub(crate) fn append_other(&mut self, kind: Kind, payload: Vec<u8>) -> Result<i64> {
        let cursor = (kind == Kind::CURSOR).then(|| Cursor::from_json(&payload)).flatten();
        let record = self.append(Stream::Memory, Appended { kind, payload, change: None })?;
        if let Some(cursor) = cursor {
            self.read(|tx| reviews::project_cursor(tx, self.own, self.head.seq_last, &cursor))?;
        }
        Ok(record)
    }

    /// Appends a record to the sessions stream; returns the record's number and its place in the stream.
    pub(crate) fn append_session(&mut self, kind: Kind, payload: Vec<u8>) -> Result<(i64, u64)> {
        let record = self.append(Stream::Sessions, Appended { kind, payload, change: None })?;
        Ok((record, self.sessions_head.map_or(0, |head| head.seq_last)))
    }

    fn append(&mut self, stream: Stream, appended: Appended) -> Result<i64> {
        let mut head = match (stream, self.sessions_head) {
            (Stream::Memory, _) => self.head,
            (Stream::Sessions, Some(head)) => head,
            (Stream::Sessions, None) => self.read(|tx| head(tx, self.own, stream))?,
        };
        let record = Record {
            name: RecordName { replica: self.id, stream, seq: head.seq_last + 1 },
            previous: head.hash,
            kind: appended.kind,
            payload: Payload::Present(appended.payload),
        };
        let hash = record.hash();
        let number = insert_record(&self.tx, self.own, &record, hash, appended.change, true)
            .map_err(|error| self.store.db.trouble(error))?;
        self.last_record.set(Some(number));
        head.seq_last += 1;
        head.hash = hash;
        if let Some((change_hash, max_op)) = appended.change {
            head.change_seq += 1;
            head.change_hash = Some(change_hash);
            head.max_op = max_op;
        }
        match stream {
            Stream::Memory => {
                self.head = head;
                self.appended = true;
            }
            Stream::Sessions => self.sessions_head = Some(head),
        }
        Ok(number)
    }

    /// Writes the ends of our streams down, inside the transaction.
    pub(crate) fn keep_heads(&self) -> Result<()> {
        self.read(|tx| {
            if self.appended {
                save_head(tx, self.own, Stream::Memory, &self.head)?;
            }
            match &self.sessions_head {
                Some(head) => save_head(tx, self.own, Stream::Sessions, head),
                None => Ok(()),
            }
        })
    }

    /// Makes everything durable.
    pub(crate) fn commit(self) -> Result<()> {
        self.keep_heads()?;
        let write = || {
            let clock = self.clock.last();
            self.tx
                .prepare_cached(
                    "update replica set clock_us = ?1, clock_logical = ?2, generation = generation + 1",
                )?
                .execute(params![clock.us, clock.logical as i64])
        };
        write().map_err(|error| self.store.db.trouble(error))?;
        let Self { store, tx, shelf, generation, .. } = self;
        tx.commit().map_err(|error| store.db.trouble(error))?;
        store.shelf.put(generation + 1, shelf);
        Ok(())
    }

    /// The place after the last live entry of a book.
    pub(crate) fn next_position(&self, book: &BookName) -> Result<Position> {
        match self.shelf.last_position(book) {
            Some(last) => Ok(Position::after(Some(&last))),
            None => self.read(|tx| books::next_position(tx, book)),
        }
    }

    /// The number of the last record there is, whoever wrote it.
    pub(crate) fn last_record(&self) -> Result<i64> {
        if let Some(number) = self.last_record.get() {
            return Ok(number);
        }
        let number = self.read(|tx| {
            tx.prepare_cached("select ifnull(max(num), 0) from records")?.query_row([], |row| row.get(0))
        })?;
        self.last_record.set(Some(number));
        Ok(number)
    }

    /// Takes note of a record that was stored without being appended here.
    pub(crate) fn stored(&self, number: i64) {
        self.last_record.set(Some(number));
    }

    /// Runs a query inside the transaction.
    pub(crate) fn read<T>(&self, query: impl FnOnce(&Transaction<'a>) -> rusqlite::Result<T>) -> Result<T> {
        query(&self.tx).map_err(|error| self.store.db.trouble(error))
    }
}

struct Appended {
    kind: Kind,
    payload: Vec<u8>,
    change: Option<(ChangeHash, u64)>,
}

/// The end of a replica's stream, as it is here.
pub(crate) fn head(db: &rusqlite::Connection, replica: i64, stream: Stream) -> rusqlite::Result<Head> {
    let found = db
        .prepare_cached(
            "select seq, hash, change_seq, change_hash, max_op from streams where replica = ?1 and stream = ?2",
        )?
        .query_row(params![replica, stream.number()], head_of)
        .optional()?;
    Ok(found.unwrap_or_default())
}

/// Reads the end of a stream from the first columns of a row.
fn head_of(row: &Row<'_>) -> rusqlite::Result<Head> {
    let change_hash: Option<[u8; 32]> = row.get(3)?;
    Ok(Head {
        seq_last: row.get(0)?,
        hash: RecordHash(row.get(1)?),
        change_seq: row.get(2)?,
        change_hash: change_hash.map(ChangeHash),
        max_op: row.get(4)?,
    })
}

/// Remembers the end of a replica's stream.
pub(crate) fn save_head(
    db: &rusqlite::Connection,
    replica: i64,
    stream: Stream,
    head: &Head,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "insert into streams (replica, stream, seq, hash, change_seq, change_hash, max_op)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7)
         on conflict do update set seq = ?3, hash = ?4, change_seq = ?5, change_hash = ?6, max_op = ?7",
    )?
    .execute(params![
        replica,
        stream.number(),
        head.seq_last,
        head.hash.0,
        head.change_seq,
        head.change_hash.map(|hash| hash.0),
        head.max_op
    ])?;
    Ok(())
}

/// Stores a record; `change` is what automerge calls it and its last operation, when it is one that counts.
pub(crate) fn insert_record(
    db: &rusqlite::Connection,
    replica: i64,
    record: &Record,
    hash: RecordHash,
    change: Option<(ChangeHash, u64)>,
    applied: bool,
) -> rusqlite::Result<i64> {
    let erased = match &record.payload {
        Payload::Present(_) => None,
        Payload::Erased(digest) => Some(digest),
    };
    db.prepare_cached(
        "insert into records (replica, stream, seq, kind, hash, payload, erased, change_hash, max_op, applied)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .insert(params![
        replica,
        record.name.stream.number(),
        record.name.seq,
        record.kind.0,
        hash.0,
        record.payload.bytes(),
        erased,
        change.map(|(hash, _)| hash.0),
        change.map(|(_, max_op)| max_op),
        applied
    ])
}

/// The number of a replica in the tables; one is made when it is new.
pub(crate) fn replica_number(db: &rusqlite::Connection, id: ReplicaId) -> rusqlite::Result<i64> {
    let found = db
        .prepare_cached("select num from replicas where id = ?1")?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    match found {
        Some(number) => Ok(number),
        None => db.prepare_cached("insert into replicas (id) values (?1)")?.insert([id.0]),
    }
}

/// The adding change of an entry, which a removal depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AddedBy {
    pub(crate) replica: i64,
    pub(crate) seq: u64,
    pub(crate) hash: ChangeHash,
    pub(crate) max_op: u64,
}

/// Finds the change that added an entry.
pub(crate) fn added_by(db: &rusqlite::Connection, id: EntryId) -> rusqlite::Result<Option<AddedBy>> {
    db.prepare_cached(
        "select r.replica, r.seq, r.change_hash, r.max_op from entries e join records r on r.num = e.record
         where e.id = ?1 and r.change_hash is not null",
    )?
    .query_row([id.to_bytes()], |row| {
        Ok(AddedBy {
            replica: row.get(0)?,
            seq: row.get(1)?,
            hash: ChangeHash(row.get(2)?),
            max_op: row.get(3)?,
        })
    })
    .optional()
}
