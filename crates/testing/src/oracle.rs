//! The memory set as plain maps: what was added, what was removed, and nothing clever.

use automerge::{Automerge, ROOT, ReadDoc as _, ScalarValue, Value};
use memlore_model::{BookName, Entry, EntryId, TextKey, Tombstone};
use std::collections::{BTreeMap, BTreeSet};

/// What a replica's memory must be, whichever way its operations arrived.
///
/// An entry is live when it was added and no tombstone names it. Nothing else decides.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Oracle {
    adds: BTreeMap<EntryId, Entry>,
    tombstones: BTreeSet<EntryId>,
    replacements: BTreeMap<EntryId, BTreeSet<EntryId>>,
}

impl Oracle {
    /// Reads the Automerge document that all changes of a store form, as any Automerge tool would.
    ///
    /// # Panics
    /// The bytes are no such document: a test has failed.
    pub fn of_document(bytes: &[u8]) -> Self {
        let document = Automerge::load(bytes).expect("the export is an Automerge document");
        let mut oracle = Self::default();
        for key in document.keys(ROOT) {
            let all = document.get_all(ROOT, &key).expect("a key that is listed can be read");
            for (value, _) in all {
                let Value::Scalar(scalar) = value else { panic!("{key} is no scalar") };
                let ScalarValue::Str(json) = scalar.as_ref() else { panic!("{key} is no string") };
                let id = key[1..].parse().expect("what follows the sign is an entry id");
                match &key[..1] {
                    "+" => oracle.add(id, Entry::from_json(json).expect("an entry")),
                    "-" => oracle.remove(id, &Tombstone::from_json(json).expect("a tombstone").replaced_by),
                    other => panic!("nobody here writes keys that begin with {other:?}"),
                }
            }
        }
        oracle
    }

    /// Adds an entry. Of two that claim one id the one written first gives the fields.
    pub fn add(&mut self, id: EntryId, entry: Entry) {
        for old in &entry.replaces {
            self.replacements.entry(*old).or_default().insert(id);
        }
        match self.adds.get(&id) {
            Some(known) if known.written <= entry.written => {}
            _ => drop(self.adds.insert(id, entry)),
        }
    }

    /// Removes an entry, known or not.
    pub fn remove(&mut self, id: EntryId, replaced_by: &[EntryId]) {
        self.tombstones.insert(id);
        self.replacements.entry(id).or_default().extend(replaced_by);
    }

    /// Takes in everything that the other knows.
    pub fn merge(&mut self, other: &Self) {
        other.adds.iter().for_each(|(id, entry)| self.add(*id, entry.clone()));
        self.tombstones.extend(&other.tombstones);
        for (old, new) in &other.replacements {
            self.replacements.entry(*old).or_default().extend(new);
        }
    }

    /// An entry, live or not.
    pub fn entry(&self, id: EntryId) -> Option<&Entry> {
        self.adds.get(&id)
    }

    /// How many entries were ever added, and how many removed.
    pub fn counts(&self) -> (usize, usize) {
        (self.adds.len(), self.tombstones.len())
    }

    /// The live entries of a book in its order, several of one text included.
    pub fn live(&self, book: &BookName) -> Vec<(EntryId, &Entry)> {
        let live = self.adds.iter().filter(|(id, _)| !self.tombstones.contains(id));
        let mut live: Vec<_> =
            live.filter(|(_, entry)| entry.book == *book).map(|(id, entry)| (*id, entry)).collect();
        live.sort_by(|(a, one), (b, other)| (&one.position, a).cmp(&(&other.position, b)));
        live
    }

    /// The ids under which a text lives in a book.
    pub fn live_ids(&self, book: &BookName, text: &str) -> BTreeSet<EntryId> {
        let key = TextKey::of(text);
        let same = self.live(book).into_iter().filter(|(_, entry)| TextKey::of(&entry.text) == key);
        same.map(|(id, _)| id).collect()
    }

    /// The texts of a book as they are shown: each once, in the place of the first.
    pub fn shown(&self, book: &BookName) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let live = self.live(book).into_iter().filter(|(_, entry)| seen.insert(TextKey::of(&entry.text)));
        live.map(|(_, entry)| entry.text.as_str()).collect()
    }

    /// The different texts that live where one entry stood, for each entry with more than one of them.
    pub fn conflicts(&self) -> BTreeSet<BTreeSet<String>> {
        let forked = self.replacements.iter().filter(|(_, new)| new.len() > 1);
        let survivors = forked.map(|(old, _)| self.survivors(*old));
        survivors.filter(|texts| texts.len() > 1).collect()
    }

    fn survivors(&self, replaced: EntryId) -> BTreeSet<String> {
        let mut seen = BTreeSet::from([replaced]);
        let mut next = vec![replaced];
        let mut texts = BTreeMap::new();
        while let Some(old) = next.pop() {
            for id in self.replacements.get(&old).into_iter().flatten().filter(|id| seen.insert(**id)) {
                match self.adds.get(id) {
                    Some(entry) if !self.tombstones.contains(id) => {
                        texts.entry(TextKey::of(&entry.text)).or_insert_with(|| entry.text.clone());
                    }
                    _ => next.push(*id),
                }
            }
        }
        texts.into_values().collect()
    }
}
