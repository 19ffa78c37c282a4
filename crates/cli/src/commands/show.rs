//! `show`: one entry with its whole story.

use super::Result;
use super::log::{Telling, write_events};
use crate::answer::{EntryJson, write_provenance};
use crate::error::{CommandError, Exit};
use crate::output::{Answer, Reply};
use crate::page::Page;
use crate::world::World;
use memlore_model::EntryId;
use memlore_store::answer::Recalled;
use serde::Serialize;
use serde::ser::Serializer;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The entry's id, as `list -v` tells it
    id: EntryId,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let story = world.open()?.show(args.id).map_err(CommandError::from)?;
    let story: Vec<Telling> = story.into_iter().map(Telling).collect();
    let entry = find(&story, args.id).ok_or_else(|| {
        CommandError::new(Exit::Nothing, "not_found", format!("no entry has the id {}", args.id))
            .hint("`memlore list -v` and `memlore list --removed -v` tell the ids")
    })?;
    Ok(Reply::new(ShowAnswer { entry, story }, Vec::new()))
}

/// The entry itself, wherever in its story it stands.
fn find(story: &[Telling], id: EntryId) -> Option<Recalled> {
    let mut entries = story.iter().flat_map(|event| event.old().iter().chain([event.entry()]));
    entries.rfind(|entry| entry.id == id).cloned()
}

#[derive(Serialize)]
struct ShowAnswer {
    #[serde(flatten, serialize_with = "as_entry")]
    entry: Recalled,
    story: Vec<Telling>,
}

fn as_entry<S: Serializer>(entry: &Recalled, to: S) -> std::result::Result<S::Ok, S::Error> {
    EntryJson(entry).serialize(to)
}

impl Answer for ShowAnswer {
    fn write(&self, page: &mut Page) {
        page.indented("", 0, &self.entry.entry.text);
        write_provenance(page, 0, &self.entry.id, &self.entry.entry);
        page.line("");
        write_events(page, &self.story);
    }
}
