//! What callers are told.

use memlore_model::message::Hidden;
use memlore_model::{BookName, Entry, EntryId, ReplicaId, Stamp};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Something that did not go as wished and stopped nothing, in a sentence for people.
pub type Warning = String;

/// How full a book is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// Its size.
    pub used: u64,
    /// The greatest size, when it has a limit.
    pub limit: Option<u64>,
    /// What is counted: `chars`, `utf16` or `bytes`.
    pub unit: &'static str,
}

impl Usage {
    /// Whether the book is larger than it may be.
    pub fn over(&self) -> bool {
        self.limit.is_some_and(|limit| self.used > limit)
    }
}

/// An answer, with what went wrong beside it.
#[derive(Clone, Debug)]
pub struct Answered<T> {
    /// The answer itself.
    pub answer: T,
    /// Warnings, each a sentence.
    pub warnings: Vec<Warning>,
}

/// Where a replica lives and what it keeps.
#[derive(Clone, Debug)]
pub struct Initialised {
    /// The replica.
    pub replica: ReplicaId,
    /// The device it lives on.
    pub device: String,
    /// Its home.
    pub home: PathBuf,
    /// Its state folder.
    pub state: PathBuf,
    /// Its share.
    pub share: Option<String>,
    /// The books that have a view, or entries.
    pub books: Vec<BookName>,
    /// What is wrong with the share that was named; the rest was done.
    pub share_problem: Option<ShareTrouble>,
}

/// Whether a text was new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddStatus {
    /// It was.
    Added,
    /// It was live already, and has a new id now.
    Exists,
}

/// What became of an add.
#[derive(Clone, Debug)]
pub struct Added {
    /// The new entry.
    pub id: EntryId,
    /// Its book.
    pub book: BookName,
    /// Whether the text was new.
    pub status: AddStatus,
    /// How full the book is now.
    pub usage: Usage,
}

/// What became of a removal or replacement.
#[derive(Clone, Debug)]
pub struct Changed {
    /// The entries that are gone.
    pub removed: Vec<EntryId>,
    /// The entry that took their place.
    pub added: Option<EntryId>,
}

/// What became of one operation of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BatchStatus {
    /// It was done.
    Done,
    /// The text was live already.
    Exists,
    /// Nothing matched, or it was gone already.
    Nothing,
    /// It was left out.
    Refused,
}

/// One operation of a batch, and its fate.
#[derive(Clone, Debug)]
pub struct BatchResult {
    /// Its place in the batch, from 0.
    pub index: usize,
    /// `add`, `replace`, `remove`, or what was given.
    pub op: &'static str,
    /// Its fate.
    pub status: BatchStatus,
    /// The entry it added.
    pub id: Option<EntryId>,
    /// The entries it removed.
    pub removed: Vec<EntryId>,
    /// Why it was left out or found nothing.
    pub reason: Option<String>,
}

/// How and when an entry was removed.
#[derive(Clone, Debug)]
pub struct RemovedAt {
    /// When.
    pub at: Stamp,
    /// By which agent.
    pub by: String,
    /// On which device.
    pub device: String,
    /// Why.
    pub why: Option<String>,
    /// What took its place.
    pub replaced_by: Vec<EntryId>,
}

/// An entry as it is read.
#[derive(Clone, Debug)]
pub struct Recalled {
    /// Its id.
    pub id: EntryId,
    /// What was recorded of it.
    pub entry: Entry,
    /// The removals it suffered; live when there is none.
    pub removed: Vec<RemovedAt>,
}

/// Entries, and the token of what was seen.
#[derive(Clone, Debug)]
pub struct Listed {
    /// In the order of their books.
    pub entries: Vec<Recalled>,
    /// To be passed on when one of them is removed.
    pub context: String,
}

/// One event in the life of an entry.
#[derive(Clone, Debug)]
pub enum Event {
    /// It was added.
    Added {
        /// When, by whom, and what.
        entry: Recalled,
    },
    /// It took the place of others.
    Replaced {
        /// The new entry.
        entry: Recalled,
        /// Those whose place it took.
        old: Vec<Recalled>,
    },
    /// It was removed, and nothing took its place.
    Removed {
        /// The entry.
        entry: Recalled,
        /// How.
        removal: RemovedAt,
    },
}

/// Live entries that replaced the same one.
#[derive(Clone, Debug)]
pub struct Conflict {
    /// The entry they replaced.
    pub replaced: EntryId,
    /// Its text, when it is known here.
    pub text: Option<String>,
    /// Those that live.
    pub entries: Vec<Recalled>,
}

/// Whether an edit is held because a text is gone from the file, or because it came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldKind {
    /// The file lacks it; it stays in memory.
    Absent,
    /// The file holds it again; it stays out of memory.
    Returning,
}

/// An edit of a file that may only mean that its writer started from an old file.
#[derive(Clone, Debug)]
pub struct Held {
    /// The text.
    pub text: String,
    /// Absent or returning.
    pub kind: HeldKind,
    /// Since when it is held, in microseconds since the epoch.
    pub since_us: u64,
}

/// What an import took in.
#[derive(Clone, Debug, Default)]
pub struct Imported {
    /// Texts added.
    pub added: usize,
    /// Texts removed.
    pub removed: usize,
    /// Texts replaced by a changed one.
    pub replaced: usize,
    /// Edits held.
    pub held: usize,
}

/// The state of a view's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewState {
    /// The file is what would be rendered now.
    Current,
    /// The file was edited since it was rendered.
    Edited,
    /// The file is an older rendering of ours.
    Outdated,
    /// There is no file.
    Missing,
    /// The file cannot be read, or what it holds is no view.
    Unusable,
}

/// A view, for people.
#[derive(Clone, Debug)]
pub struct ViewReport {
    /// The book it shows.
    pub book: BookName,
    /// Its file.
    pub path: PathBuf,
    /// The file's state.
    pub state: ViewState,
    /// What is held there.
    pub held: Vec<Held>,
    /// What stopped the last writing of it, when that failed.
    pub trouble: Option<String>,
}

/// What `sync` did.
#[derive(Clone, Debug, Default)]
pub struct Synced {
    /// Hand edits taken in.
    pub edits: Imported,
    /// Records taken in from others.
    pub records: usize,
    /// Segments read for that.
    pub segments: usize,
    /// Records published.
    pub published_records: usize,
    /// Segments written for that.
    pub published_segments: usize,
    /// What is not yet here, each in a sentence.
    pub waiting: Vec<String>,
    /// The views, as they are now.
    pub views: Vec<ViewReport>,
    /// What is wrong with the share; the rest was done.
    pub share_problem: Option<ShareTrouble>,
}

/// What `compact` did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compacted {
    /// Segments of ours that were merged.
    pub merged: usize,
    /// The larger ones that were written for them.
    pub written: usize,
    /// The records in those.
    pub records: u64,
    /// Segments that were deleted, because others carry all of them.
    pub deleted: usize,
    /// Segments of ours in the share now, those included that wait to be deleted.
    pub files: usize,
    /// Why nothing, or not everything, was done.
    pub share_problem: Option<ShareTrouble>,
}

/// Why the share was not used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareTrouble {
    /// In words.
    pub what: String,
    /// Of what kind that is.
    pub kind: ShareTroubleKind,
}

/// What follows from a share that was not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShareTroubleKind {
    /// It may be used another time: it is not there, or something in it cannot be read or written now.
    Unreachable,
    /// It belongs to another store, or to something else.
    Foreign,
    /// A later version wrote it.
    Newer,
    /// No share can have this address, or not with what the environment says.
    Address,
}

/// A book, for people.
#[derive(Clone, Debug)]
pub struct BookReport {
    /// Its name.
    pub book: BookName,
    /// How many texts are shown.
    pub entries: usize,
    /// How full it is.
    pub usage: Usage,
}

/// Another replica, for people.
#[derive(Clone, Debug)]
pub struct ReplicaReport {
    /// Its id.
    pub replica: ReplicaId,
    /// The device it lives on, when it said so.
    pub device: Option<String>,
    /// When we last took something in from it, in microseconds since the epoch.
    pub last_seen_us: Option<u64>,
    /// How many of its records we know of and do not have yet.
    pub behind: u64,
    /// How many branches its records have, because copies of it wrote under its id; 0 when nothing of the kind happened.
    pub branches: u64,
}

/// The share, for people.
#[derive(Clone, Debug)]
pub struct ShareReport {
    /// Where it is.
    pub path: String,
    /// The replicas seen there.
    pub replicas: Vec<ReplicaReport>,
    /// What waits, each in a sentence.
    pub waiting: Vec<String>,
    /// Files that were passed over, and why.
    pub ignored: Vec<String>,
    /// Records that are here and in no file of the share.
    pub lacking: Vec<String>,
}

/// How a replica is doing.
#[derive(Clone, Debug)]
pub struct Status {
    /// The replica.
    pub replica: ReplicaId,
    /// Its device.
    pub device: String,
    /// Its books.
    pub books: Vec<BookReport>,
    /// Its share.
    pub share: Option<ShareReport>,
    /// Its conversations.
    pub sessions: SessionsReport,
    /// Its views.
    pub views: Vec<ViewReport>,
    /// The database's format.
    pub format: i64,
    /// Records of kinds that this version does not know.
    pub unknown_records: u64,
    /// What a person should know.
    pub warnings: Vec<Warning>,
}

/// One thing that was checked.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name.
    pub name: &'static str,
    /// Whether it is as it should be.
    pub ok: bool,
    /// What was found.
    pub detail: String,
    /// What to do, or what was done.
    pub fix: Option<String>,
}

/// What became of a message that was handed over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppendStatus {
    /// It is in the database.
    Stored,
    /// It was there already.
    Duplicate,
    /// It is in the spool, and comes into the database later.
    Pending,
    /// It is nowhere.
    Failed,
}

/// A message that was handed over, and its fate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// Its flush timestamp, in microseconds since the epoch; a retry names it.
    pub flush_us: Option<i64>,
    /// Its fate.
    pub status: AppendStatus,
    /// Why it is not in the database.
    pub reason: Option<String>,
}

/// A conversation, for people.
#[derive(Clone, Debug)]
pub struct SessionReport {
    /// Its name.
    pub session: String,
    /// How many messages are in sight.
    pub messages: u64,
    /// The flush timestamp of the first one.
    pub first_us: Option<i64>,
    /// The flush timestamp of the last one.
    pub last_us: Option<i64>,
    /// The devices that wrote it.
    pub devices: Vec<String>,
    /// Its facts, each as JSON.
    pub facts: BTreeMap<String, String>,
}

/// A message as it is read.
#[derive(Clone, Debug)]
pub struct ShownMessage {
    /// Its conversation.
    pub session: String,
    /// Its flush timestamp, in microseconds since the epoch.
    pub flush_us: i64,
    /// The device on which it was handed over.
    pub device: String,
    /// The agent that handed it over; may be empty.
    pub by: String,
    /// Whether it is hidden.
    pub hidden: Hidden,
    /// Its fields in their order, each value as JSON, as it was written.
    pub fields: Vec<(String, String)>,
}

/// A line of a pending file that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedLine {
    /// The file.
    pub file: PathBuf,
    /// Its number there, from 1.
    pub line: u64,
    /// Why.
    pub reason: String,
}

/// What was taken in from pending files.
#[derive(Clone, Debug, Default)]
pub struct Recovered {
    /// Files that held something new.
    pub files: usize,
    /// Messages that are new.
    pub recovered: usize,
    /// Messages that were here already.
    pub duplicates: usize,
    /// Lines that cannot be read, and were not told of before.
    pub damaged: Vec<DamagedLine>,
}

/// What an import of conversations brought.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionsImported {
    /// Conversations that it held.
    pub sessions: usize,
    /// Messages that are new.
    pub messages: usize,
    /// Messages that were here already.
    pub duplicates: usize,
}

/// How the log of conversations is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionsReport {
    /// Conversations.
    pub sessions: u64,
    /// Messages in sight.
    pub messages: u64,
    /// Lines of pending files that are not in the database yet.
    pub pending: u64,
    /// Lines of pending files that cannot be read; they are kept aside.
    pub damaged: u64,
}

/// What a search found.
#[derive(Clone, Debug)]
pub enum Found {
    /// An entry.
    Entry {
        /// Its id.
        id: EntryId,
        /// Its book.
        book: BookName,
        /// The device that wrote it.
        device: String,
    },
    /// A message of a conversation.
    Message(ShownMessage),
}

/// A find, and why it was found.
#[derive(Clone, Debug)]
pub struct Hit {
    /// What was found.
    pub found: Found,
    /// Its text.
    pub text: String,
    /// The piece of the text where the words stand.
    pub snippet: String,
    /// How well it matches; the greater the better.
    pub score: f64,
}

/// An entry as a review is shown it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// Its number, from 1.
    pub number: usize,
    /// Its id.
    pub id: EntryId,
    /// Its book.
    pub book: BookName,
    /// Its text.
    pub text: String,
}

/// A list for a model, and the token that says which list the numbers mean.
#[derive(Clone, Debug)]
pub struct NumberedList {
    /// The entries, by their numbers.
    pub entries: Vec<Numbered>,
    /// To be passed on with the answer.
    pub context: String,
}

/// A change of a review that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedChange {
    /// Its place in the answer, from 0.
    pub index: usize,
    /// `add`, `edit` or `remove`.
    pub op: &'static str,
    /// The entry that it made or removed.
    pub id: EntryId,
    /// That entry's text.
    pub text: String,
}

/// A change of a review that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Its place in the answer, from 0.
    pub index: usize,
    /// Why.
    pub reason: String,
}

/// What became of a review's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reviewed {
    /// The changes that were made, in their order.
    pub applied: Vec<AppliedChange>,
    /// The changes that were not, in their order; those with a secret are counted alone.
    pub left_out: Vec<LeftOut>,
    /// How many changes were left out because they hold a secret.
    pub secrets: usize,
    /// The last line that counts as read.
    pub cursor: Option<u64>,
    /// Whether the same lines should be read once more.
    pub again: bool,
    /// Whether this very answer was applied before; then nothing was done.
    pub already: bool,
}
