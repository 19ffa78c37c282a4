//! Remembering a text.

use crate::answer::{AddStatus, Added, Answered};
use crate::ask::Add;
use crate::books::Live;
use crate::draft::{Draft, NewEntry, Removal};
use crate::find::already_there;
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
        let live = already_there(writing, &add.book, &text)?;
        let mut draft = Draft::default();
        let mut entry = new_entry(writing, add, text)?;
        let key = live.first().map_or_else(|| TextKey::of(&entry.text).digest(), |first| first.key);
        let status = if live.is_empty() { AddStatus::Added } else { AddStatus::Exists };
        take_place(&mut entry, &live);
        let index = draft.add(entry);
        for old in &live {
            draft.remove(old.id, Removal { replaced_by: Some(index), ..Removal::default() });
        }
        check_books(writing, &draft, frames)?;
        let id = draft.record(writing)?[index].expect("an add that is not taken back gets an id");
        crate::views::release_everywhere(writing, key)?;
        let book = live.first().map_or(&add.book, |first| &first.book);
        let usage = usage_now(writing, book, frames)?;
        Ok(Added { id, book: book.clone(), status, usage })
    })
}

fn new_entry(writing: &Writing<'_>, add: &Add, text: String) -> Result<NewEntry> {
    let position = writing.next_position(&add.book)?;
    Ok(NewEntry {
        source: add.source.clone(),
        labels: add.labels.clone(),
        scope: if add.here_only { Scope::Device } else { Scope::Profile },
        ..NewEntry::plain(add.book.clone(), text, position)
    })
}

/// Takes the place of the live entries of the same text, and over the labels that the caller does not name.
///
/// What a dialect only takes for the same text keeps its own.
pub(super) fn take_place(entry: &mut NewEntry, live: &[Live]) {
    let Some(first) = live.first() else { return };
    if first.book != entry.book || first.key != TextKey::of(&entry.text).digest() {
        entry.book = first.book.clone();
        entry.text = first.text.clone();
    }
    entry.source = entry.source.take().or_else(|| first.source.clone());
    entry.position = first.position.clone();
    entry.replaces = live.iter().map(|old| old.id).collect();
    for (label, value) in &first.labels {
        entry.labels.entry(label.clone()).or_insert_with(|| value.clone());
    }
}
