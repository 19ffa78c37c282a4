//! What callers ask for.

use memlore_model::{BookName, EntryId, Limit};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What `init` is asked to set; what is not named stays as it is.
#[derive(Clone, Debug, Default)]
pub struct Init {
    /// The share's folder or address.
    pub share: Option<String>,
    /// The dialect of the views.
    pub dialect: Option<String>,
    /// Views: which book stands in which file (relative paths are below the home).
    pub views: Vec<(BookName, PathBuf)>,
    /// Limits of books; `None` takes a limit away.
    pub limits: Vec<(BookName, Option<Limit>)>,
    /// The limit of one entry; `Some(None)` takes it away.
    pub entry_limit: Option<Option<Limit>>,
    /// Whether the home lies in a synced folder, when the store cannot see it.
    pub synced: Option<bool>,
}

/// One text to remember.
#[derive(Clone, Debug)]
pub struct Add {
    /// The text.
    pub text: String,
    /// The book.
    pub book: BookName,
    /// Where it comes from.
    pub source: Option<String>,
    /// Labels.
    pub labels: BTreeMap<String, String>,
    /// Whether it is rendered on this device alone.
    pub here_only: bool,
}

impl Add {
    /// A text to remember in a book, with nothing else said of it.
    pub fn new(book: BookName, text: impl Into<String>) -> Self {
        Self { text: text.into(), book, source: None, labels: BTreeMap::new(), here_only: false }
    }
}

/// What an agent does to a book in one go.
#[derive(Clone, Debug)]
pub enum BatchOp {
    /// Remembers a text.
    Add {
        /// The text.
        text: String,
    },
    /// Puts one text in another's place.
    Replace {
        /// Which entry, as in [`crate::Store::replace`].
        old: String,
        /// The new text.
        text: String,
    },
    /// Removes an entry.
    Remove {
        /// Which entry, as in [`crate::Store::remove`].
        old: String,
    },
    /// Something that could not be read; it is refused with this reason, in its place.
    Unreadable {
        /// Why.
        reason: String,
    },
}

/// Which entries to list.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// Of this book only.
    pub book: Option<BookName>,
    /// The removed ones instead of the live ones.
    pub removed: bool,
    /// As they were at this time, in microseconds since the epoch.
    pub at_us: Option<u64>,
}

/// Whose removal it is: what the remover had seen, and why it removes.
#[derive(Clone, Debug, Default)]
pub struct Removal {
    /// The token of what was read; without one the remover has seen the store's present state.
    pub context: Option<String>,
    /// Why, in a few words.
    pub why: Option<String>,
}

/// A model's answer to lines of a conversation.
#[derive(Clone, Debug, Default)]
pub struct Review {
    /// The conversation's key.
    pub conversation: String,
    /// The number of the last line that was read.
    pub through: u64,
    /// The books it was about; what it adds goes to `memory` when that is among them or none is named, else to the first.
    pub books: Vec<BookName>,
    /// The token of the list that was shown; an edit or removal needs it.
    pub context: Option<String>,
    /// The answer, as the model wrote it.
    pub answer: String,
}

/// Names one entry or asks for one: used by `show` and `restore`.
pub type Id = EntryId;
