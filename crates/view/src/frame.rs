//! What a file consists of: entries, and the frame that belongs to somebody else.

use crate::page::Page;
use memlore_model::{BookName, TextKey};
use std::collections::BTreeMap;
use std::collections::hash_map::{Entry, HashMap};

/// What stands in a view's file and belongs to somebody else. The default is empty.
///
/// The frame is always the present file's: nobody keeps one, since what it holds may be a secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Texts of lines that are somebody else's, in file order; the hermes dialect renders them after the entries.
    pub(crate) texts: Vec<String>,
    /// The file's lines, for the dialects in which they keep their places.
    pub(crate) page: Option<Page>,
}

impl Frame {
    /// Whether the file has nothing that a rendering without a frame would lose.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.page.is_none()
    }

    /// Whether the part of the file that is ours was there. Of a file that is ours all of it is.
    pub fn has_our_part(&self) -> bool {
        self.page.as_ref().is_none_or(|page| page.found)
    }

    /// The topics that the file's index links, in its order.
    pub fn linked_topics(&self) -> impl Iterator<Item = BookName> {
        crate::bullets::linked(self)
    }
}

/// One entry as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its text: line ends as LF, outer white space trimmed, escapes taken off.
    pub text: String,
    /// What makes it the same as another text.
    pub key: TextKey,
    /// The labels that its dialect shows.
    pub labels: BTreeMap<String, String>,
    /// Whether the line is somebody else's: the text is an entry's, and what stands beside it is not taken over.
    pub theirs: bool,
}

impl Item {
    /// An entry of this text, without labels.
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { key: TextKey::of(&text), text, labels: BTreeMap::new(), theirs: false }
    }
}

/// What is taken over of a line that reads as an entry. The line stays in the file, whatever it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// The text and what stands beside it: the line is ours.
    All,
    /// The text alone, which is an entry already: the line is somebody else's, and that entry has no other.
    Text,
    /// Nothing: the line is somebody else's.
    Nothing,
}

/// A file taken apart.
///
/// Invariant: no two items have one key; of duplicates the first stays, with what stands beside the first whose line is ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// The entries, in file order.
    pub items: Vec<Item>,
    /// The rest.
    pub frame: Frame,
}

impl Parsed {
    /// Collects items in file order, dropping those whose key came before.
    pub fn of_items(items: impl IntoIterator<Item = Item>) -> Self {
        let mut all = |_: &Item| Taken::All;
        let mut sorting = Sorting::new(&mut all);
        for item in items {
            sorting.take(item);
        }
        sorting.parsed(None)
    }

    /// Whether the file holds exactly these texts, by the digests of their keys, in this order around a frame. Then it
    /// need not be written again, wherever the frame's texts stand.
    pub fn stands_as(&self, digests: impl IntoIterator<Item = [u8; 16]>) -> bool {
        !self.frame.texts.is_empty()
            && self.frame.page.is_none()
            && digests.into_iter().eq(self.items.iter().map(|item| item.key.digest()))
    }
}

/// Sorts the lines of a file that read as entries.
pub(crate) struct Sorting<'a> {
    taken: &'a mut dyn FnMut(&Item) -> Taken,
    items: Vec<Item>,
    by_key: HashMap<TextKey, usize>,
    texts: Vec<String>,
}

impl<'a> Sorting<'a> {
    pub(crate) fn new(taken: &'a mut dyn FnMut(&Item) -> Taken) -> Self {
        Self { taken, items: Vec::new(), by_key: HashMap::new(), texts: Vec::new() }
    }

    /// Takes the next item; returns its key when the line is ours.
    pub(crate) fn take(&mut self, item: Item) -> Option<TextKey> {
        let taken = (self.taken)(&item);
        if taken != Taken::All {
            self.texts.push(item.text.clone());
        }
        if taken == Taken::Nothing {
            return None;
        }
        let (key, theirs) = (item.key.clone(), taken == Taken::Text);
        match self.by_key.entry(key.clone()) {
            Entry::Vacant(vacant) => {
                vacant.insert(self.items.len());
                self.items.push(Item { theirs, ..item });
            }
            Entry::Occupied(before) => {
                let before = &mut self.items[*before.get()];
                if before.theirs && !theirs {
                    *before = item;
                }
            }
        }
        (!theirs).then_some(key)
    }

    pub(crate) fn parsed(self, page: Option<Page>) -> Parsed {
        Parsed { items: self.items, frame: Frame { texts: self.texts, page } }
    }
}
