//! Conversations: a log of messages that loses none and keeps each once.
//!
//! [`Appender`] takes messages whatever state the database is in. Below it, `append` stores them in one transaction,
//! `spool` writes them beside the database when that cannot be done, `recover` takes them in again; `project` turns
//! records into the tables that `show` and `list` read.

mod append;
mod appender;
mod check;
mod hermes;
mod lines;
mod list;
mod name;
mod pending;
mod project;
mod read_only;
mod recover;
mod session;
mod show;
mod spool;

pub use appender::Appender;
pub(crate) use appender::told;
pub(crate) use check::{differing, rebuild, rebuild_within};
pub(crate) use hermes::import as import_hermes;
pub(crate) use lines::{export, import as import_lines};
pub(crate) use list::{list, report_all as report};
pub(crate) use project::{Place, Projector, SessionRecord};
pub(crate) use recover::{recover, report_damaged};
pub(crate) use show::{read as read_message, show, texts_after};
