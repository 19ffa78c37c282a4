//! The formats of view, and the one place that chooses between them.

use crate::frame::{Frame, Item, Parsed, Sorting, Taken};
use crate::lines::folded;
use crate::section::Bounds;
use crate::{bullets, hermes, section};
use memlore_model::{BookName, Unit};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A format of view.
///
/// How each is written, read, measured and limited is decided where a match names them all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// Entries joined by a line that is only `§`, as hermes-agent keeps MEMORY.md and USER.md.
    Hermes,
    /// A list with metadata, as Agent Memory Repo and DS Bot keep MEMORY.md and one file for each topic.
    Bullets,
    /// A list between marks of ours, in a file that belongs to somebody else: CLAUDE.md, AGENTS.md.
    Section,
    /// The section of GEMINI.md in which Gemini CLI keeps its memories.
    Gemini,
}

impl Dialect {
    /// Every dialect, in the order in which they are listed for people.
    pub const ALL: [Self; 4] = [Self::Hermes, Self::Bullets, Self::Section, Self::Gemini];

    /// The dialect's name on the command line and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hermes => "hermes",
            Self::Bullets => "bullets",
            Self::Section => "section",
            Self::Gemini => "gemini",
        }
    }

    /// The dialect of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.name() == name)
    }

    /// Whether the file belongs to somebody else, and only a part of it is ours.
    pub fn is_guest(self) -> bool {
        match self {
            Self::Hermes | Self::Bullets => false,
            Self::Section | Self::Gemini => true,
        }
    }
}

/// One entry as a view shows it.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The entry's text, cleaned.
    pub text: &'a str,
    /// Its labels, for the dialects that show them.
    pub labels: &'a BTreeMap<String, String>,
    /// Where it comes from; bullets show it as the label `source`.
    pub source: Option<&'a str>,
}

impl<'a> Shown<'a> {
    /// Shows a text without labels.
    pub fn plain(text: &'a str) -> Self {
        static NO_LABELS: BTreeMap<String, String> = BTreeMap::new();
        Self { text, labels: &NO_LABELS, source: None }
    }
}

/// What is rendered beside the entries: the dialect, and for bullets the title and the index.
///
/// Made from a dialect alone it is a sheet of the book `memory`, and no topic has entries.
#[derive(Clone, Copy, Debug)]
pub struct Sheet<'a> {
    /// The format.
    pub dialect: Dialect,
    /// The book; none is the book `memory`.
    pub book: Option<&'a BookName>,
    /// The topics that have entries, in any order. Only the book `memory` lists them.
    pub topics: &'a [BookName],
}

impl From<Dialect> for Sheet<'_> {
    fn from(dialect: Dialect) -> Self {
        Self { dialect, book: None, topics: &[] }
    }
}

impl Sheet<'_> {
    pub(crate) fn has_index(&self) -> bool {
        self.book.is_none_or(|book| *book == BookName::memory())
    }
}

/// Renders entries into a file, around its frame.
///
/// A function of its arguments alone: equal entries and an equal frame give equal bytes everywhere.
pub fn render<'a>(sheet: impl Into<Sheet<'a>>, entries: &[Shown<'_>], frame: &Frame) -> String {
    let sheet = sheet.into();
    match sheet.dialect {
        Dialect::Hermes => hermes::render(entries, frame),
        Dialect::Bullets => bullets::render(&sheet, entries, frame),
        Dialect::Section => section::render(Bounds::Marks, entries, frame),
        Dialect::Gemini => section::render(Bounds::Gemini, entries, frame),
    }
}

/// Parses a file's text into its entries and its frame: every line that reads as an entry is one.
///
/// Any text parses. `parse(render(entries))` gives the texts of the entries [as they are shown](as_shown), when no two
/// of them have one key.
pub fn parse(dialect: Dialect, text: &str) -> Parsed {
    parse_taking(dialect, text, &mut |_| Taken::All)
}

/// Parses a file's text when not every entry in it can be taken over: what stays behind stays in the frame.
///
/// A text of the hermes dialect is taken over or not, since nothing stands beside one.
pub fn parse_taking(dialect: Dialect, text: &str, taken: &mut dyn FnMut(&Item) -> Taken) -> Parsed {
    let sorting = Sorting::new(taken);
    match dialect {
        Dialect::Hermes => hermes::parse(text, sorting),
        Dialect::Bullets => bullets::parse(text, sorting),
        Dialect::Section => section::parse(Bounds::Marks, text, sorting),
        Dialect::Gemini => section::parse(Bounds::Gemini, text, sorting),
    }
}

/// The text that a view in this dialect gives back: what the dialect folds is no edit.
///
/// Every cleaned text can be shown in every dialect, and stays one entry there. hermes shows it to the letter. The others
/// have one line for an entry, so they show line ends and runs of white space as one space; whatever would be taken
/// for something else is escaped.
pub fn as_shown(dialect: Dialect, text: &str) -> Cow<'_, str> {
    match dialect {
        Dialect::Hermes => Cow::Borrowed(text),
        Dialect::Bullets | Dialect::Section | Dialect::Gemini => Cow::Owned(folded(text)),
    }
}

/// The size of a view as the dialect's own program counts it against its limit.
pub fn usage<'a>(sheet: impl Into<Sheet<'a>>, entries: &[Shown<'_>], frame: &Frame, unit: Unit) -> u64 {
    let sheet = sheet.into();
    match sheet.dialect {
        // The whole file, delimiters, metadata and a person's lines included: that is what the program reads.
        Dialect::Hermes | Dialect::Bullets => unit.count(&render(sheet, entries, frame)),
        // The rest of the file is not ours to count.
        Dialect::Section | Dialect::Gemini => unit.count(&section::lines(entries, frame)),
    }
}

/// Whether there is to be a file at all.
///
/// A topic without entries has none, unless a person wrote into it; a file of somebody else is made only when
/// there is something to show. What is there stays, an empty topic's file apart.
pub fn wants_file<'a>(sheet: impl Into<Sheet<'a>>, entries: &[Shown<'_>], frame: &Frame) -> bool {
    let sheet = sheet.into();
    !entries.is_empty()
        || match sheet.dialect {
            Dialect::Hermes => true,
            Dialect::Bullets => {
                sheet.has_index() || !bullets::is_bare_topic(frame) || !frame.texts.is_empty()
            }
            Dialect::Section | Dialect::Gemini => frame.page.is_some(),
        }
}
