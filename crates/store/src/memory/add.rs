//! Remembering a text.

use crate::answer::{AddStatus, Added, Answered};
use crate::ask::Add;
use crate::books::{Live, live_with_key, next_position};
use crate::draft::{Draft, NewEntry, Removal};
use crate::limits::{check_books, usage_now};
use crate::operate::Books;
use crate::writing::Writing;
use crate::{Result, Store};
use memlore_model::{Scope, TextKey, clean_text};

/// Adds a text. A live text is replaced by itself, so that a removal which had not seen this add cannot undo it.
pub(crate) fn add(store: &Store, add: &Add) -> Result<Answered<Added>> {
    let text = clean_text(&add.text)?;
    store.check_entry(&text)?;
    store.check_beside(add.source.as_deref(), &add.labels)?;
    store.operate(Books::One(&add.book), |writing, frames| {
        let key = TextKey::of(&text).digest();
        let live = writing.read(|tx| live_with_key(tx, key, Some(&add.book)))?;
        let mut draft = Draft::default();
        let mut entry = new_entry(writing, add, text)?;
        let status = if live.is_empty() { AddStatus::Added } else { AddStatus::Exists };
        take_place(&mut entry, &live);
        let index = draft.add(entry);
        for old in &live {
            draft.remove(old.id, Removal { replaced_by: Some(index), ..Removal::default() });
        }
        check_books(writing, &draft, frames)?;
        let id = draft.record(writing)?[index].expect("an add that is not taken back gets an id");
        writing.read(|tx| crate::views::release_everywhere(tx, key))?;
        let usage = usage_now(writing, &add.book, frames)?;
        Ok(Added { id, book: add.book.clone(), status, usage })
    })
}

fn new_entry(writing: &Writing<'_>, add: &Add, text: String) -> Result<NewEntry> {
    let position = writing.read(|tx| next_position(tx, &add.book))?;
    Ok(NewEntry {
        source: add.source.clone(),
        labels: add.labels.clone(),
        scope: if add.here_only { Scope::Device } else { Scope::Profile },
        ..NewEntry::plain(add.book.clone(), text, position)
    })
}

/// Takes the place of the live entries of the same text, and over the labels that the caller does not name.
fn take_place(entry: &mut NewEntry, live: &[Live]) {
    let Some(first) = live.first() else { return };
    entry.position = first.position.clone();
    entry.replaces = live.iter().map(|old| old.id).collect();
    for (label, value) in &first.labels {
        entry.labels.entry(label.clone()).or_insert_with(|| value.clone());
    }
}
