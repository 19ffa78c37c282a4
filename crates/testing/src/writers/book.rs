//! One device's memory: a set of entries with ids, and the records that carry it to another device.

use super::oracle::Tokens;
use super::thoughts::TextId;
use std::collections::BTreeMap;

/// An entry's id, which is its place in the total order as well: clock, replica, counter.
pub(super) type Id = (u64, u8, u32);

/// How an entry went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dead {
    /// Somebody removed or replaced it.
    Removed,
    /// Nothing proved its removal.
    Inferred,
    /// It was the copy of another replica's entry.
    Copy,
    /// It was added again while it lived, by a call.
    Renewed,
}

/// One entry.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) text: TextId,
    pub(super) tokens: Tokens,
    pub(super) dead: Option<Dead>,
    /// The number of this device's commit that made it known here.
    commit: u64,
    from_file: bool,
    copy_of: Option<Id>,
}

/// What a device tells another one.
#[derive(Clone, Debug)]
pub(super) enum Record {
    Add { id: Id, text: TextId, tokens: Tokens, from_file: bool },
    Remove { id: Id, why: Dead },
}

/// One device's entries.
#[derive(Clone, Debug, Default)]
pub(super) struct Book {
    replica: u8,
    counter: u32,
    /// How far this device's clock is ahead.
    ahead_us: u64,
    /// The number of the last commit.
    pub(super) commit: u64,
    entries: BTreeMap<Id, Entry>,
    by_text: BTreeMap<TextId, Vec<Id>>,
    /// Records for the other device.
    pub(super) outbox: Vec<Record>,
}

impl Book {
    pub(super) fn new(replica: u8, ahead_us: u64) -> Self {
        Self { replica, ahead_us, ..Self::default() }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    pub(super) fn live(&self) -> impl Iterator<Item = &Entry> {
        self.entries().filter(|entry| entry.dead.is_none())
    }

    pub(super) fn live_of(&self, text: TextId) -> impl Iterator<Item = &Entry> {
        let ids = self.by_text.get(&text).map(Vec::as_slice).unwrap_or_default();
        ids.iter().map(|id| &self.entries[id]).filter(|entry| entry.dead.is_none())
    }

    /// The live texts in their order, each with the thoughts behind it.
    pub(super) fn page(&self) -> super::disk::Page {
        let mut places: BTreeMap<TextId, usize> = BTreeMap::new();
        let mut page = super::disk::Page::new();
        for entry in self.live() {
            let place = *places.entry(entry.text).or_insert(page.len());
            if place == page.len() {
                page.push((entry.text, entry.tokens.clone()));
            } else {
                page[place].1.extend(&entry.tokens);
            }
        }
        page
    }

    pub(super) fn add(&mut self, text: TextId, tokens: Tokens, from_file: bool, now_us: u64) {
        self.counter += 1;
        let id = (now_us + self.ahead_us, self.replica, self.counter);
        self.commit += 1;
        self.insert(id, text, tokens.clone(), from_file);
        self.outbox.push(Record::Add { id, text, tokens, from_file });
    }

    /// Removes the live entries of this text that were known here at that commit. Returns how many.
    pub(super) fn remove(&mut self, text: TextId, seen_commit: u64, why: Dead) -> usize {
        let ids = self.by_text.get(&text).cloned().unwrap_or_default();
        let seen = |id: &Id| self.entries[id].dead.is_none() && self.entries[id].commit <= seen_commit;
        let ids: Vec<_> = ids.into_iter().filter(seen).collect();
        ids.iter().for_each(|id| self.bury(*id, why));
        ids.len()
    }

    /// Gives a live text the thoughts of somebody who had it too.
    pub(super) fn attach(&mut self, text: TextId, tokens: &Tokens) {
        let ids = self.by_text.get(&text).cloned().unwrap_or_default();
        for id in ids {
            let entry = self.entries.get_mut(&id).expect("every id of by_text is an entry's");
            if entry.dead.is_none() {
                entry.tokens.extend(tokens);
            }
        }
    }

    /// Takes another device's record in. Returns the text that a record removed.
    pub(super) fn take(&mut self, record: Record) -> Option<TextId> {
        self.commit += 1;
        match record {
            Record::Add { id, text, tokens, from_file } => {
                self.insert(id, text, tokens, from_file);
                self.find_copies(id, text);
                None
            }
            Record::Remove { id, why } => {
                let entry = self.entries.get_mut(&id).expect("a removal comes after its add");
                entry.dead.get_or_insert(why);
                let (text, original) = (entry.text, entry.copy_of);
                if let Some(original) = original
                    && !matches!(why, Dead::Copy | Dead::Renewed)
                {
                    self.bury(original, why);
                }
                Some(text)
            }
        }
    }

    fn insert(&mut self, id: Id, text: TextId, tokens: Tokens, from_file: bool) {
        let entry = Entry { text, tokens, dead: None, commit: self.commit, from_file, copy_of: None };
        self.entries.insert(id, entry);
        self.by_text.entry(text).or_default().push(id);
    }

    fn bury(&mut self, id: Id, why: Dead) {
        let entry = self.entries.get_mut(&id).expect("only known entries are removed");
        if entry.dead.is_none() {
            entry.dead = Some(why);
            self.commit += 1;
            self.outbox.push(Record::Remove { id, why });
        }
    }

    /// Our own entries of this text that were taken from a file after this one was written are its copies.
    fn find_copies(&mut self, original: Id, text: TextId) {
        for id in self.by_text[&text].clone() {
            let entry = self.entries.get_mut(&id).expect("every id of by_text is an entry's");
            if id.1 != self.replica || !entry.from_file || id < original || entry.copy_of.is_some() {
                continue;
            }
            entry.copy_of = Some(original);
            match entry.dead {
                None => self.bury(id, Dead::Copy),
                Some(Dead::Copy | Dead::Renewed) => {}
                Some(why) => self.bury(original, why),
            }
        }
    }
}
