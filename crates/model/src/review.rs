//! Reviews: a model's answer to lines of a conversation, as a batch of changes to memory.
//!
//! [`read_answer`] takes the answer apart, [`Answer::plan`] says what of it is to be done. Both know nothing of what
//! memory holds beyond how many entries were shown; what becomes of each change is the store's to say.

mod cursor;
mod plan;
mod read;

pub use cursor::Cursor;
pub use plan::{Fitness, Plan, Planned};
pub use read::read_answer;

/// How many changes of one answer count.
pub const MOST_CHANGES: usize = 8;

/// How often the same lines are read, at most, while the answers to them are full.
pub const MOST_PASSES: u64 = 4;

/// One change that a model asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What is to be done.
    pub op: Op,
    /// The topic it names, as it was written.
    pub topic: Option<String>,
    /// Whether it is meant for the team's memory.
    pub team: bool,
}

/// What a change does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// Remembers a text.
    Add {
        /// The text.
        text: String,
    },
    /// Puts a text in a listed entry's place.
    Edit {
        /// The entry's number in the list that was shown, from 1.
        entry: u64,
        /// The new text.
        text: String,
    },
    /// Removes a listed entry.
    Remove {
        /// The entry's number in the list that was shown, from 1.
        entry: u64,
    },
}

impl Op {
    /// The op's name in answers.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Add { .. } => "add",
            Self::Edit { .. } => "edit",
            Self::Remove { .. } => "remove",
        }
    }

    /// The number of the listed entry that it means.
    pub fn entry(&self) -> Option<u64> {
        match self {
            Self::Add { .. } => None,
            Self::Edit { entry, .. } | Self::Remove { entry } => Some(*entry),
        }
    }

    /// The text that it brings.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Add { text } | Self::Edit { text, .. } => Some(text),
            Self::Remove { .. } => None,
        }
    }
}

/// A well-formed answer: every change it asks for, those that do not count included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The changes, in the order in which they were given.
    pub changes: Vec<Change>,
}

impl Answer {
    /// Whether a change names a listed entry, so that the list has to be known.
    pub fn names_entries(&self) -> bool {
        self.changes.iter().any(|change| change.op.entry().is_some())
    }
}

/// Why a whole answer fails. Nothing of what it says is in the message: it may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerProblem {
    /// It is no answer.
    #[error("the answer is malformed: {0}")]
    Malformed(Malformation),
    /// A change names an entry that was not listed.
    #[error("change {index} names entry {entry}, and {listed} were listed")]
    Unlisted {
        /// The change, from 0.
        index: usize,
        /// The number it names.
        entry: u64,
        /// How many entries were listed.
        listed: usize,
    },
    /// A change names a topic that can be none.
    #[error("change {index} names a topic that can be no book")]
    Topic {
        /// The change, from 0.
        index: usize,
    },
}

/// What is malformed about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformation {
    /// There is no JSON object from the first `{` to the last `}`.
    #[error("there is no JSON object in it")]
    NoObject,
    /// `changes` is missing, or no list.
    #[error("`changes` is no list")]
    NoList,
    /// A change is no object.
    #[error("change {0} is no object")]
    NoChange(usize),
    /// A change's `op` is none of `add`, `edit` and `remove`.
    #[error("change {0} has no known `op`")]
    Op(usize),
    /// An add or edit has no text, or a blank one.
    #[error("change {0} has no text")]
    Text(usize),
    /// An edit or removal has no number of an entry.
    #[error("change {0} has no number of an entry")]
    Entry(usize),
    /// A topic is no string.
    #[error("the topic of change {0} is no string")]
    Topic(usize),
    /// A team is no boolean.
    #[error("the team of change {0} is no boolean")]
    Team(usize),
}

impl From<Malformation> for AnswerProblem {
    fn from(malformation: Malformation) -> Self {
        Self::Malformed(malformation)
    }
}

#[cfg(test)]
mod tests;
