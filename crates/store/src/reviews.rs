//! Reviews: a model is shown a numbered list, answers with changes, and its answer is applied as one.
//!
//! What an answer means is decided in [`memlore_model::review`]; here stands what becomes of each change, and how far a
//! conversation was read.

mod apply;
mod changes;
mod cursor;
mod list;

pub(crate) use apply::apply;
pub(crate) use cursor::{cursor, project as project_cursor, project_all as project_cursors};
pub(crate) use list::list;
