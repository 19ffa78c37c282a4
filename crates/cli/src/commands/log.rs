//! `log`: every add, replace and remove, newest first.

use super::Result;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{Page, QUIET, paint};
use crate::world::World;
use memlore_model::BookName;
use serde::Serialize;

mod event;

pub(super) use event::{Telling, write_events};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this book
    #[arg(long)]
    book: Option<BookName>,
    /// Only the newest N
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let events = world.open()?.log(args.book.as_ref(), args.limit).map_err(CommandError::from)?;
    Ok(Reply::new(LogAnswer { events: events.into_iter().map(Telling).collect() }, Vec::new()))
}

#[derive(Serialize)]
struct LogAnswer {
    events: Vec<Telling>,
}

impl Answer for LogAnswer {
    fn write(&self, page: &mut Page) {
        if self.events.is_empty() {
            page.line(paint(QUIET, "nothing happened yet"));
        }
        write_events(page, &self.events);
    }
}
