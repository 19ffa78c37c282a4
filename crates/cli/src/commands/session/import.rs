//! `session import`: takes conversations in from another program's file.

use super::super::Result;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{Page, count};
use crate::world::World;
use memlore_store::answer::{Answered, SessionsImported};
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What the file is
    format: Format,
    /// The file
    path: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// The state.db of hermes-agent
    Hermes,
    /// One JSON object a line: messages, as `session export` and pending files have them
    Jsonl,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let (mut store, mut warnings) = world.open_or_create()?;
    let imported = match args.format {
        Format::Hermes => {
            store.import_hermes(&args.path).map(|answer| Answered { answer, warnings: Vec::new() })
        }
        Format::Jsonl => store.import_lines(&args.path),
    };
    let imported = imported.map_err(CommandError::from)?;
    warnings.extend(imported.warnings);
    Ok(Reply::new(ImportAnswer::from(imported.answer), warnings))
}

#[derive(Serialize)]
struct ImportAnswer {
    sessions: usize,
    messages: usize,
    duplicates: usize,
}

impl From<SessionsImported> for ImportAnswer {
    fn from(SessionsImported { sessions, messages, duplicates }: SessionsImported) -> Self {
        Self { sessions, messages, duplicates }
    }
}

impl Answer for ImportAnswer {
    fn write(&self, page: &mut Page) {
        let sessions = count(self.sessions, "conversation", "conversations");
        let messages = count(self.messages, "new message", "new messages");
        page.line(format_args!("{sessions}, {messages}, {} there already", self.duplicates));
    }
}
