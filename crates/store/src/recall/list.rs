//! Listing entries, and the token of what was seen.

use super::{COLUMNS, recalled_of};
use crate::answer::{Listed, Recalled};
use crate::ask::ListQuery;
use crate::books;
use crate::seen::context_now;
use crate::{Result, Store};
use memlore_model::{BookName, TextKey};
use rusqlite::{Connection, params};
use std::collections::HashSet;

/// Lists entries, each text of a book once.
pub(crate) fn list(store: &Store, query: &ListQuery) -> Result<Listed> {
    store.db.read(|db| {
        // The token and the entries must be of one moment.
        let tx = db.unchecked_transaction()?;
        let books = match &query.book {
            Some(book) => vec![book.clone()],
            None => books::names(&tx)?,
        };
        let dialect = Some(store.config.dialect.name());
        // What was live at another time, or is removed, says nothing of what is live now: nothing was seen.
        let shown = if query.removed || query.at_us.is_some() { Vec::new() } else { books };
        let context = context_now(&tx, shown, dialect)?;
        let entries = match query.at_us {
            Some(at_us) => at(&tx, query, at_us)?,
            None => now(&tx, query)?,
        };
        Ok(Listed { entries, context })
    })
}

fn now(db: &Connection, query: &ListQuery) -> rusqlite::Result<Vec<Recalled>> {
    let book = query.book.as_ref().map(BookName::as_str);
    // Written out, so that the index of what is live is found.
    let live = i32::from(!query.removed);
    let entries: Vec<Recalled> = db
        .prepare_cached(&format!(
            "{COLUMNS} where e.live = {live} and (?1 is null or b.name = ?1) order by b.name, e.position, e.id"
        ))?
        .query_map([book], |row| recalled_of(db, row))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(if query.removed { entries } else { once(entries) })
}

/// The entries that were live at a time, by the clocks of those who wrote them.
fn at(db: &Connection, query: &ListQuery, at_us: u64) -> rusqlite::Result<Vec<Recalled>> {
    let book = query.book.as_ref().map(BookName::as_str);
    let entries: Vec<Recalled> = db
        .prepare_cached(&format!(
            "{COLUMNS} where e.written_us <= ?1 and (?2 is null or b.name = ?2)
                 and ?3 = exists (select 1 from tombstones t where t.entry = e.id and t.at_us <= ?1)
             order by b.name, e.position, e.id"
        ))?
        .query_map(params![at_us.min(memlore_model::LAST_US), book, query.removed], |row| {
            recalled_of(db, row)
        })?
        .collect::<rusqlite::Result<_>>()?;
    Ok(if query.removed { entries } else { once(entries) })
}

fn once(mut entries: Vec<Recalled>) -> Vec<Recalled> {
    let mut seen = HashSet::with_capacity(entries.len());
    entries.retain(|recalled| seen.insert((recalled.entry.book.clone(), TextKey::of(&recalled.entry.text))));
    entries
}
