//! Finding entries and messages by their words.
//!
//! The index is a database of its own in the state folder. It is derived: it catches up when somebody searches, so
//! that writing never pays for it, and when it is damaged or belongs to another database it is made again.

mod index;
mod query;
mod snippet;
mod words;

use crate::answer::{Found, Hit};
use crate::books::{book_of, id_of};
use crate::{Result, Store, sessions};
pub(crate) use index::forget;
use index::{Index, Table, WEIGHED};
use query::Query;
use rusqlite::OptionalExtension as _;

/// Finds what holds every word of a query, the best first: live entries, and messages in sight when they are wanted.
pub(crate) fn search(store: &Store, asked: &str, with_sessions: bool, limit: usize) -> Result<Vec<Hit>> {
    let Some(query) = Query::read(asked) else { return Ok(Vec::new()) };
    let tables: &[Table] = if with_sessions { &[Table::Entries, Table::Messages] } else { &[Table::Entries] };
    let mut index = Index::open(store)?;
    let mut hits = Vec::new();
    for table in tables {
        index.catch_up(store, *table)?;
        let mut of_table = Vec::new();
        let mut before = i64::MAX;
        // Some of what is found is gone or out of sight; so older matches are asked for until there are enough.
        while of_table.len() < limit {
            let found = index.find(&query, *table, before)?;
            let complete = found.len() < WEIGHED;
            before = found.iter().map(|(number, _)| *number).min().unwrap_or(before);
            for (number, score) in found {
                of_table.extend(hit(store, &query, *table, number, score)?);
                if of_table.len() == limit {
                    break;
                }
            }
            if complete {
                break;
            }
        }
        hits.extend(of_table);
    }
    hits.sort_by(|one, other| other.score.total_cmp(&one.score));
    hits.truncate(limit);
    Ok(hits)
}

fn hit(store: &Store, query: &Query, table: Table, number: i64, score: f64) -> Result<Option<Hit>> {
    let found = match table {
        Table::Entries => store.db.read(|db| {
            db.prepare_cached(
                "select e.id, b.name, e.text, e.device from entries e join books b on b.num = e.book
                 where e.num = ?1 and e.live = 1",
            )?
            .query_row([number], |row| {
                let (id, book) = (id_of(row, 0)?, book_of(row, 1)?);
                Ok((Found::Entry { id, book, device: row.get(3)? }, row.get::<_, String>(2)?))
            })
            .optional()
        })?,
        Table::Messages => store.db.read(|db| {
            let in_sight: bool = db
                .prepare_cached(
                    "select exists (select 1 from messages where num = ?1 and hidden <= 1 and merged = 0)",
                )?
                .query_row([number], |row| row.get(0))?;
            let message = if in_sight { sessions::read_message(db, number)? } else { None };
            Ok(message.map(|message| {
                let text = words::of_message(&message.fields);
                (Found::Message(message), text)
            }))
        })?,
    };
    Ok(found.map(|(found, text)| {
        let snippet = snippet::of(&text, &query.needles);
        Hit { found, text, snippet, score }
    }))
}
