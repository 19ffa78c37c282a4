//! What can go wrong, and what a caller should make of it.

use memlore_model::{SecretKind, quoted};
use std::path::PathBuf;

/// The cause of an error, whichever library it came from.
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// What kind of trouble an error is; the command line turns it into an exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing matched what was asked for.
    NotFound,
    /// The request itself is wrong.
    Usage,
    /// The request is understood and refused: a limit, an ambiguity, something not allowed.
    Refused,
    /// Something on disk is damaged.
    Damaged,
    /// Somebody else is in the way, or a place cannot be reached; later it may work.
    Busy,
    /// Something on disk was written by a later version.
    NewerFormat,
}

/// An entry named in a refusal, so that the caller can choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The entry's id.
    pub id: memlore_model::EntryId,
    /// Its book.
    pub book: memlore_model::BookName,
    /// Its text.
    pub text: String,
    /// Its size, in the unit of the book's limit.
    pub size: u64,
}

/// Why an operation was not done. Nothing was stored, unless the variant says otherwise.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The home was never initialised.
    #[error("no memory was ever kept for {}", home.display())]
    NoStore {
        /// The home that was asked for.
        home: PathBuf,
    },
    /// Nothing matched.
    #[error("nothing matches {}", quoted(what))]
    NothingMatched {
        /// What was looked for.
        what: String,
    },
    /// More than one entry contains the text.
    #[error("{} is contained in {} entries", quoted(what), candidates.len())]
    Ambiguous {
        /// What was looked for.
        what: String,
        /// The entries that contain it.
        candidates: Vec<Candidate>,
    },
    /// The request makes no sense.
    #[error("{0}")]
    Usage(String),
    /// The book has no room.
    #[error("{book} would hold {would} of {limit} {unit}")]
    Full {
        /// The book.
        book: memlore_model::BookName,
        /// The size it would have.
        would: u64,
        /// The size it may have.
        limit: u64,
        /// The unit of both.
        unit: &'static str,
        /// What it holds now.
        entries: Vec<Candidate>,
    },
    /// The text is longer than one entry may be.
    #[error("the text has {size} {unit}; one entry of this home may have {limit}")]
    EntryTooLong {
        /// The text's size.
        size: u64,
        /// The greatest size.
        limit: u64,
        /// The unit of both.
        unit: &'static str,
    },
    /// A secret was found; nothing of it is said here.
    #[error("it holds {kind}, and memory keeps no secrets")]
    Secret {
        /// What kind of secret.
        kind: SecretKind,
    },
    /// A review's answer fails as a whole.
    #[error(transparent)]
    Answer(#[from] memlore_model::review::AnswerProblem),
    /// A review answers lines that were read before, and says something else.
    #[error(
        "lines through {through} of {} were read already: the cursor is at {cursor}",
        quoted(conversation)
    )]
    Moved {
        /// The conversation.
        conversation: String,
        /// The last line that the answer is about.
        through: u64,
        /// The last line that was read.
        cursor: u64,
    },
    /// The text can be no entry.
    #[error("{0}")]
    Text(#[from] memlore_model::TextProblem),
    /// It is understood and not allowed; the words say why.
    #[error("{0}")]
    Refused(String),
    /// A later version made the context.
    #[error("{0}")]
    NewerContext(String),
    /// The database is held by others for longer than the deadline.
    #[error("the database {} is busy", path.display())]
    Busy {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: Cause,
    },
    /// The database cannot be used.
    #[error("the database {} cannot be used", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: Cause,
    },
    /// The database's content contradicts itself.
    #[error("the database {} is damaged: {what}", path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The settings cannot be read.
    #[error("the settings in {} cannot be read; mend the file, or move it aside and run `memlore init` with the share", path.display())]
    Settings {
        /// The file.
        path: PathBuf,
    },
    /// The database was written by a later version.
    #[error("the database {} has format {found}; this version reads up to {supported}", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The latest format that this version knows.
        supported: i64,
    },
    /// A file or folder cannot be used.
    #[error("cannot {what} {}", path.display())]
    File {
        /// What could not be done: "read", "create", …
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Error {
    /// Whether the request is at fault, not the store: then another request may well succeed.
    pub fn is_about_the_request(&self) -> bool {
        matches!(self.kind(), Kind::NotFound | Kind::Usage | Kind::Refused)
    }

    /// Whether it may pass by itself, so that trying again soon makes sense.
    pub(crate) fn may_pass(&self) -> bool {
        matches!(self, Self::Busy { .. } | Self::Database { .. } | Self::File { .. } | Self::NoStore { .. })
    }

    /// What kind of trouble this is.
    pub fn kind(&self) -> Kind {
        match self {
            Self::NoStore { .. } | Self::NothingMatched { .. } => Kind::NotFound,
            Self::Usage(_) => Kind::Usage,
            Self::Ambiguous { .. }
            | Self::Full { .. }
            | Self::EntryTooLong { .. }
            | Self::Secret { .. }
            | Self::Answer(_)
            | Self::Moved { .. }
            | Self::Text(_)
            | Self::Refused(_) => Kind::Refused,
            Self::Damaged { .. } | Self::Settings { .. } => Kind::Damaged,
            Self::Newer { .. } | Self::NewerContext(_) => Kind::NewerFormat,
            Self::Busy { .. } | Self::Database { .. } | Self::File { .. } => Kind::Busy,
        }
    }
}

/// What an operation of the store gives.
pub type Result<T> = std::result::Result<T, Error>;
