//! What memlore's words mean: pure data and pure functions, the bottom of every other crate.
//!
//! Read in this order: [`ReplicaId`] and [`EntryId`] name things, [`Stamp`] and [`Clock`] order them,
//! [`Entry`] and [`Tombstone`] are what memory consists of, [`change`] carries them as automerge changes,
//! [`Message`] is what conversations consist of, [`Record`] is the unit that replicas exchange, [`Context`] says
//! what somebody had seen. [`review`] takes a model's answer apart, [`find_secret`] finds what may not be kept.
//!
//! This crate reads no clock, no random source and no file: those come in as arguments. It knows no
//! SQLite, no folder layout and no view.

mod base32;
pub mod canonical;
pub mod change;
mod clock;
mod context;
mod entry;
mod id;
pub mod leb128;
mod limit;
pub mod message;
mod position;
mod record;
pub mod review;
mod secret;
pub mod squeeze;
mod text;
mod topic;

pub use change::{BuiltChange, ChangeHash, ChangeProblem, NextChange, Put, ReadChange};
pub use clock::{Clock, FAR_AHEAD_US, LAST_US, Stamp};
pub use context::{Context, ContextProblem, Seen};
pub use entry::{Entry, FieldsProblem, Scope, Tombstone};
pub use id::{BookName, EntryId, IdProblem, ReplicaId};
pub use limit::{Limit, LimitProblem, Unit};
pub use message::{Digest, Message, MessageProblem};
pub use position::Position;
pub use record::{Kind, MAX_PAYLOAD_BYTES, Payload, Record, RecordHash, RecordName, Stream, hashes};
pub use secret::{SecretKind, find_secret, quoted};
pub use squeeze::Link;
pub use text::{MAX_TEXT_BYTES, TextKey, TextProblem, clean_text};
pub use topic::{TopicProblem, topic_name};
