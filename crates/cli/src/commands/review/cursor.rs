//! `review cursor`: how far a conversation was read here.

use crate::commands::Result;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{Page, QUIET, paint, safe};
use crate::world::World;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The conversation's key
    #[arg(long, value_name = "KEY")]
    conversation: String,
    /// Sets it, backwards too: the lines after it are read again
    #[arg(long, value_name = "N")]
    reset: Option<u64>,
}

pub(super) fn run(args: Args, world: &World) -> Result<impl Answer + use<>> {
    let (mut store, warnings) =
        if args.reset.is_some() { world.open_or_create()? } else { (world.open()?, Vec::new()) };
    let cursor = store.review_cursor(&args.conversation, args.reset).map_err(CommandError::from)?;
    Ok(Reply::new(CursorAnswer { conversation: args.conversation, cursor }, warnings))
}

#[derive(serde::Serialize)]
struct CursorAnswer {
    conversation: String,
    cursor: Option<u64>,
}

impl Answer for CursorAnswer {
    fn write(&self, page: &mut Page) {
        let conversation = safe(&self.conversation);
        match self.cursor {
            Some(line) => page.line(format_args!("{conversation} was read through line {line}")),
            None => page.line(paint(QUIET, format_args!("{conversation} was not read yet"))),
        }
    }
}
