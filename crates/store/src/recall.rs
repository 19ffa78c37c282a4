//! Reading memory: listing, the story of an entry, what happened, and what contradicts itself.
//!
//! Reading never builds an automerge document and never writes.

mod conflicts;
mod list;
mod story;

pub(crate) use conflicts::conflicts;
pub(crate) use list::list;
pub(crate) use story::{log, show};

use crate::answer::{Recalled, RemovedAt};
use crate::books::{book_of, id_of};
use crate::set::{ids_from_json, logical};
use memlore_model::{Entry, EntryId, Position, Scope, Stamp};
use rusqlite::{Connection, Row};

/// The columns that [`recalled_of`] reads.
const COLUMNS: &str =
    "select e.id, b.name, e.text, e.position, e.written_us, e.written_logical, e.by, e.device,
        e.source, e.labels, e.replaces, e.scope, e.more, e.live
    from entries e join books b on b.num = e.book";

/// Reads a row of [`COLUMNS`]; the removals of a dead entry are read beside it.
fn recalled_of(db: &Connection, row: &Row<'_>) -> rusqlite::Result<Recalled> {
    let id = id_of(row, 0)?;
    let position: String = row.get(3)?;
    let labels: Option<String> = row.get(9)?;
    let more: Option<String> = row.get(12)?;
    let live: bool = row.get(13)?;
    let entry = Entry {
        book: book_of(row, 1)?,
        text: row.get(2)?,
        position: Position::read(&position),
        written: Stamp { us: row.get(4)?, logical: logical(row.get(5)?) },
        by: row.get(6)?,
        device: row.get(7)?,
        source: row.get(8)?,
        labels: labels.and_then(|labels| serde_json::from_str(&labels).ok()).unwrap_or_default(),
        replaces: ids_from_json(row.get(10)?),
        scope: if row.get(11)? { Scope::Device } else { Scope::Profile },
        more: more.and_then(|more| serde_json::from_str(&more).ok()).unwrap_or_default(),
    };
    let removed = if live { Vec::new() } else { removals(db, id)? };
    Ok(Recalled { id, entry, removed })
}

/// The removals of an entry, the earliest first.
fn removals(db: &Connection, id: EntryId) -> rusqlite::Result<Vec<RemovedAt>> {
    db.prepare_cached(
        "select at_us, at_logical, by, device, why, replaced_by from tombstones where entry = ?1
         order by at_us, at_logical, record",
    )?
    .query_map([id.to_bytes()], |row| {
        Ok(RemovedAt {
            at: Stamp { us: row.get(0)?, logical: logical(row.get(1)?) },
            by: row.get(2)?,
            device: row.get(3)?,
            why: row.get(4)?,
            replaced_by: ids_from_json(row.get(5)?),
        })
    })?
    .collect()
}

/// An entry, live or removed.
pub(crate) fn entry_with_id(db: &Connection, id: EntryId) -> rusqlite::Result<Option<Recalled>> {
    db.prepare_cached(&format!("{COLUMNS} where e.id = ?1"))?
        .query_map([id.to_bytes()], |row| recalled_of(db, row))?
        .next()
        .transpose()
}
