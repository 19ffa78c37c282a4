//! `batch`: several things in one transaction.

use super::{Result, stdin};
use crate::answer::Ids;
use crate::error::{CommandError, Exit};
use crate::output::{Answer, Reply};
use crate::page::{ADDED, CHANGED, Page, QUIET, REMOVED, count, paint};
use crate::world::World;
use memlore_model::BookName;
use memlore_store::answer::{BatchResult, BatchStatus};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

mod ops;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The book
    #[arg(long, default_value = "memory")]
    book: BookName,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let asked = ops::parse(&stdin::read()?)?;
    let (mut store, mut warnings) = world.open_or_create()?;
    let done = store.batch(&args.book, &asked.ops).map_err(CommandError::from)?;
    warnings.extend(done.warnings);
    let refused = done.answer.iter().filter(|result| result.status == BatchStatus::Refused).count();
    let error = (refused > 0).then(|| {
        let what = count(refused, "operation was", "operations were");
        let error =
            CommandError::new(Exit::Refused, "refused", format!("{what} refused; the others are done"))
                .hint("each result says why; give the refused ones again, changed");
        CommandError { stored: refused < done.answer.len(), ..error }
    });
    let results = done.answer.into_iter().map(|result| Fate { op: asked.name(&result), result }).collect();
    Ok(Reply::new(BatchAnswer { results }, warnings).with_error(error))
}

#[derive(serde::Serialize)]
struct BatchAnswer {
    results: Vec<Fate>,
}

/// What became of one operation.
struct Fate {
    op: String,
    result: BatchResult,
}

impl Fate {
    fn status(&self) -> &'static str {
        match self.result.status {
            BatchStatus::Done => "done",
            BatchStatus::Exists => "exists",
            BatchStatus::Nothing => "nothing",
            BatchStatus::Refused => "refused",
        }
    }
}

impl Serialize for Fate {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let BatchResult { index, id, removed, reason, .. } = &self.result;
        let mut fields = to.serialize_struct("Result", 6)?;
        fields.serialize_field("index", index)?;
        fields.serialize_field("op", &self.op)?;
        fields.serialize_field("status", self.status())?;
        fields.serialize_field("id", &id.map(|id| id.to_string()))?;
        fields.serialize_field("removed", &Ids(removed))?;
        fields.serialize_field("reason", reason)?;
        fields.end()
    }
}

impl Answer for BatchAnswer {
    fn write(&self, page: &mut Page) {
        if self.results.is_empty() {
            page.line(paint(QUIET, "nothing to do"));
        }
        for fate in &self.results {
            let style = match fate.result.status {
                BatchStatus::Done => ADDED,
                BatchStatus::Exists | BatchStatus::Nothing => CHANGED,
                BatchStatus::Refused => REMOVED,
            };
            let reason = fate.result.reason.as_deref().unwrap_or_default();
            let status = format!("{:<8}", fate.status());
            page.line(format_args!(
                "{:>3}  {:<8} {} {}",
                fate.result.index,
                fate.op,
                paint(style, status),
                paint(QUIET, reason)
            ));
        }
    }
}
