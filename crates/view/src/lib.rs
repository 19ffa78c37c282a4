//! Views: how books become a file that others may edit, and what such an edit proves.
//!
//! Read in this order: [`Dialect`] names a format, [`render`] makes a file of [`Shown`] entries and a
//! [`Frame`], [`read_bytes`] and [`parse`] take one apart again; [`as_shown`] says what a dialect folds. [`History`] is what the store remembers of a
//! view's versions, [`Observed`] what it noticed about the present file, and [`judge()`] decides from them which
//! of the file's differences are edits. [`conflict_copy_of`] knows the files that sync programs leave beside a view.
//!
//! This crate reads no clock and no file, and it keeps nothing: the file's bytes, the versions and the access
//! times come in as arguments, the answer goes out as a value. It writes no tombstones and knows no ids.

mod bullet;
mod bullets;
mod copies;
mod cut;
mod dialect;
mod frame;
mod hermes;
mod history;
mod judge;
mod likeness;
mod limits;
mod lines;
mod metadata;
mod nearness;
mod observed;
mod page;
mod reading;
mod section;
mod topic;
mod version;
mod version_list;

pub use copies::{conflict_copy_of, shares_entries, texts_to_add};
pub use dialect::{Dialect, Sheet, Shown, as_shown, parse, parse_taking, render, usage, wants_file};
pub use frame::{Frame, Item, Parsed, Taken};
pub use history::History;
pub use judge::{Held, HeldKind, Judgement, Removed, Replaced, judge};
pub use likeness::{Match, matches, same_entry, show_the_same};
pub use limits::{DefaultLimits, default_limits};
pub use nearness::{Nearness, nearness};
pub use observed::{NewestRead, Observed, READ_AND_WRITE_US};
pub use reading::{Guard, Reading, read_anyway, read_bytes};
pub use topic::topic_of_file;
pub use version::{SetHash, Span, Version, VersionNumber};
pub use version_list::VersionList;
