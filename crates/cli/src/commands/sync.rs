//! `sync`: the main job, once.

use super::Result;
use super::import::counted;
use super::render::write_views;
use crate::answer::{imported_json, views_json};
use crate::error::{CommandError, Exit};
use crate::output::{Answer, Reply};
use crate::page::{CHANGED, Page, count, paint};
use crate::world::World;
use memlore_store::answer::{ShareTrouble, ShareTroubleKind, Synced};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::json;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder or address to exchange through; it is remembered
    #[arg(long, value_name = "DIR|URL")]
    share: Option<String>,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let (mut store, mut warnings) = world.open_or_create()?;
    let synced = store.sync(args.share.as_deref()).map_err(CommandError::from)?;
    warnings.extend(synced.warnings);
    let error = synced.answer.share_problem.as_ref().map(share_error);
    Ok(Reply::new(SyncAnswer(synced.answer), warnings).with_error(error))
}

/// The rest was done, so that part is stored.
pub(super) fn share_error(trouble: &ShareTrouble) -> CommandError {
    let (exit, kind, hint) = match trouble.kind {
        ShareTroubleKind::Newer => {
            (Exit::Newer, "newer", "use the newer memlore that wrote there; nothing in the share was touched")
        }
        ShareTroubleKind::Foreign => {
            (Exit::Refused, "foreign", "name this memory's own share, or an empty folder, with --share")
        }
        ShareTroubleKind::Address => {
            (Exit::Usage, "address", "name a folder or another address with --share, or mend the environment")
        }
        ShareTroubleKind::Unreachable => {
            (Exit::Busy, "unreachable", "sync again when the share is there; --share names it anew")
        }
    };
    CommandError::new(exit, kind, trouble.what.clone()).but_stored().hint(hint)
}

struct SyncAnswer(Synced);

impl Serialize for SyncAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let Synced { records, segments, published_records, published_segments, .. } = self.0;
        let mut fields = to.serialize_struct("Synced", 5)?;
        fields.serialize_field("edits", &imported_json(&self.0.edits))?;
        fields.serialize_field("imported", &json!({"records": records, "segments": segments}))?;
        let published = json!({"records": published_records, "segments": published_segments});
        fields.serialize_field("published", &published)?;
        fields.serialize_field("waiting", &self.0.waiting)?;
        fields.serialize_field("views", &views_json(&self.0.views))?;
        fields.end()
    }
}

impl Answer for SyncAnswer {
    fn write(&self, page: &mut Page) {
        let Synced { edits, records, published_records, .. } = &self.0;
        let edits = counted(edits.added, edits.removed, edits.replaced, edits.held);
        let received = count(*records, "record", "records");
        page.line(format_args!("received {received}, published {published_records}, {edits}"));
        for waiting in &self.0.waiting {
            page.line(format_args!("  {} {waiting}", paint(CHANGED, "waiting")));
        }
        write_views(page, &self.0.views);
    }
}
