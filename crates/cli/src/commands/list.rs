//! `list`: what is remembered.

use super::Result;
use crate::answer::{EntryJson, write_provenance};
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{LOUD, Page, QUIET, paint};
use crate::{time, world::World};
use memlore_model::BookName;
use memlore_store::answer::{Listed, Recalled};
use memlore_store::ask::ListQuery;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only this book
    #[arg(long)]
    book: Option<BookName>,
    /// What was removed, instead of what is there
    #[arg(long)]
    removed: bool,
    /// As it was at this time: RFC 3339, a date, or microseconds since the epoch
    #[arg(long, value_name = "TIME", value_parser = time::parse)]
    at: Option<u64>,
}

pub(super) fn run(args: Args, world: &World) -> Result<impl Answer + use<>> {
    let query = ListQuery { book: args.book, removed: args.removed, at_us: args.at };
    let listed = world.open()?.list(&query).map_err(CommandError::from)?;
    Ok(Reply::new(ListAnswer { listed, removed: args.removed }, Vec::new()))
}

struct ListAnswer {
    listed: Listed,
    removed: bool,
}

impl Serialize for ListAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Listed", 2)?;
        fields.serialize_field("entries", &Entries(&self.listed.entries))?;
        fields.serialize_field("context", &self.listed.context)?;
        fields.end()
    }
}

/// Entries, as a list.
pub(super) struct Entries<'a>(pub(super) &'a [Recalled]);

impl Serialize for Entries<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        to.collect_seq(self.0.iter().map(EntryJson))
    }
}

impl Answer for ListAnswer {
    fn write(&self, page: &mut Page) {
        let entries = &self.listed.entries;
        if entries.is_empty() {
            let nothing = if self.removed { "nothing was removed" } else { "nothing is remembered yet" };
            page.line(paint(QUIET, nothing));
        }
        for (index, of_book) in entries.chunk_by(|a, b| a.entry.book == b.entry.book).enumerate() {
            if index > 0 {
                page.line("");
            }
            let book = &of_book.first().expect("a chunk holds something").entry.book;
            page.line(format_args!("{} {}", paint(LOUD, book), paint(QUIET, of_book.len())));
            write_entries(page, of_book);
        }
    }
}

/// Writes entries below each other: how old, and what.
pub(super) fn write_entries(page: &mut Page, entries: &[Recalled]) {
    let age = |page: &Page, recalled: &Recalled| {
        let removal = recalled.removed.iter().map(|removal| removal.at).min();
        page.age(removal.unwrap_or(recalled.entry.written).us)
    };
    let width = entries.iter().map(|recalled| age(page, recalled).len()).max().unwrap_or_default();
    for recalled in entries {
        let head = format!("  {}  ", paint(QUIET, format_args!("{:>width$}", age(page, recalled))));
        page.indented(head, width + 4, &recalled.entry.text);
        if page.detailed() {
            write_provenance(page, width + 4, &recalled.id, &recalled.entry);
        }
    }
}
