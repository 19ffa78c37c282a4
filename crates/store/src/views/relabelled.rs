//! Metadata that a person changed in a list, while the text stayed.

use super::View;
use crate::Result;
use crate::books::{Live, shown_key};
use crate::draft::{Draft, NewEntry, Removal};
use crate::writing::Writing;
use memlore_view::{Dialect, Item, Parsed};
use rusqlite::{Connection, params};
use std::collections::BTreeMap;

/// Plans to put each entry whose metadata was changed in its own place, with the file's; returns how many.
///
/// Metadata that any entry of the same text ever had may stand in an old file, and are no edit.
pub(super) fn plan(
    writing: &Writing<'_>,
    view: &View,
    parsed: &Parsed,
    live: &[Live],
    draft: &mut Draft,
) -> Result<usize> {
    let dialect = view.config.dialect;
    if dialect != Dialect::Bullets {
        return Ok(0);
    }
    let mut planned = 0;
    for item in parsed.items.iter().filter(|item| !item.theirs) {
        let is = |entry: &&Live| shown_key(dialect, &entry.text, entry.key) == item.key.digest();
        let same: Vec<&Live> = live.iter().filter(is).collect();
        let Some(first) = same.first().filter(|entry| !draft.removes(entry.id)) else { continue };
        if says(&first.labels, first.source.as_deref(), item)
            || writing.read(|tx| was_said(tx, first, item))?
        {
            continue;
        }
        let entry = NewEntry::plain(first.book.clone(), first.text.clone(), first.position.clone());
        let replaces = same.iter().map(|old| old.id).collect();
        let index = draft.add(NewEntry { replaces, ..entry }.said_by(dialect, item, String::new()));
        for old in same {
            let why = Some(format!("edited in {}", view.name()));
            draft.remove(old.id, Removal { why, replaced_by: Some(index), ..Removal::default() });
        }
        planned += 1;
    }
    Ok(planned)
}

/// Whether an entry of this text ever had the metadata of the file.
pub(super) fn was_said(db: &Connection, entry: &Live, item: &Item) -> rusqlite::Result<bool> {
    let said: Vec<(Option<String>, Option<String>)> = db
        .prepare_cached(
            "select e.labels, e.source from entries e join books b on b.num = e.book
             where e.key = ?1 and b.name = ?2",
        )?
        .query_map(params![entry.key, entry.book.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    Ok(said.into_iter().any(|(labels, source)| {
        let labels = labels.and_then(|labels| serde_json::from_str(&labels).ok()).unwrap_or_default();
        says(&labels, source.as_deref(), item)
    }))
}

/// Whether a bullet of an entry would say what the file's says.
fn says(labels: &BTreeMap<String, String>, source: Option<&str>, item: &Item) -> bool {
    let text = item.text.as_str();
    memlore_view::show_the_same(Dialect::Bullets, &memlore_view::Shown { text, labels, source }, item)
}
