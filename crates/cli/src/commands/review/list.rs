//! `review list`: entries with numbers, to show a model.

use crate::answer::Shown;
use crate::commands::Result;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{Page, QUIET, paint};
use crate::world::World;
use memlore_model::BookName;
use memlore_store::answer::{Numbered, NumberedList};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only these books, in this order
    #[arg(long = "book", value_name = "BOOK")]
    books: Vec<BookName>,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let list = world.open()?.review_list(&args.books).map_err(CommandError::from)?;
    Ok(Reply::new(ListAnswer(list), Vec::new()))
}

struct ListAnswer(NumberedList);

impl Serialize for ListAnswer {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Listed", 2)?;
        fields.serialize_field("entries", &Vec::from_iter(self.0.entries.iter().map(EntryJson)))?;
        fields.serialize_field("context", &self.0.context)?;
        fields.end()
    }
}

/// An entry with its number.
struct EntryJson<'a>(&'a Numbered);

impl Serialize for EntryJson<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let Numbered { number, id, book, text } = self.0;
        let mut fields = to.serialize_struct("Entry", 4)?;
        fields.serialize_field("number", number)?;
        fields.serialize_field("id", &Shown(id))?;
        fields.serialize_field("book", book.as_str())?;
        fields.serialize_field("text", text)?;
        fields.end()
    }
}

impl Answer for ListAnswer {
    fn write(&self, page: &mut Page) {
        if self.0.entries.is_empty() {
            page.line(paint(QUIET, "nothing is remembered yet"));
        }
        for Numbered { number, book, text, .. } in &self.0.entries {
            let head = format!("{number:>3}  {}  ", paint(QUIET, book));
            page.indented(head, 7 + book.as_str().chars().count(), text);
        }
        page.line("");
        page.line(format_args!("{} {}", paint(QUIET, "context"), self.0.context));
    }
}
