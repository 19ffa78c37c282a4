//! `init`: makes a memory for a home, or changes its settings.

use super::Result;
use super::sync::share_error;
use crate::error::CommandError;
use crate::output::{Answer, Reply};
use crate::page::{LOUD, Page, paint};
use crate::world::World;
use memlore_model::{BookName, Limit};
use memlore_store::answer::Initialised;
use memlore_store::{Store, ask};
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder or address through which replicas exchange
    #[arg(long, value_name = "DIR|URL")]
    share: Option<String>,
    /// How the views are written: hermes, bullets, …
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
    /// Show a book in a file, kept relative to the home
    #[arg(long, value_name = "BOOK=PATH", value_parser = view)]
    view: Vec<(BookName, PathBuf)>,
    /// How large a book may grow, counted in chars, utf16 or bytes
    #[arg(long, value_name = "BOOK=N[:UNIT]|BOOK=none", value_parser = book_limit)]
    limit: Vec<(BookName, Option<Limit>)>,
    /// How large one entry may be
    #[arg(long, value_name = "N[:UNIT]|none", value_parser = limit)]
    entry_limit: Option<EntryLimit>,
    /// Whether the home itself lies in a synced folder, when that cannot be seen
    #[arg(long, value_name = "BOOL")]
    synced: Option<bool>,
}

/// A limit, or `none`.
///
/// A type of its own, because clap reads an `Option` as an argument that may be absent.
#[derive(Clone, Copy, Debug, PartialEq)]
struct EntryLimit(Option<Limit>);

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let init = ask::Init {
        share: args.share.clone(),
        dialect: args.dialect.clone(),
        views: args.view.clone(),
        limits: args.limit.clone(),
        entry_limit: args.entry_limit.map(|EntryLimit(limit)| limit),
        synced: args.synced,
    };
    let done = Store::init(world.place()?, &init).map_err(CommandError::from)?;
    let error = done.answer.share_problem.as_ref().map(share_error);
    Ok(Reply::new(InitAnswer::from(done.answer), done.warnings).with_error(error))
}

#[derive(Serialize)]
struct InitAnswer {
    replica: String,
    device: String,
    home: PathBuf,
    state: PathBuf,
    share: Option<String>,
    books: Vec<String>,
}

impl From<Initialised> for InitAnswer {
    fn from(done: Initialised) -> Self {
        Self {
            replica: done.replica.to_string(),
            device: done.device,
            home: done.home,
            state: done.state,
            share: done.share,
            books: done.books.iter().map(BookName::to_string).collect(),
        }
    }
}

impl Answer for InitAnswer {
    fn write(&self, page: &mut Page) {
        page.line(paint(LOUD, format_args!("This memory is kept on {}.", self.device)));
        page.line(format_args!("  home     {}", self.home.display()));
        page.line(format_args!("  state    {}", self.state.display()));
        page.line(format_args!(
            "  share    {}",
            self.share.as_deref().unwrap_or("none; `memlore init --share DIR` names one")
        ));
        page.line(format_args!("  books    {}", self.books.join(", ")));
        if page.detailed() {
            page.line(format_args!("  replica  {}", self.replica));
        }
    }
}

fn view(text: &str) -> std::result::Result<(BookName, PathBuf), String> {
    let (book, path) = pair(text, "BOOK=PATH")?;
    Ok((book, PathBuf::from(path)))
}

fn book_limit(text: &str) -> std::result::Result<(BookName, Option<Limit>), String> {
    let (book, text) = pair(text, "BOOK=N, BOOK=N:UNIT or BOOK=none")?;
    Ok((book, limit(text)?.0))
}

fn limit(text: &str) -> std::result::Result<EntryLimit, String> {
    let limit =
        if text == "none" { None } else { Some(text.parse().map_err(|problem| format!("{problem}"))?) };
    Ok(EntryLimit(limit))
}

fn pair<'a>(text: &'a str, shape: &str) -> std::result::Result<(BookName, &'a str), String> {
    let (book, value) =
        text.split_once('=').filter(|(_, value)| !value.is_empty()).ok_or(format!("write {shape}"))?;
    Ok((book.parse().map_err(|problem| format!("{problem}"))?, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use memlore_model::Unit;

    #[test]
    fn limits_are_read_with_and_without_a_unit() {
        assert_eq!(limit("none"), Ok(EntryLimit(None)));
        let (book, most) = book_limit("memory=4000:utf16").unwrap();
        assert_eq!((book.as_str(), most), ("memory", Some(Limit { most: 4000, unit: Unit::Utf16 })));
        assert!(book_limit("memory=").is_err() && book_limit("4000").is_err() && limit("many").is_err());
    }
}
