//! What callers do to memory: remember, replace, remove, restore, undo.

mod add;
mod batch;
mod remove;
mod undo;

pub(crate) use add::add;
pub(crate) use batch::batch;
pub(crate) use remove::{in_place_of, remove, replace};
pub(crate) use undo::{restore, restore_into, undo};
