//! `add`: remembers a text.

use super::{Result, stdin};
use crate::answer::usage_json;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{ADDED, Page, QUIET, fullness, glimpse, paint};
use crate::world::World;
use memlore_model::BookName;
use memlore_store::answer::{AddStatus, Added};
use memlore_store::ask;
use serde::Serialize;
use serde_json::Value;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The text; `-` reads it from stdin
    #[arg(allow_hyphen_values = true)]
    pub(crate) text: String,
    /// The book it belongs to
    #[arg(long, default_value = "memory")]
    book: BookName,
    /// Where it comes from
    #[arg(long, value_name = "S")]
    source: Option<String>,
    /// A label; may be given several times
    #[arg(long, value_name = "K=V", value_parser = label)]
    label: Vec<(String, String)>,
    /// Render it on this device alone
    #[arg(long)]
    here_only: bool,
}

pub(super) fn run(args: Args, world: &World) -> Result<impl Answer + use<>> {
    let text = if args.text == "-" { stdin::read_text()? } else { args.text };
    let (mut store, mut warnings) = world.open_or_create()?;
    let add = ask::Add {
        text,
        book: args.book,
        source: args.source,
        labels: args.label.into_iter().collect(),
        here_only: args.here_only,
    };
    let added = store.add(&add).map_err(CommandError::from)?;
    warnings.extend(added.warnings);
    Ok(Reply::new(AddAnswer::new(added.answer, Some(add.text)), warnings))
}

/// What became of an add; `restore` answers the same.
#[derive(Serialize)]
pub(super) struct AddAnswer {
    id: String,
    book: String,
    status: &'static str,
    usage: Value,
    #[serde(skip)]
    text: Option<String>,
    #[serde(skip)]
    fullness: String,
}

impl AddAnswer {
    /// The answer; the text, where the caller knows it, is for people.
    pub(super) fn new(added: Added, text: Option<String>) -> Self {
        Self {
            id: added.id.to_string(),
            book: added.book.to_string(),
            status: match added.status {
                AddStatus::Added => "added",
                AddStatus::Exists => "exists",
            },
            usage: usage_json(&added.usage),
            text,
            fullness: fullness(&added.usage),
        }
    }
}

impl Answer for AddAnswer {
    fn write(&self, page: &mut Page) {
        let text = self.text.as_deref().map(|text| glimpse(text.trim())).unwrap_or_default();
        let known = if self.status == "exists" { " (it was there already)" } else { "" };
        page.line(format_args!("{} {text}{known}", paint(ADDED, "+")));
        page.line(paint(QUIET, format_args!("  {} · {}", self.book, self.fullness)));
        if page.detailed() {
            page.line(paint(QUIET, format_args!("  {}", self.id)));
        }
    }
}

fn label(text: &str) -> std::result::Result<(String, String), String> {
    let (key, value) = text.split_once('=').filter(|(key, _)| !key.trim().is_empty()).ok_or("write K=V")?;
    Ok((key.trim().to_owned(), value.to_owned()))
}
