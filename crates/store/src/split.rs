//! Splitting a branch, where a record came that contradicts one of it.

use crate::branch::{Branch, beginning, hash_at, lineage};
use crate::writing::{Head, Writing, head, replica_number, save_head};
use crate::{Result, identity};
use memlore_model::{ChangeHash, Kind, Record, RecordHash, ReplicaId, Stream};
use rusqlite::{Connection, OptionalExtension as _, params};

/// A branch was split.
pub(crate) struct Split {
    /// The number under which its end stands now.
    pub(crate) number: i64,
    /// Whether it was our own, so that we go on under a new id.
    pub(crate) parted: bool,
}

/// Whether several branches go on from the end of this one.
pub(crate) fn is_forked(db: &Connection, number: i64, stream: Stream) -> rusqlite::Result<bool> {
    let forked = db
        .prepare_cached("select forked from streams where replica = ?1 and stream = ?2")?
        .query_row(params![number, stream.number()], |row| row.get(0))
        .optional()?;
    Ok(forked.unwrap_or(false))
}

/// Ends a branch before a record: what follows from there on becomes a branch of its own.
///
/// A branch that we wrote ourselves stays ours on both sides. When we still write to it, somebody else does too, so a
/// new id is minted. The caller projects everything again.
pub(crate) fn split(writing: &mut Writing<'_>, branch: Branch, seq: u64) -> Result<Split> {
    let parted = branch.number == writing.own;
    if parted {
        writing.keep_heads()?;
        writing.read(|tx| identity::mint(tx, &writing.store.open))?;
        let me = writing.read(|tx| identity::me(tx))?;
        writing.go_on_as(me)?;
    }
    let number = writing.read(|tx| {
        let first = hash_at(tx, branch.number, branch.stream, seq)?.unwrap_or_default();
        let end = number_of(tx, branch.written, first)?;
        move_records(tx, branch, seq, end)?;
        share_ownership(tx, branch, seq, end)?;
        Ok(end)
    })?;
    Ok(Split { number, parted })
}

/// Begins a further branch at the end of one that was split before; returns its number.
pub(crate) fn begin(
    db: &Connection,
    parent: Branch,
    first: &Record,
    hash: RecordHash,
) -> rusqlite::Result<i64> {
    let number = number_of(db, parent.written, hash)?;
    save_head(db, number, parent.stream, &head(db, parent.number, parent.stream)?)?;
    begin_at(db, Branch { number, ..parent }, first.name.seq, first.previous)?;
    Ok(number)
}

/// The number of the branch whose first own record has this hash.
fn number_of(db: &Connection, written: ReplicaId, first: RecordHash) -> rusqlite::Result<i64> {
    let number = replica_number(db, ReplicaId::of_branch(written, &first))?;
    db.execute("update replicas set written = ?2 where num = ?1", params![number, written.0])?;
    Ok(number)
}

fn begin_at(db: &Connection, branch: Branch, seq: u64, follows: RecordHash) -> rusqlite::Result<()> {
    db.execute(
        "update streams set begins = ?3, follows = ?4 where replica = ?1 and stream = ?2",
        params![branch.number, branch.stream.number(), seq, follows.0],
    )?;
    Ok(())
}

fn move_records(db: &Connection, from: Branch, seq: u64, to: i64) -> rusqlite::Result<()> {
    let stream = from.stream.number();
    let end = head(db, from.number, from.stream)?;
    let before = head_before(db, from, seq, &end)?;
    save_head(db, to, from.stream, &end)?;
    begin_at(db, Branch { number: to, ..from }, seq, before.hash)?;
    let forked = is_forked(db, from.number, from.stream)?;
    let mark = "update streams set forked = ?3 where replica = ?1 and stream = ?2";
    db.execute(mark, params![to, stream, forked])?;
    save_head(db, from.number, from.stream, &before)?;
    db.execute(mark, params![from.number, stream, true])?;
    db.execute(
        "update records set replica = ?4 where replica = ?1 and stream = ?2 and seq >= ?3",
        params![from.number, stream, seq, to],
    )?;
    Ok(())
}

/// The end that a branch has before a record of it.
fn head_before(db: &Connection, branch: Branch, seq: u64, end: &Head) -> rusqlite::Result<Head> {
    let stream = branch.stream.number();
    let changes_after: u64 = db.query_row(
        "select count(*) from records where replica = ?1 and stream = ?2 and seq >= ?3 and kind = ?4",
        params![branch.number, stream, seq, Kind::CHANGE.0],
        |row| row.get(0),
    )?;
    let mut change: Option<([u8; 32], u64)> = None;
    for number in lineage(db, branch.number, branch.stream)? {
        change = db
            .query_row(
                "select change_hash, max_op from records
                 where replica = ?1 and stream = ?2 and seq < ?3 and change_hash is not null
                 order by seq desc limit 1",
                params![number, stream, seq],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        if change.is_some() {
            break;
        }
    }
    let hash = match hash_at(db, branch.number, branch.stream, seq - 1)? {
        Some(hash) => hash,
        None => beginning(db, branch.number, branch.stream)?.1,
    };
    Ok(Head {
        seq_last: seq - 1,
        hash,
        change_seq: end.change_seq.saturating_sub(changes_after),
        change_hash: change.map(|(hash, _)| ChangeHash(hash)),
        max_op: change.map_or(0, |(_, max_op)| max_op),
    })
}

/// What was ours of a branch is ours on both sides of where it was split.
fn share_ownership(db: &Connection, branch: Branch, seq: u64, end: i64) -> rusqlite::Result<()> {
    let column = match branch.stream {
        Stream::Memory => "memory_last",
        Stream::Sessions => "sessions_last",
    };
    let ours: Option<u64> = db
        .query_row(&format!("select {column} from own_ids where replica = ?1"), [branch.number], |row| {
            row.get(0)
        })
        .optional()?;
    let Some(ours) = ours.filter(|last| *last >= seq) else { return Ok(()) };
    db.execute(
        "insert or ignore into own_ids (replica, memory_last, sessions_last) values (?1, 0, 0)",
        [end],
    )?;
    db.execute(&format!("update own_ids set {column} = ?2 where replica = ?1"), params![end, ours])?;
    db.execute(
        &format!("update own_ids set {column} = ?2 where replica = ?1"),
        params![branch.number, seq - 1],
    )?;
    Ok(())
}
