//! Removing an entry, and putting another in its place.

use crate::answer::{Answered, Changed};
use crate::ask;
use crate::books::Live;
use crate::draft::{Draft, NewEntry, Removal};
use crate::find::find;
use crate::limits::check_books;
use crate::operate::Books;
use crate::seen::Sight;
use crate::{Result, Store};
use memlore_model::{Scope, clean_text};
use memlore_view::Dialect;

/// Removes what the caller means, as far as the caller had seen it.
pub(crate) fn remove(store: &Store, what: &str, removal: &ask::Removal) -> Result<Answered<Changed>> {
    let sight = Sight::of_token(removal.context.as_deref())?;
    store.check_secret(removal.why.as_deref().unwrap_or_default())?;
    store.operate(Books::All, |writing, _| {
        let found = find(writing, what, None, &sight)?;
        let mut draft = Draft::default();
        for entry in &found {
            draft.remove(entry.id, Removal { why: removal.why.clone(), ..Removal::default() });
        }
        draft.record(writing)?;
        Ok(Changed { removed: ids(&found), added: None })
    })
}

/// Puts a new text in the place of what the caller means.
pub(crate) fn replace(
    store: &Store,
    old: &str,
    new: &str,
    removal: &ask::Removal,
) -> Result<Answered<Changed>> {
    let sight = Sight::of_token(removal.context.as_deref())?;
    let text = clean_text(new)?;
    store.check_entry(&text)?;
    store.check_secret(removal.why.as_deref().unwrap_or_default())?;
    store.operate(Books::All, |writing, frames| {
        let found = find(writing, old, None, &sight)?;
        let mut draft = Draft::default();
        let index = draft.add(in_place_of(store, &found, text));
        for entry in &found {
            let removal =
                Removal { why: removal.why.clone(), replaced_by: Some(index), ..Removal::default() };
            draft.remove(entry.id, removal);
        }
        check_books(writing, &draft, frames)?;
        let added = draft.record(writing)?[index];
        Ok(Changed { removed: ids(&found), added })
    })
}

/// A new text that takes over place, scope and labels of these entries.
pub(crate) fn in_place_of(store: &Store, old: &[Live], text: String) -> NewEntry {
    let first = &old[0];
    // Bullets show the source among the labels.
    let shows_source = store.dialect_of(&first.book) == Dialect::Bullets;
    NewEntry {
        labels: first.labels.clone(),
        source: first.source.clone().filter(|_| shows_source),
        scope: if old.iter().all(|entry| entry.device_only) { Scope::Device } else { Scope::Profile },
        replaces: ids(old),
        ..NewEntry::plain(first.book.clone(), text, first.position.clone())
    }
}

fn ids(entries: &[Live]) -> Vec<memlore_model::EntryId> {
    entries.iter().map(|entry| entry.id).collect()
}
