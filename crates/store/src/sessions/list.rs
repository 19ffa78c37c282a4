//! The conversations that are here.

use super::recover::count_pending;
use crate::answer::{SessionReport, SessionsReport};
use crate::{Result, Store};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::BTreeMap;

/// Lists conversations, the one with the newest message first.
pub(crate) fn list(store: &Store) -> Result<Vec<SessionReport>> {
    store.db.read(|db| {
        let sessions: Vec<(i64, String, u64)> = db
            .prepare(
                "select num, name, shown from sessions
                 order by clock_us desc, clock_logical desc, name",
            )?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect::<rusqlite::Result<_>>()?;
        sessions
            .into_iter()
            .map(|(number, session, messages)| report(db, number, session, messages))
            .collect()
    })
}

fn report(db: &Connection, number: i64, session: String, messages: u64) -> rusqlite::Result<SessionReport> {
    let end = |descending: &str| {
        db.prepare_cached(&format!(
            "select flush_us from messages join replicas on replicas.num = replica
             where session = ?1 and hidden <= 1 and merged = 0
             order by clock_us {descending}, clock_logical {descending}, id {descending}, seq {descending} limit 1"
        ))?
        .query_row([number], |row| row.get(0))
        .optional()
    };
    let devices = db
        .prepare_cached("select device from session_devices where session = ?1 order by device")?
        .query_map([number], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let facts: BTreeMap<String, String> = db
        .prepare_cached("select field, value from session_facts where session = ?1 and value <> 'null'")?
        .query_map(params![number], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(SessionReport { session, messages, first_us: end("asc")?, last_us: end("desc")?, devices, facts })
}

/// Counts what is here and what waits.
pub(crate) fn report_all(store: &Store) -> Result<SessionsReport> {
    let pending = count_pending(store)?;
    store.db.read(|db| {
        db.query_row(
            "select count(*), ifnull(sum(shown), 0), (select count(*) from damaged_lines) from sessions",
            [],
            |row| {
                Ok(SessionsReport {
                    sessions: row.get(0)?,
                    messages: row.get(1)?,
                    pending,
                    damaged: row.get(2)?,
                })
            },
        )
    })
}
