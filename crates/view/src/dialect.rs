//! The formats of view, and the one place that chooses between them.

use crate::frame::{Frame, Parsed};
use crate::hermes;
use memlore_model::Unit;
use std::collections::BTreeMap;

/// A format of view.
///
/// Every match over the dialects stands in this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// Entries joined by a line that is only `§`, as hermes-agent keeps MEMORY.md and USER.md.
    Hermes,
}

impl Dialect {
    /// Every dialect, in the order in which they are listed for people.
    pub const ALL: [Self; 1] = [Self::Hermes];

    /// The dialect's name on the command line and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hermes => "hermes",
        }
    }

    /// The dialect of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }
}

/// One entry as a view shows it.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The entry's text, cleaned.
    pub text: &'a str,
    /// Its labels, for the dialects that show them.
    pub labels: &'a BTreeMap<String, String>,
}

impl<'a> Shown<'a> {
    /// Shows a text without labels.
    pub fn plain(text: &'a str) -> Self {
        static NO_LABELS: BTreeMap<String, String> = BTreeMap::new();
        Self { text, labels: &NO_LABELS }
    }
}

/// Renders entries into a file, around its frame.
///
/// A function of its arguments alone: equal entries and an equal frame give equal bytes everywhere.
pub fn render(dialect: Dialect, entries: &[Shown<'_>], frame: &Frame) -> String {
    match dialect {
        Dialect::Hermes => hermes::render(entries, frame),
    }
}

/// Parses a file's text into its entries and its frame.
///
/// Any text parses. `parse(render(entries))` gives the texts of the entries again, when no two of them have one key.
pub fn parse(dialect: Dialect, text: &str) -> Parsed {
    match dialect {
        Dialect::Hermes => hermes::parse(text),
    }
}

/// The size of the rendered file as the dialect's own program counts it against its limit.
pub fn usage(dialect: Dialect, entries: &[Shown<'_>], frame: &Frame, unit: Unit) -> u64 {
    match dialect {
        // The joined text, delimiters and our escapes included: that is what the program reads.
        Dialect::Hermes => unit.count(&hermes::render(entries, frame)),
    }
}
