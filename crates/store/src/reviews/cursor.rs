//! How far conversations were read: cursors, and the answers that were applied.

use crate::writing::Writing;
use crate::{Error, Result, Store};
use memlore_model::Kind;
use memlore_model::review::Cursor;
use rusqlite::{Connection, OptionalExtension as _, params};

/// The longest key of a conversation, in bytes.
const MOST_KEY_BYTES: usize = 1024;

/// Tells how far a conversation was read here, after setting it when that was asked for.
pub(crate) fn cursor(store: &Store, conversation: &str, reset: Option<u64>) -> Result<Option<u64>> {
    check_key(store, conversation)?;
    let Some(through) = reset else {
        return store.db.read(|db| of(db, store.me.number, conversation));
    };
    let mut writing = Writing::begin(store)?;
    set(&mut writing, conversation, through, true)?;
    // Whoever sets it back wants the lines read again, with whatever comes of it.
    writing.read(|tx| tx.execute("delete from review_answers where conversation = ?1", [conversation]))?;
    writing.commit()?;
    Ok(Some(through))
}

/// Refuses what can be no conversation's key.
pub(super) fn check_key(store: &Store, conversation: &str) -> Result<()> {
    if conversation.trim().is_empty() || conversation.len() > MOST_KEY_BYTES {
        return Err(Error::Usage(format!("a conversation's key has 1 to {MOST_KEY_BYTES} bytes")));
    }
    store.check_secret(conversation)
}

/// How far this replica, under whatever id, read a conversation. Nobody follows another's.
pub(super) fn of(db: &Connection, own: i64, conversation: &str) -> rusqlite::Result<Option<u64>> {
    db.prepare_cached(
        "select through from cursors c where conversation = ?1 and (replica = ?2 or exists
            (select 1 from own_ids o where o.replica = c.replica and c.seq <= o.memory_last))
         order by at_us desc, at_logical desc limit 1",
    )?
    .query_row(params![conversation, own], |row| row.get(0))
    .optional()
}

/// Sets a conversation's cursor, by a record.
pub(super) fn set(writing: &mut Writing<'_>, conversation: &str, through: u64, reset: bool) -> Result<()> {
    if through > i64::MAX as u64 {
        return Err(Error::Usage(format!("no conversation has {through} lines")));
    }
    let cursor = Cursor {
        conversation: conversation.to_owned(),
        through,
        at: writing.tick(),
        by: writing.store.open.agent.clone(),
        device: writing.store.open.device.clone(),
        reset,
    };
    writing.append_other(Kind::CURSOR, cursor.to_json().into_bytes()).map(drop)
}

/// Projects a cursor's record into its table.
pub(crate) fn project(db: &Connection, replica: i64, seq: u64, cursor: &Cursor) -> rusqlite::Result<()> {
    db.prepare_cached(
        "insert or replace into cursors (replica, seq, conversation, through, at_us, at_logical)
         values (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        replica,
        seq,
        cursor.conversation,
        cursor.through,
        cursor.at.us,
        cursor.at.logical as i64
    ])?;
    Ok(())
}

/// Projects the cursors of all records.
pub(crate) fn project_all(from: &Connection, to: &Connection) -> rusqlite::Result<()> {
    let mut query =
        from.prepare("select replica, seq, payload from records where kind = ?1 and payload is not null")?;
    let mut rows = query.query([Kind::CURSOR.0])?;
    while let Some(row) = rows.next()? {
        let payload: Vec<u8> = row.get(2)?;
        if let Some(cursor) = Cursor::from_json(&payload) {
            project(to, row.get(0)?, row.get(1)?, &cursor)?;
        }
    }
    Ok(())
}

/// Whether an answer was applied before, and then whether its lines were to be read again.
pub(super) fn applied_before(db: &Connection, digest: [u8; 32]) -> rusqlite::Result<Option<bool>> {
    db.prepare_cached("select again from review_answers where digest = ?1")?
        .query_row([digest], |row| row.get(0))
        .optional()
}

/// How many answers were applied since the cursor came where it is.
pub(super) fn passes(db: &Connection, conversation: &str, cursor: Option<u64>) -> rusqlite::Result<u64> {
    db.prepare_cached("select count(*) from review_answers where conversation = ?1 and since is ?2")?
        .query_row(params![conversation, cursor], |row| row.get(0))
}

/// Remembers that an answer was applied; `since` is where the cursor was.
pub(super) fn remember(
    db: &Connection,
    digest: [u8; 32],
    conversation: &str,
    since: Option<u64>,
    again: bool,
) -> rusqlite::Result<()> {
    db.prepare_cached(
        "insert or replace into review_answers (digest, conversation, since, again) values (?1, ?2, ?3, ?4)",
    )?
    .execute(params![digest, conversation, since, again])?;
    Ok(())
}
