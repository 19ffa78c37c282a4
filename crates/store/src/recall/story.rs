//! What happened: to one entry, and to all of them.

use super::{COLUMNS, entry_with_id, recalled_of};
use crate::answer::{Event, Recalled};
use crate::books::id_of;
use crate::{Error, Result, Store};
use memlore_model::{BookName, EntryId, Stamp};
use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};

/// Tells one entry's whole story: what it replaced, itself, and what became of it, oldest first.
pub(crate) fn show(store: &Store, id: EntryId) -> Result<Vec<Event>> {
    let nothing = || Error::NothingMatched { what: id.to_string() };
    let family = store.db.read(|db| {
        let tx = db.unchecked_transaction()?;
        if entry_with_id(&tx, id)?.is_none() {
            return Ok(None);
        }
        let mut family = BTreeMap::new();
        let mut next = vec![id];
        while let Some(id) = next.pop() {
            if family.contains_key(&id) {
                continue;
            }
            let Some(recalled) = entry_with_id(&tx, id)? else { continue };
            next.extend(recalled.entry.labels.get("restores").and_then(|old| old.parse::<EntryId>().ok()));
            family.insert(id, recalled);
            next.extend(relatives(&tx, id)?);
        }
        Ok(Some(family))
    })?;
    Ok(events(family.ok_or_else(nothing)?))
}

fn relatives(db: &Connection, id: EntryId) -> rusqlite::Result<Vec<EntryId>> {
    db.prepare_cached(
        "select new from replacements where old = ?1 union select old from replacements where new = ?1",
    )?
    .query_map([id.to_bytes()], |row| id_of(row, 0))?
    .collect()
}

/// Tells what happened, newest first.
pub(crate) fn log(store: &Store, book: Option<&BookName>, limit: Option<usize>) -> Result<Vec<Event>> {
    let most = i64::try_from(limit.unwrap_or(usize::MAX)).unwrap_or(i64::MAX);
    let found = store.db.read(|db| {
        let tx = db.unchecked_transaction()?;
        // Whatever is among the newest events is among the newest adds or the newest removals.
        let name = book.map(BookName::as_str);
        let mut entries: BTreeMap<EntryId, Recalled> = tx
            .prepare_cached(&format!(
                "{COLUMNS} where ?1 is null or b.name = ?1
                 order by e.written_us desc, e.written_logical desc, e.id desc limit ?2"
            ))?
            .query_map(params![name, most], |row| recalled_of(&tx, row).map(|entry| (entry.id, entry)))?
            .collect::<rusqlite::Result<_>>()?;
        let removed: Vec<EntryId> = tx
            .prepare_cached(
                "select distinct t.entry from tombstones t join entries e on e.id = t.entry
                    join books b on b.num = e.book
                 where ?1 is null or b.name = ?1 order by t.at_us desc, t.at_logical desc limit ?2",
            )?
            .query_map(params![name, most], |row| id_of(row, 0))?
            .collect::<rusqlite::Result<_>>()?;
        for id in removed {
            if let Some(entry) = entry_with_id(&tx, id)? {
                entries.insert(id, entry);
            }
        }
        let replaced: Vec<EntryId> =
            entries.values().flat_map(|entry| entry.entry.replaces.iter().copied()).collect();
        for id in replaced {
            if let Some(entry) = entry_with_id(&tx, id)? {
                entries.insert(id, entry);
            }
        }
        Ok(entries)
    })?;
    let mut events = events(found);
    events.reverse();
    events.truncate(limit.unwrap_or(usize::MAX));
    Ok(events)
}

/// The events in the lives of these entries, oldest first. A removal by replacement is told with the replacement.
fn events(entries: BTreeMap<EntryId, Recalled>) -> Vec<Event> {
    let mut events: Vec<(Stamp, u8, Event)> = Vec::new();
    let replacing: BTreeSet<EntryId> =
        entries.values().filter(|entry| !entry.entry.replaces.is_empty()).map(|entry| entry.id).collect();
    for entry in entries.values() {
        let old: Vec<Recalled> =
            entry.entry.replaces.iter().filter_map(|old| entries.get(old)).cloned().collect();
        let event = if entry.entry.replaces.is_empty() {
            Event::Added { entry: entry.clone() }
        } else {
            Event::Replaced { entry: entry.clone(), old }
        };
        events.push((entry.entry.written, 1, event));
        for removal in &entry.removed {
            if !removal.replaced_by.iter().any(|new| replacing.contains(new)) {
                let event = Event::Removed { entry: entry.clone(), removal: removal.clone() };
                events.push((removal.at, 0, event));
            }
        }
    }
    events.sort_by_key(|(at, order, _)| (*at, *order));
    events.into_iter().map(|(_, _, event)| event).collect()
}
