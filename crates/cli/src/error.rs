//! Why a command was not done, for people and for programs.

use memlore_model::review::AnswerProblem;
use memlore_store::{Candidate, Error, Kind};
use serde_json::{Map, Value, json};
use std::error::Error as _;
use std::process::ExitCode;

/// How a command ended; the number is the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// It is done.
    Done = 0,
    /// Nothing matched what was asked for.
    Nothing = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The request is understood and refused.
    Refused = 3,
    /// It is kept in the spool, and not yet in the database.
    Pending = 4,
    /// Something on disk is damaged.
    Damaged = 5,
    /// Somebody is in the way, or a place cannot be reached.
    Busy = 6,
    /// A later version wrote what is there.
    Newer = 7,
}

impl Exit {
    /// Whether this end is the one to tell, when a command ended in both ways.
    pub(crate) fn outranks(self, other: Self) -> bool {
        let rank = |exit| {
            let ranks = [
                Self::Done,
                Self::Nothing,
                Self::Usage,
                Self::Pending,
                Self::Busy,
                Self::Refused,
                Self::Damaged,
                Self::Newer,
            ];
            ranks.iter().position(|ranked| *ranked == exit)
        };
        rank(self) > rank(other)
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<Kind> for Exit {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::NotFound => Self::Nothing,
            Kind::Usage => Self::Usage,
            Kind::Refused => Self::Refused,
            Kind::Damaged => Self::Damaged,
            Kind::Busy => Self::Busy,
            Kind::NewerFormat => Self::Newer,
        }
    }
}

/// What could not be done, whether anything was stored, and what to do next.
#[derive(Debug)]
pub(crate) struct CommandError {
    /// The exit code.
    pub(crate) exit: Exit,
    /// A word for programs.
    pub(crate) kind: &'static str,
    /// What could not be done.
    pub(crate) message: String,
    /// Why, from the nearest cause to the farthest.
    pub(crate) causes: Vec<String>,
    /// Whether the operation is durable although something after it failed.
    pub(crate) stored: bool,
    /// What to do next.
    pub(crate) hint: Option<String>,
    /// What some errors know besides.
    pub(crate) details: Box<Details>,
}

/// What a person or program needs in order to ask again, better.
#[derive(Debug, Default)]
pub(crate) struct Details {
    /// Entries to choose from.
    pub(crate) candidates: Vec<Candidate>,
    /// Further keys for programs.
    pub(crate) more: Map<String, Value>,
}

impl CommandError {
    /// An error of this kind, with nothing stored.
    pub(crate) fn new(exit: Exit, kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            exit,
            kind,
            message: message.into(),
            causes: Vec::new(),
            stored: false,
            hint: None,
            details: Box::default(),
        }
    }

    /// The command line, or what came in on stdin, makes no sense.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, "usage", message)
    }

    /// A damaged database was found, moved aside and begun anew; what came after is stored.
    pub(crate) fn mended(damage: &str) -> Self {
        Self::new(Exit::Damaged, "damaged", damage)
            .but_stored()
            .hint("see with `memlore list` that everything is back; this is told only once")
    }

    /// The worse of two errors; the other one becomes a cause, so that it is told too.
    pub(crate) fn or_worse(self, other: Option<Self>) -> Self {
        let Some(other) = other else { return self };
        let (mut worse, other) = if other.exit.outranks(self.exit) { (other, self) } else { (self, other) };
        worse.stored &= other.stored;
        worse.causes.push(other.message);
        worse
    }

    /// A file or stream could not be used.
    pub(crate) fn io(message: impl Into<String>, cause: &std::io::Error) -> Self {
        Self { causes: vec![cause.to_string()], ..Self::new(Exit::Busy, "unreachable", message) }
    }

    /// Says what to do next.
    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Says that the operation is durable all the same.
    pub(crate) fn but_stored(self) -> Self {
        Self { stored: true, ..self }
    }

    /// The error as the value of the key `error`.
    pub(crate) fn to_json(&self) -> Value {
        let mut fields = Map::new();
        fields.insert("kind".into(), json!(self.kind));
        fields.insert("message".into(), json!(self.message));
        fields.insert("stored".into(), json!(self.stored));
        fields.insert("hint".into(), json!(self.hint));
        fields.insert("exit".into(), json!(self.exit as u8));
        if !self.causes.is_empty() {
            fields.insert("causes".into(), json!(self.causes));
        }
        fields.extend(self.details.more.clone());
        Value::Object(fields)
    }
}

impl From<Error> for CommandError {
    fn from(error: Error) -> Self {
        let mut command_error =
            Self::new(error.kind().into(), kind(&error), error.to_string()).hint(hint(&error));
        let mut cause = error.source();
        while let Some(error) = cause {
            command_error.causes.push(error.to_string());
            cause = error.source();
        }
        match error {
            Error::Ambiguous { candidates, .. } => {
                command_error.details.more.insert("candidates".into(), list(&candidates));
                command_error.details.candidates = candidates;
            }
            Error::Full { book, would, limit, unit, entries } => {
                let more = json!({
                    "book": book.as_str(), "would": would, "limit": limit, "unit": unit, "entries": list(&entries),
                });
                command_error.details.more.extend(more.as_object().cloned().unwrap_or_default());
                command_error.details.candidates = entries;
            }
            Error::EntryTooLong { size, limit, unit } => {
                let more = json!({"size": size, "limit": limit, "unit": unit});
                command_error.details.more.extend(more.as_object().cloned().unwrap_or_default());
            }
            _ => {}
        }
        command_error
    }
}

fn list(candidates: &[Candidate]) -> Value {
    let candidate = |candidate: &Candidate| {
        json!({
            "id": candidate.id.to_string(), "book": candidate.book.as_str(), "text": candidate.text,
            "size": candidate.size,
        })
    };
    candidates.iter().map(candidate).collect()
}

/// The word that programs know an error by.
fn kind(error: &Error) -> &'static str {
    match error {
        Error::NoStore { .. } => "uninitialised",
        Error::NothingMatched { .. } => "not_found",
        Error::Ambiguous { .. } => "ambiguous",
        Error::Full { .. } => "full",
        Error::EntryTooLong { .. } => "too_long",
        Error::Text(_) => "text",
        Error::Secret { .. } => "secret",
        Error::Answer(AnswerProblem::Malformed(_)) => "malformed",
        Error::Answer(AnswerProblem::Unlisted { .. }) => "unlisted",
        Error::Answer(AnswerProblem::Topic { .. }) => "topic",
        Error::Moved { .. } => "moved",
        Error::Busy { .. } => "busy",
        _ => match error.kind() {
            Kind::NotFound => "not_found",
            Kind::Usage => "usage",
            Kind::Refused => "refused",
            Kind::Damaged => "damaged",
            Kind::Busy => "unreachable",
            Kind::NewerFormat => "newer",
        },
    }
}

/// What to do next.
fn hint(error: &Error) -> String {
    let hint = match error {
        Error::NoStore { .. } => {
            "`memlore init` begins one, and so does the first `memlore add`; --home names another folder"
        }
        Error::NothingMatched { .. } => {
            "`memlore list` shows what there is, `memlore list --removed` what there was"
        }
        Error::Ambiguous { .. } => "name the entry by its id or by its whole text",
        Error::Full { book, .. } => {
            return format!(
                "remove or shorten entries of {book} first, or raise the limit: `memlore init --limit {book}=N`"
            );
        }
        Error::EntryTooLong { .. } => {
            "shorten the text or split it, or raise the limit: `memlore init --entry-limit N`"
        }
        Error::Answer(_) => "ask the model again; the cursor has not moved",
        Error::Moved { .. } => {
            "review the lines after the cursor; `memlore review cursor --reset N` sets it back"
        }
        Error::Secret { .. } => "say where the secret is kept instead of the secret itself",
        Error::Text(_) => "give a text of one entry; `-` reads it from stdin",
        Error::Settings { .. } => "the database beside it is whole; only the settings are missing",
        Error::Busy { .. } => "try again; another process may be writing for long",
        Error::File { .. } => "see that the path exists and that this account may use it",
        _ => match error.kind() {
            Kind::NotFound => "`memlore list` shows what there is",
            Kind::Usage => "`memlore help` and `memlore COMMAND --help` say what can be asked",
            Kind::Refused => "change what was asked for",
            Kind::Damaged => {
                "`memlore doctor --repair` moves it aside whole and begins anew from the share and the views"
            }
            Kind::Busy => "try again when the place can be reached; `memlore doctor` looks closer",
            Kind::NewerFormat => "use the newer memlore that wrote it; nothing there was touched",
        },
    };
    hint.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_trouble_has_its_exit_code() {
        let codes =
            [Kind::NotFound, Kind::Usage, Kind::Refused, Kind::Damaged, Kind::Busy, Kind::NewerFormat]
                .map(|kind| Exit::from(kind) as u8);
        assert_eq!(codes, [1, 2, 3, 5, 6, 7]);
    }

    #[test]
    fn a_full_book_says_what_it_holds() {
        let id = memlore_model::EntryId { replica: memlore_model::ReplicaId([1; 16]), counter: 1, nonce: 2 };
        let book = memlore_model::BookName::memory();
        let entry = Candidate { id, book: book.clone(), text: "tea".into(), size: 3 };
        let error = Error::Full { book, would: 12, limit: 10, unit: "chars", entries: vec![entry] };
        let error = CommandError::from(error).to_json();
        assert_eq!(error["kind"], "full");
        assert_eq!(error["stored"], false);
        assert_eq!(error["would"], 12);
        assert_eq!(error["entries"][0]["id"], id.to_string());
        assert!(error["hint"].as_str().is_some_and(|hint| hint.contains("--limit memory=N")));
    }

    #[test]
    fn a_cause_is_told_once() {
        let source = std::io::Error::other("disk on fire");
        let error = Error::File { what: "read", path: "/x".into(), source };
        let error = CommandError::from(error);
        assert_eq!(error.message, "cannot read /x");
        assert_eq!(error.causes, ["disk on fire"]);
    }
}
