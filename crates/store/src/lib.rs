//! A replica behind one front door: its database, its views, its share.
//!
//! [`Store`] is the door, and [`Appender`] a second one, for messages that must not be lost while the first is locked. [`Open`] says where the replica lives and brings the clock and the random source;
//! [`ask`] has what callers ask for, [`answer`] what they are told, [`Error`] why something was not done.
//!
//! This crate is the only one that knows SQLite. It prints nothing, reads no environment variable and asks
//! nobody anything: arguments come from the edges. It decides no meaning: what a change, a view's edit or a
//! segment means stands in the crates below.

pub mod answer;
pub mod ask;
mod books;
mod branch;
mod care;
mod compact;
mod config;
mod copied;
mod database;
mod draft;
mod error;
mod find;
mod hermes_config;
mod identity;
mod limits;
mod memory;
mod operate;
mod place;
mod recall;
mod receive;
mod reviews;
mod search;
mod secrets;
mod seen;
mod sessions;
mod set;
mod shelf;
mod split;
mod store;
mod sync;
mod views;
mod writing;

pub use compact::GRACE;
pub use error::{Candidate, Cause, Error, Kind, Result};
pub use place::{OnTakingIn, Open, OpenShare, Random, TakingIn, WallClock, default_state, only_folders};
pub use sessions::Appender;
pub use store::{Export, Store};
