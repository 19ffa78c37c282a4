//! `import`: takes hand edits in.

use super::Result;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{Page, QUIET, paint};
use crate::world::World;
use memlore_store::answer::Imported;
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Take the texts of this file in, instead of the views' edits
    file: Option<PathBuf>,
    /// Obey what is held or guarded
    #[arg(long)]
    confirm: bool,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let (mut store, mut warnings) = world.open_or_create()?;
    let imported = store.import(args.file.as_deref(), args.confirm).map_err(CommandError::from)?;
    warnings.extend(imported.warnings);
    Ok(Reply::new(ImportAnswer::from(&imported.answer), warnings))
}

#[derive(Serialize)]
struct ImportAnswer {
    added: usize,
    removed: usize,
    replaced: usize,
    held: usize,
}

impl From<&Imported> for ImportAnswer {
    fn from(imported: &Imported) -> Self {
        let &Imported { added, removed, replaced, held } = imported;
        Self { added, removed, replaced, held }
    }
}

impl Answer for ImportAnswer {
    fn write(&self, page: &mut Page) {
        page.line(counted(self.added, self.removed, self.replaced, self.held));
        if self.held > 0 {
            page.line(paint(
                QUIET,
                "`memlore status` lists what is held, `memlore import --confirm` obeys it",
            ));
        }
    }
}

/// What an import took in, in a line.
pub(super) fn counted(added: usize, removed: usize, replaced: usize, held: usize) -> String {
    let parts = [(added, "added"), (removed, "removed"), (replaced, "replaced"), (held, "held")];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    if parts.is_empty() { "no edits".to_owned() } else { parts.join(", ") }
}
