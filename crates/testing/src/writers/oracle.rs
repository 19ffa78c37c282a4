//! What everybody meant, and what came of it.

use super::book::{Book, Dead};
use super::thoughts::TextId;
use std::collections::BTreeSet;
use std::ops::AddAssign;

/// One time that somebody thought of a text. It travels with the text through files, buffers and records.
pub(super) type Token = u32;

/// Tokens of one text.
pub(super) type Tokens = BTreeSet<Token>;

/// What somebody did to the file on purpose since memlore looked last.
#[derive(Clone, Debug)]
enum Wish {
    /// A text was taken out by somebody who had these thoughts of it before him.
    Gone(TextId, Tokens),
    /// A text that had been removed was written again, on purpose.
    Back(TextId, Token),
}

/// What came of the wishes and of the entries of one or more histories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Entries that anybody made.
    pub entries: u64,
    /// Removals made in files, and removed texts written again on purpose, that memlore found.
    pub wishes: u64,
    /// Those that were held.
    pub refused: u64,
    /// Entries that are gone though nobody who had seen them meant that.
    pub lost: u64,
    /// Entries that live though they were removed and nobody meant them to come back.
    pub brought_back: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.entries += other.entries;
        self.wishes += other.wishes;
        self.refused += other.refused;
        self.lost += other.lost;
        self.brought_back += other.brought_back;
    }
}

/// Knows what every writer had seen and meant.
#[derive(Default)]
pub(super) struct Oracle {
    tokens: Token,
    /// Thoughts that somebody who had seen them meant to be gone.
    pub(super) gone: Tokens,
    pub(super) tally: Tally,
}

/// The wishes of one home's writers since memlore looked last.
#[derive(Clone, Debug, Default)]
pub(super) struct Wishes(Vec<Wish>);

impl Oracle {
    /// Somebody thinks of a text.
    pub(super) fn thought(&mut self) -> Token {
        self.tokens += 1;
        self.tokens
    }

    /// Counts the entries that memlore lost, and with `and_back` those that it brought back.
    pub(super) fn count_outcome(&mut self, book: &Book, and_back: bool) {
        let live: Tokens = book.live().flat_map(|entry| entry.tokens.iter().copied()).collect();
        // What is only held was never removed from the book.
        let removed = book.entries().filter(|entry| entry.dead == Some(Dead::Removed));
        let removed: Tokens = removed.flat_map(|entry| entry.tokens.iter().copied()).collect();
        for entry in book.entries() {
            self.tally.entries += 1;
            let meant = !entry.tokens.is_disjoint(&self.gone);
            if entry.dead.is_some() && !meant && entry.tokens.is_disjoint(&live) {
                self.tally.lost += 1;
            }
            let back = entry.tokens.is_subset(&self.gone) && !entry.tokens.is_disjoint(&removed);
            if and_back && entry.dead.is_none() && back {
                self.tally.brought_back += 1;
            }
        }
    }
}

impl Wishes {
    pub(super) fn gone(&mut self, oracle: &mut Oracle, text: TextId, tokens: &Tokens) {
        oracle.gone.extend(tokens);
        self.0.push(Wish::Gone(text, tokens.clone()));
    }

    pub(super) fn back(&mut self, text: TextId, token: Token) {
        self.0.push(Wish::Back(text, token));
    }

    /// Settles the wishes that memlore could see in the file that it just judged.
    ///
    /// A wish that another writer undid in the file before is not memlore's to grant.
    pub(super) fn settle(&mut self, file: &BTreeSet<TextId>, book: &Book, oracle: &mut Oracle) {
        for wish in self.0.drain(..) {
            let (visible, granted) = match wish {
                Wish::Gone(text, tokens) => {
                    let stays = book.live_of(text).any(|entry| !entry.tokens.is_disjoint(&tokens));
                    (!file.contains(&text), !stays)
                }
                Wish::Back(text, token) => {
                    (file.contains(&text), book.live_of(text).any(|entry| entry.tokens.contains(&token)))
                }
            };
            oracle.tally.wishes += u64::from(visible);
            oracle.tally.refused += u64::from(visible && !granted);
        }
    }
}
