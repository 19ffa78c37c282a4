//! A simulation of everybody who writes a view's file, with an oracle that knows what each of them had seen.
//!
//! [`Kind::all`] lists the ways in which a home is used, [`Kind::run`] plays one random history of it from a seed.
//! The rules of evidence are the real ones (`memlore_view::judge`), and so are the bytes of a list; the
//! file system, the access times, the watch and the store around them are modelled in memory. A writer's knowledge travels as tokens with the texts
//! that it read, which no rule can see.
//!
//! Nothing here reads a clock or a random source: a history is a function of its kind and its seed.

mod book;
mod devices;
mod disk;
mod home;
mod kind;
mod oracle;
mod people;
mod thoughts;

pub use kind::{Bound, Kind};
pub use oracle::Tally;
