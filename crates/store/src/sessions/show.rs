//! A conversation's messages, in the order in which they are shown.

mod order;
mod tools;

use super::project::SessionRecord;
use super::session::Session;
use crate::answer::ShownMessage;
use crate::{Error, Result, Store};
use memlore_model::message::{Hidden, MessageRecord};
use memlore_model::{Kind, ReplicaId};
use rusqlite::Connection;
use std::collections::BTreeSet;

/// How many bytes of texts are in memory at once.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// Hands over the messages of a conversation, the last `last` of them or all; one is in memory at a time.
pub(crate) fn show(
    store: &Store,
    name: &str,
    last: Option<usize>,
    with: &mut dyn FnMut(ShownMessage) -> std::io::Result<()>,
) -> Result<()> {
    let nothing = || Error::NothingMatched { what: name.to_owned() };
    let session = store.db.read(|db| Session::find(db, name))?.ok_or_else(nothing)?;
    let numbers = store.db.read(|db| order::order(db, session.number, last))?;
    for number in numbers {
        let shown = store.db.read(|db| read(db, number))?;
        let Some(shown) = shown else { continue };
        with(shown).map_err(|source| Error::File {
            what: "write the messages to",
            path: "the output".into(),
            source,
        })?;
    }
    Ok(())
}

/// Reads one message; nothing when its payload was erased.
pub(crate) fn read(db: &Connection, number: i64) -> rusqlite::Result<Option<ShownMessage>> {
    let (flush_us, hidden, copies, record) = db
        .prepare_cached("select flush_us, hidden, copies, record from messages where num = ?1")?
        .query_row([number], |row| {
            Ok((row.get(0)?, Hidden::from_number(row.get(1)?), row.get::<_, i64>(2)?, row.get(3)?))
        })?;
    let Some((told, replica)) = record_of(db, record)? else { return Ok(None) };
    let mut fields = owned(&told);
    if copies > 0 {
        add_what_lacks(db, number, &mut fields)?;
    }
    let device = if told.device.is_empty() { replica.to_string() } else { told.device };
    Ok(Some(ShownMessage { session: told.session, flush_us, device, by: told.by, hidden, fields }))
}

fn owned(told: &MessageRecord) -> Vec<(String, String)> {
    told.message.fields().into_iter().map(|(name, value)| (name, value.get().to_owned())).collect()
}

fn record_of(db: &Connection, record: i64) -> rusqlite::Result<Option<(MessageRecord, ReplicaId)>> {
    let (payload, replica): (Option<Vec<u8>>, [u8; 16]) = db
        .prepare_cached(
            "select payload, id from records join replicas on replicas.num = replica where records.num = ?1",
        )?
        .query_row([record], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let told = payload.and_then(|payload| SessionRecord::of(Kind::MESSAGE, &payload));
    Ok(match told {
        Some(SessionRecord::Message(message)) => Some((message, ReplicaId(replica))),
        _ => None,
    })
}

/// Adds the fields that the first record of a message lacks, from its other records, in their order.
fn add_what_lacks(db: &Connection, message: i64, fields: &mut Vec<(String, String)>) -> rusqlite::Result<()> {
    let records: Vec<i64> = db
        .prepare_cached("select record from message_copies where message = ?1")?
        .query_map([message], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let mut others = Vec::new();
    for record in records {
        let seq: u64 = db
            .prepare_cached("select seq from records where num = ?1")?
            .query_row([record], |row| row.get(0))?;
        if let Some((told, replica)) = record_of(db, record)? {
            others.push(((told.clock, replica, seq), told));
        }
    }
    others.sort_unstable_by_key(|(place, _)| *place);
    let mut known: BTreeSet<String> = fields.iter().map(|(name, _)| name.clone()).collect();
    for (_, told) in others {
        for (name, value) in owned(&told) {
            if known.insert(name.clone()) {
                fields.push((name, value));
            }
        }
    }
    Ok(())
}

/// Makes texts of the messages after a number, each with its number; one whose payload was erased has none.
pub(crate) fn texts_after(
    db: &Connection,
    after: i64,
    most: usize,
    text: fn(&[(String, String)]) -> String,
) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut query = db.prepare_cached(
        "select m.num, r.payload from messages m join records r on r.num = m.record
         where m.num > ?1 order by m.num limit ?2",
    )?;
    let mut rows = query.query(rusqlite::params![after, i64::try_from(most).unwrap_or(i64::MAX)])?;
    let mut texts = Vec::new();
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let payload: Option<Vec<u8>> = row.get(1)?;
        let told = payload.and_then(|payload| MessageRecord::from_payload(&payload));
        let made = told.map(|told| text(&owned(&told))).unwrap_or_default();
        bytes += made.len();
        texts.push((row.get(0)?, made));
        if bytes > MOST_BYTES {
            break;
        }
    }
    Ok(texts)
}
