//! `compact`: merges this replica's own segments in the share now.

use super::Result;
use super::sync::share_error;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{Page, count};
use crate::world::World;
use memlore_store::GRACE;
use memlore_store::answer::Compacted;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use serde_json::json;
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How long a segment stays after a larger one carries it [default: 7 days]
    #[arg(long, value_name = "SECONDS", default_value_t = GRACE.as_secs(), hide_default_value = true)]
    grace: u64,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let (mut store, mut warnings) = world.open_or_create()?;
    let compacted = store.compact(Duration::from_secs(args.grace)).map_err(CommandError::from)?;
    warnings.extend(compacted.warnings);
    let error = compacted.answer.share_problem.as_ref().map(share_error);
    Ok(Reply::new(CompactAnswer(compacted.answer), warnings).with_error(error))
}

struct CompactAnswer(Compacted);

impl Serialize for CompactAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let Compacted { merged, written, records, deleted, files, .. } = self.0;
        let mut fields = to.serialize_struct("Compacted", 4)?;
        fields.serialize_field("merged", &json!({"segments": merged}))?;
        fields.serialize_field("written", &json!({"records": records, "segments": written}))?;
        fields.serialize_field("deleted", &json!({"segments": deleted}))?;
        fields.serialize_field("segments", &files)?;
        fields.end()
    }
}

impl Answer for CompactAnswer {
    fn write(&self, page: &mut Page) {
        let Compacted { merged, written, deleted, files, .. } = self.0;
        let merged = count(merged, "segment", "segments");
        page.line(format_args!("merged {merged} into {written}, deleted {deleted}; {files} in the share"));
    }
}
