//! Parting from a copy of ourselves that wrote under our id too.
//!
//! A state that was restored from a backup, or cloned unnoticed, may write records under numbers that its other self
//! has used already. Whoever finds the other's records in the share gives way: it takes a new id, moves what it
//! wrote since they parted to that id, and takes the other's records in. The entries keep their ids, so whoever
//! meets both sees each entry once.

use crate::receive::{hash_at, payload_of};
use crate::writing::{Head, Writing, head, save_head};
use crate::{Result, care, identity, sessions};
use memlore_model::{ChangeHash, Kind, Put, Record, RecordHash, Stream, change};
use rusqlite::{Connection, OptionalExtension as _, params};

/// A stream of ours, under the id it was written with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnStream {
    pub(crate) number: i64,
    pub(crate) stream: Stream,
}

/// The first of these records that contradicts what we wrote ourselves at its number.
pub(crate) fn first_contradiction(
    writing: &Writing<'_>,
    own: OwnStream,
    records: &[Record],
) -> Result<Option<u64>> {
    let ours = writing.read(|tx| ours_last(tx, writing.own, own))?;
    for record in records.iter().take_while(|record| record.name.seq <= ours) {
        let known = writing.read(|tx| hash_at(tx, own.number, own.stream, record.name.seq))?;
        if known.is_some_and(|known| known != record.hash()) {
            return Ok(Some(record.name.seq));
        }
    }
    Ok(None)
}

/// How far a stream is ours.
fn ours_last(db: &Connection, own_number: i64, own: OwnStream) -> rusqlite::Result<u64> {
    if own.number == own_number {
        return head(db, own.number, own.stream).map(|head| head.seq_last);
    }
    let column = match own.stream {
        Stream::Memory => "memory_last",
        Stream::Sessions => "sessions_last",
    };
    db.query_row(&format!("select {column} from own_ids where replica = ?1"), [own.number], |row| row.get(0))
        .optional()
        .map(Option::unwrap_or_default)
}

/// Moves what we wrote from `first` on to a new id, and makes room for the other's records.
pub(crate) fn part(writing: &mut Writing<'_>, own: OwnStream, first: u64) -> Result<()> {
    let tail: Vec<(Kind, Option<Vec<u8>>)> = writing.read(|tx| {
        tx.prepare(
            "select kind, payload from records where replica = ?1 and stream = ?2 and seq >= ?3 order by seq",
        )?
        .query_map(params![own.number, own.stream.number(), first], |row| {
            Ok((Kind(row.get(0)?), payload_of(row.get(1)?, None).bytes().map(<[u8]>::to_vec)))
        })?
        .collect()
    })?;
    writing.keep_heads()?;
    if own.number == writing.own {
        writing.read(|tx| identity::mint(tx, &writing.store.open))?;
        let me = writing.read(|tx| identity::me(tx))?;
        writing.go_on_as(me)?;
    }
    writing.read(|tx| {
        writing.shelf.forget_books();
        cut(tx, own, first)?;
        care::rebuild_within(tx)?;
        sessions::rebuild_within(tx)
    })?;
    for (kind, payload) in tail {
        let Some(payload) = payload else { continue };
        match (own.stream, kind) {
            (Stream::Memory, Kind::CHANGE) => move_change(writing, &payload)?,
            (Stream::Memory, kind) => writing.append_other(kind, payload).map(drop)?,
            (Stream::Sessions, kind) => writing.append_session(kind, payload).map(drop)?,
        }
    }
    writing.keep_heads()?;
    writing.read(|tx| sessions::rebuild_within(tx))
}

/// Makes the same puts again in a change of the new id.
fn move_change(writing: &mut Writing<'_>, payload: &[u8]) -> Result<()> {
    let Ok(change) = change::read(payload) else { return Ok(()) };
    if change.puts.is_empty() {
        return Ok(());
    }
    let removed = change.puts.iter().filter_map(|put| match put {
        Put::Remove(id, _) => Some(*id),
        Put::Add(..) => None,
    });
    let (dependencies, start_op) = writing.causes(removed, change.puts.len())?;
    writing.append_change(start_op, dependencies, &change.puts).map(drop)
}

/// Ends a stream before a record: what came from there on is gone, and was read before.
fn cut(db: &Connection, own: OwnStream, first: u64) -> rusqlite::Result<()> {
    let stream = own.stream.number();
    db.execute(
        "delete from records where replica = ?1 and stream = ?2 and seq >= ?3",
        params![own.number, stream, first],
    )?;
    let last = first - 1;
    let hash = hash_at(db, own.number, own.stream, last)?.unwrap_or(RecordHash::NONE);
    let change_seq = db.query_row(
        "select count(*) from records where replica = ?1 and stream = ?2 and kind = ?3",
        params![own.number, stream, Kind::CHANGE.0],
        |row| row.get(0),
    )?;
    let change: Option<([u8; 32], u64)> = db
        .query_row(
            "select change_hash, max_op from records
             where replica = ?1 and stream = ?2 and change_hash is not null order by seq desc limit 1",
            params![own.number, stream],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let head = Head {
        seq_last: last,
        hash,
        change_seq,
        change_hash: change.map(|(hash, _)| ChangeHash(hash)),
        max_op: change.map_or(0, |(_, max_op)| max_op),
    };
    save_head(db, own.number, own.stream, &head)?;
    let column = match own.stream {
        Stream::Memory => "memory_last",
        Stream::Sessions => "sessions_last",
    };
    db.execute(
        &format!("update own_ids set {column} = min({column}, ?2) where replica = ?1"),
        params![own.number, last],
    )?;
    // What waited because it contradicted ours may follow now.
    db.execute("update waiting set why = 'gap' where why = 'fork' and stream = ?1", [stream])?;
    Ok(())
}
