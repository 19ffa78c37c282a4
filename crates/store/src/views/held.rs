//! Edits that are held: shown to people until something settles them.

use crate::Result;
use crate::answer::{Held, HeldKind};
use crate::writing::Writing;
use memlore_model::TextKey;
use rusqlite::{Connection, params};

/// A held edit as the tables have it.
pub(super) struct Row {
    pub(super) key: [u8; 16],
    pub(super) text: String,
    pub(super) kind: HeldKind,
    /// The last record that the version reflected which the writer may have seen.
    pub(super) last_record: i64,
    pub(super) since_us: u64,
}

/// Holds an edit; what is held already keeps its date.
pub(super) fn hold(
    writing: &Writing<'_>,
    view: i64,
    text: &str,
    kind: HeldKind,
    last_record: i64,
) -> Result<()> {
    writing.shelf.nothing_held.set(false);
    writing.read(|tx| {
        tx.prepare_cached(
            "insert into held (view, key, kind, text, since_us, last_record) values (?1, ?2, ?3, ?4, ?5, ?6)
             on conflict do update set kind = ?3, last_record = ?6",
        )?
        .execute(params![
            view,
            TextKey::of(text).digest(),
            kind == HeldKind::Returning,
            text,
            writing.now_us,
            last_record
        ])
    })?;
    Ok(())
}

/// What is held in a view, oldest first.
pub(super) fn of_view(db: &Connection, view: i64) -> rusqlite::Result<Vec<Row>> {
    db.prepare_cached(
        "select key, text, kind, last_record, since_us from held where view = ?1 order by since_us, text",
    )?
    .query_map([view], |row| {
        let kind = if row.get(2)? { HeldKind::Returning } else { HeldKind::Absent };
        Ok(Row { key: row.get(0)?, text: row.get(1)?, kind, last_record: row.get(3)?, since_us: row.get(4)? })
    })?
    .collect()
}

/// Lets go of what a text is held for.
pub(super) fn release(db: &Connection, view: i64, key: [u8; 16]) -> rusqlite::Result<()> {
    db.prepare_cached("delete from held where view = ?1 and key = ?2")?.execute(params![view, key])?;
    Ok(())
}

/// Lets go of a text in every view: a call that names it settles it.
pub(crate) fn release_everywhere(writing: &Writing<'_>, key: [u8; 16]) -> Result<()> {
    if anything_held(writing)? {
        writing.read(|tx| tx.prepare_cached("delete from held where key = ?1")?.execute([key]))?;
    }
    Ok(())
}

/// Most of the time nothing is held, and an open store knows it.
fn anything_held(writing: &Writing<'_>) -> Result<bool> {
    if writing.shelf.nothing_held.get() {
        return Ok(false);
    }
    let any: bool = writing.read(|tx| {
        tx.prepare_cached("select exists (select 1 from held)")?.query_row([], |row| row.get(0))
    })?;
    writing.shelf.nothing_held.set(!any);
    Ok(any)
}

/// Lets go of what a call or a record has settled: an absent text that is gone, a returning one that lives.
pub(crate) fn settle(writing: &Writing<'_>) -> Result<()> {
    if anything_held(writing)? {
        writing.read(|tx| {
            tx.prepare_cached(
                "delete from held
                 where kind = exists (select 1 from entries e where e.key = held.key and e.live = 1)",
            )?
            .execute([])
        })?;
    }
    Ok(())
}

impl From<Row> for Held {
    fn from(row: Row) -> Self {
        Self { text: row.text, kind: row.kind, since_us: row.since_us }
    }
}
