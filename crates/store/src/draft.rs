//! A change in the making: what will be added and removed, before it gets its ids.

use crate::Result;
use crate::writing::Writing;
use memlore_model::{BookName, Entry, EntryId, Position, Put, Scope, TextKey, Tombstone};
use memlore_view::{Dialect, Item};
use serde_json::Map;
use std::collections::{BTreeMap, HashMap};

/// An entry about to be added.
#[derive(Clone, Debug)]
pub(crate) struct NewEntry {
    pub(crate) text: String,
    pub(crate) book: BookName,
    pub(crate) position: Position,
    pub(crate) source: Option<String>,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) scope: Scope,
    pub(crate) replaces: Vec<EntryId>,
    /// The id, when it follows from content instead of being minted.
    pub(crate) id: Option<EntryId>,
}

impl NewEntry {
    /// A text at the end of a book, with nothing else said of it.
    pub(crate) fn plain(book: BookName, text: String, position: Position) -> Self {
        Self {
            text,
            book,
            position,
            source: None,
            labels: BTreeMap::new(),
            scope: Scope::Profile,
            replaces: Vec::new(),
            id: None,
        }
    }

    /// Takes over what a file says of the entry beside its text. Where a dialect does not show the source, it is the
    /// file itself.
    pub(crate) fn said_by(mut self, dialect: Dialect, item: &Item, file: String) -> Self {
        self.labels = item.labels.clone();
        self.source = match dialect {
            Dialect::Bullets => self.labels.remove("source"),
            Dialect::Hermes | Dialect::Section | Dialect::Gemini => Some(file),
        };
        self
    }
}

/// A removal about to be made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Removal {
    pub(crate) why: Option<String>,
    /// The add of this draft that takes its place.
    pub(crate) replaced_by: Option<usize>,
    /// An entry that is there already and takes its place.
    pub(crate) replaced_by_id: Option<EntryId>,
}

fn key_of(entry: &NewEntry) -> (BookName, TextKey) {
    (entry.book.clone(), TextKey::of(&entry.text))
}

/// What one change will do. Adds are named by their index until they are recorded.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    adds: Vec<Option<NewEntry>>,
    /// The add of each text, so that a long batch finds its own.
    by_key: HashMap<(BookName, TextKey), usize>,
    removes: BTreeMap<EntryId, Removal>,
}

impl Draft {
    /// Plans an add; returns its index.
    pub(crate) fn add(&mut self, entry: NewEntry) -> usize {
        let index = self.adds.len();
        self.by_key.entry(key_of(&entry)).or_insert(index);
        self.adds.push(Some(entry));
        index
    }

    /// Plans a removal.
    pub(crate) fn remove(&mut self, id: EntryId, removal: Removal) {
        self.removes.insert(id, removal);
    }

    /// Takes a planned add back, and with it the claim that it replaces anything.
    pub(crate) fn take_back(&mut self, index: usize) -> Option<NewEntry> {
        for removal in self.removes.values_mut() {
            removal.replaced_by.take_if(|by| *by == index);
        }
        let entry = self.adds[index].take()?;
        self.forget(&entry, index);
        Some(entry)
    }

    /// Changes the text of a planned add; returns its index, or nothing when it was taken back.
    pub(crate) fn change_text(&mut self, index: usize, text: String) -> Option<usize> {
        let mut entry = self.adds[index].take()?;
        self.forget(&entry, index);
        entry.text = text;
        self.by_key.entry(key_of(&entry)).or_insert(index);
        self.adds[index] = Some(entry);
        Some(index)
    }

    fn forget(&mut self, entry: &NewEntry, index: usize) {
        let key = key_of(entry);
        if self.by_key.get(&key) == Some(&index) {
            self.by_key.remove(&key);
        }
    }

    /// Takes a planned removal back.
    pub(crate) fn keep(&mut self, id: EntryId) {
        self.removes.remove(&id);
    }

    /// Whether an entry is going to be removed.
    pub(crate) fn removes(&self, id: EntryId) -> bool {
        self.removes.contains_key(&id)
    }

    /// The planned adds, each with its index.
    pub(crate) fn adds(&self) -> impl DoubleEndedIterator<Item = (usize, &NewEntry)> {
        self.adds.iter().enumerate().filter_map(|(index, entry)| entry.as_ref().map(|entry| (index, entry)))
    }

    /// The planned add with this text in a book.
    pub(crate) fn add_with_key(&self, book: &BookName, key: &TextKey) -> Option<usize> {
        self.by_key.get(&(book.clone(), key.clone())).copied()
    }

    /// Whether nothing is planned.
    pub(crate) fn is_empty(&self) -> bool {
        self.removes.is_empty() && self.adds().next().is_none()
    }

    /// Records everything as one change; returns the ids of the adds by their indexes.
    pub(crate) fn record(self, writing: &mut Writing<'_>) -> Result<Vec<Option<EntryId>>> {
        if self.is_empty() {
            return Ok(vec![None; self.adds.len()]);
        }
        let operations = self.adds.len() + self.removes.len();
        let (dependencies, start_op) = writing.causes(self.removes.keys().copied(), operations)?;
        let stamp = writing.tick();
        let mut ids = Vec::with_capacity(self.adds.len());
        let mut counter = u32::try_from(start_op).unwrap_or(u32::MAX);
        for add in &self.adds {
            ids.push(add.as_ref().map(|entry| {
                let minted = EntryId { replica: writing.id, counter, nonce: writing.nonce() };
                counter = counter.saturating_add(1);
                entry.id.unwrap_or(minted)
            }));
        }
        let by = writing.store.open.agent.clone();
        let device = writing.store.open.device.clone();
        let mut puts = Vec::with_capacity(self.adds.len() + self.removes.len());
        for (id, entry) in ids.iter().zip(self.adds).filter_map(|(id, entry)| id.zip(entry)) {
            let entry = Entry {
                text: entry.text,
                book: entry.book,
                written: stamp,
                by: by.clone(),
                device: device.clone(),
                source: entry.source,
                labels: entry.labels,
                position: entry.position,
                replaces: entry.replaces,
                scope: entry.scope,
                more: Map::new(),
            };
            puts.push(Put::Add(id, entry));
        }
        for (id, removal) in self.removes {
            let new = removal.replaced_by.and_then(|index| ids[index]);
            let tombstone = Tombstone {
                at: stamp,
                by: by.clone(),
                device: device.clone(),
                why: removal.why,
                replaced_by: new.into_iter().chain(removal.replaced_by_id).collect(),
                more: Map::new(),
            };
            puts.push(Put::Remove(id, tombstone));
        }
        writing.append_change(start_op, dependencies, &puts)?;
        Ok(ids)
    }
}
