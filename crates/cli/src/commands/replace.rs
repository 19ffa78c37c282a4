//! `replace`: puts a text in another's place.

use super::{Result, stdin};
use crate::answer::Ids;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{ADDED, CHANGED, Page, QUIET, REMOVED, glimpse, paint};
use crate::world::World;
use memlore_store::answer::Changed;
use memlore_store::ask::Removal;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The entry: its id, its whole text, or a part that no other entry has
    #[arg(allow_hyphen_values = true)]
    old: String,
    /// The new text; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    new: String,
    /// What was seen, as `list` tells it
    #[arg(long, value_name = "TOKEN")]
    context: Option<String>,
}

pub(super) fn run(args: Args, world: &World) -> Result<impl Answer + use<>> {
    let new = if args.new == "-" { stdin::read_text()? } else { args.new };
    let (mut store, mut warnings) = world.open_or_create()?;
    let removal = Removal { context: args.context, why: None };
    let changed = store.replace(&args.old, &new, &removal).map_err(CommandError::from)?;
    warnings.extend(changed.warnings);
    let what = format!("{} {} → {}", paint(CHANGED, "~"), glimpse(&args.old), glimpse(new.trim()));
    Ok(Reply::new(ChangeAnswer { changed: changed.answer, what, adds: true }, warnings))
}

/// What became of a removal, a replacement, or an undo.
pub(super) struct ChangeAnswer {
    /// What the store did.
    pub(super) changed: Changed,
    /// What was done, for people.
    pub(super) what: String,
    /// Whether the operation is one that adds too.
    pub(super) adds: bool,
}

impl Serialize for ChangeAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Changed", 2)?;
        fields.serialize_field("removed", &Ids(&self.changed.removed))?;
        if self.adds {
            fields.serialize_field("added", &self.changed.added.map(|id| id.to_string()))?;
        } else {
            fields.skip_field("added")?;
        }
        fields.end()
    }
}

impl Answer for ChangeAnswer {
    fn write(&self, page: &mut Page) {
        page.line(&self.what);
        if page.detailed() {
            for id in &self.changed.removed {
                page.line(format_args!("  {} {}", paint(REMOVED, "-"), paint(QUIET, id)));
            }
            if let Some(id) = &self.changed.added {
                page.line(format_args!("  {} {}", paint(ADDED, "+"), paint(QUIET, id)));
            }
        }
    }
}
