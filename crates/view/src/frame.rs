//! What a file consists of: entries, and the frame that belongs to somebody else.

use crate::page::{Page, Slot};
use memlore_model::{BookName, TextKey};
use std::collections::BTreeMap;

/// What stands in a view's file and belongs to somebody else. The default is empty.
///
/// The frame is always the present file's: nobody keeps one, since what it holds may be a secret.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// Texts that could not be taken over, in file order; the hermes dialect renders them after the entries.
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

    /// The texts that could not be taken over, in file order.
    pub fn texts(&self) -> &[String] {
        &self.texts
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
}

impl Item {
    /// An entry of this text, without labels.
    pub fn plain(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { key: TextKey::of(&text), text, labels: BTreeMap::new() }
    }
}

/// A file taken apart.
///
/// Invariant: no two items have one key; of duplicates the first stays.
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
        let mut seen = std::collections::HashSet::new();
        let items = items.into_iter().filter(|item| seen.insert(item.key.clone())).collect();
        Self { items, frame: Frame::default() }
    }

    pub(crate) fn of_page(items: impl IntoIterator<Item = Item>, page: Page) -> Self {
        let frame = Frame { texts: Vec::new(), page: Some(page) };
        Self { frame, ..Self::of_items(items) }
    }

    /// Whether the file holds exactly these texts, by the digests of their keys, in this order around a frame. Then it
    /// need not be written again, wherever the frame's texts stand.
    pub fn stands_as(&self, digests: impl IntoIterator<Item = [u8; 16]>) -> bool {
        !self.frame.texts.is_empty()
            && self.frame.page.is_none()
            && digests.into_iter().eq(self.items.iter().map(|item| item.key.digest()))
    }

    /// Moves the items at these indexes to the frame: they stay in the file and are no entries.
    ///
    /// Indexes beyond the end are ignored. The indexes of later items change, so judge afterwards.
    pub fn leave_in_frame(&mut self, indexes: &[usize]) {
        let items = std::mem::take(&mut self.items);
        for (index, item) in items.into_iter().enumerate() {
            if indexes.contains(&index) {
                for line in self.frame.page.iter_mut().flat_map(|page| &mut page.lines) {
                    line.slot.take_if(|slot| matches!(slot, Slot::Entry(key) if *key == item.key));
                }
                self.frame.texts.push(item.text);
            } else {
                self.items.push(item);
            }
        }
    }
}
