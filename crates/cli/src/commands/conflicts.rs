//! `conflicts`: live entries that replaced the same one.

use super::Result;
use super::list::{Entries, write_entries};
use crate::answer::Shown;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{CHANGED, Page, QUIET, glimpse, paint};
use crate::world::World;
use memlore_store::answer::Conflict;
use serde::Serialize;
use serde::ser::{SerializeStruct as _, Serializer};

pub(super) fn run(world: &World) -> Result<impl Answer + use<>> {
    let conflicts = world.open()?.conflicts().map_err(CommandError::from)?;
    Ok(Reply::new(ConflictsAnswer { conflicts: conflicts.into_iter().map(Shared).collect() }, Vec::new()))
}

#[derive(Serialize)]
struct ConflictsAnswer {
    conflicts: Vec<Shared>,
}

/// A place that several entries took.
struct Shared(Conflict);

impl Serialize for Shared {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Conflict", 3)?;
        fields.serialize_field("replaced", &Shown(self.0.replaced))?;
        fields.serialize_field("text", &self.0.text)?;
        fields.serialize_field("entries", &Entries(&self.0.entries))?;
        fields.end()
    }
}

impl Answer for ConflictsAnswer {
    fn write(&self, page: &mut Page) {
        for Shared(conflict) in &self.conflicts {
            let text = conflict.text.as_deref().map_or_else(|| "something unknown here".to_owned(), glimpse);
            page.line(format_args!(
                "{} {text}  {}",
                paint(CHANGED, "~"),
                paint(QUIET, "was replaced more than once:")
            ));
            write_entries(page, &conflict.entries);
        }
        page.line(paint(
            QUIET,
            match self.conflicts.len() {
                0 => "no entry was replaced by two",
                _ => "keep one: `memlore remove` the others, or `memlore replace` them by one text",
            },
        ));
    }
}
