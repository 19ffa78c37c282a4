//! `restore`: adds a removed entry again.

use super::Result;
use super::add::AddAnswer;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::world::World;
use memlore_model::EntryId;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The entry's id, as `list --removed -v` tells it
    id: EntryId,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let (mut store, mut warnings) = world.open_or_create()?;
    let added = store.restore(args.id).map_err(CommandError::from)?;
    warnings.extend(added.warnings);
    Ok(Reply::new(AddAnswer::new(added.answer, Some(args.id.to_string())), warnings))
}
