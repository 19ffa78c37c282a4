//! Entries that several people replaced at once, each in their own way.

use super::entry_with_id;
use crate::answer::{Conflict, Recalled};
use crate::books::id_of;
use crate::{Result, Store};
use memlore_model::{EntryId, TextKey};
use rusqlite::Connection;
use std::collections::{BTreeMap, BTreeSet};

/// Lists live entries that replaced the same one, following later replaces, where they show different texts.
pub(crate) fn conflicts(store: &Store) -> Result<Vec<Conflict>> {
    store.db.read(|db| {
        let tx = db.unchecked_transaction()?;
        let forked: Vec<EntryId> = tx
            .prepare("select old from replacements group by old having count(*) > 1 order by old")?
            .query_map([], |row| id_of(row, 0))?
            .collect::<rusqlite::Result<_>>()?;
        let mut conflicts = Vec::new();
        let mut told: BTreeSet<Vec<EntryId>> = BTreeSet::new();
        for replaced in forked {
            let survivors = survivors(&tx, replaced)?;
            if survivors.len() > 1 && told.insert(survivors.iter().map(|survivor| survivor.id).collect()) {
                let text = entry_with_id(&tx, replaced)?.map(|old| old.entry.text);
                conflicts.push(Conflict { replaced, text, entries: survivors });
            }
        }
        Ok(conflicts)
    })
}

/// The live entries that stand where an entry stood, of each text the first.
fn survivors(db: &Connection, replaced: EntryId) -> rusqlite::Result<Vec<Recalled>> {
    let mut seen = BTreeSet::from([replaced]);
    let mut next = vec![replaced];
    let mut live: BTreeMap<TextKey, Recalled> = BTreeMap::new();
    while let Some(old) = next.pop() {
        let new: Vec<EntryId> = db
            .prepare_cached("select new from replacements where old = ?1 order by new")?
            .query_map([old.to_bytes()], |row| id_of(row, 0))?
            .collect::<rusqlite::Result<_>>()?;
        for id in new.into_iter().filter(|id| seen.insert(*id)).collect::<Vec<_>>() {
            match entry_with_id(db, id)? {
                Some(entry) if entry.removed.is_empty() => {
                    live.entry(TextKey::of(&entry.entry.text)).or_insert(entry);
                }
                _ => next.push(id),
            }
        }
    }
    let mut survivors: Vec<Recalled> = live.into_values().collect();
    survivors.sort_by(|a, b| (&a.entry.position, a.id).cmp(&(&b.entry.position, b.id)));
    Ok(survivors)
}
