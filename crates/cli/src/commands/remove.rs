//! `remove`: removes an entry.

use super::Result;
use super::replace::ChangeAnswer;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{REMOVED, glimpse, paint};
use crate::world::World;
use memlore_store::ask::Removal;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The entry: its id, its whole text, or a part that no other entry has
    #[arg(allow_hyphen_values = true)]
    what: String,
    /// What was seen, as `list` tells it
    #[arg(long, value_name = "TOKEN")]
    context: Option<String>,
    /// Why, in a few words
    #[arg(long, value_name = "TEXT")]
    why: Option<String>,
}

pub(super) fn run(args: Args, world: &World) -> Result<impl Answer + use<>> {
    let (mut store, mut warnings) = world.open_or_create()?;
    let removal = Removal { context: args.context, why: args.why };
    let changed = store.remove(&args.what, &removal).map_err(CommandError::from)?;
    warnings.extend(changed.warnings);
    let what = format!("{} {}", paint(REMOVED, "-"), glimpse(args.what.trim()));
    Ok(Reply::new(ChangeAnswer { changed: changed.answer, what, adds: false }, warnings))
}
