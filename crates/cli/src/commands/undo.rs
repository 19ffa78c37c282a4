//! `undo`: reverses this replica's last operation.

use super::Result;
use super::replace::ChangeAnswer;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::count;
use crate::world::World;

pub(super) fn run(world: &World) -> Result<impl Answer + use<>> {
    let (mut store, mut warnings) = world.open_or_create()?;
    let changed = store.undo().map_err(CommandError::from)?;
    warnings.extend(changed.warnings);
    let (gone, back) = (changed.answer.removed.len(), usize::from(changed.answer.added.is_some()));
    let what = format!(
        "undone: {} removed, {} added; another `memlore undo` takes that back",
        count(gone, "entry", "entries"),
        back
    );
    Ok(Reply::new(ChangeAnswer { changed: changed.answer, what, adds: true }, warnings))
}
