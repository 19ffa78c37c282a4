//! Which views there are: those of the settings, and beside a MEMORY.md of bullets one for each topic.

use super::file;
use crate::books;
use crate::config::ViewConfig;
use crate::operate::Books;
use crate::{Result, Store};
use memlore_model::BookName;
use memlore_view::{Dialect, parse, read_anyway, topic_of_file};
use rusqlite::Connection;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

impl Store {
    /// The views of these books, in the order in which every process locks them.
    pub(crate) fn views_of(&self, books: Books<'_>) -> Result<Vec<ViewConfig>> {
        let Some(folder) = self.config.topic_folder() else {
            return Ok(self.config.views.iter().filter(|view| books.include(&view.book)).cloned().collect());
        };
        let topics = match books {
            Books::All => self.topics(folder)?,
            Books::One(book) => self.is_topic(book).then(|| book.clone()).into_iter().collect(),
        };
        // Where a topic comes or goes, so does its link in the index.
        let index = |view: &ViewConfig| !topics.is_empty() && view.has_index();
        let settings = self.config.views.iter();
        let mut views: Vec<ViewConfig> =
            settings.filter(|view| books.include(&view.book) || index(view)).cloned().collect();
        views.extend(topics.iter().map(|topic| topic_view(folder, topic)));
        Ok(views)
    }

    /// Every view.
    pub(crate) fn all_views(&self) -> Result<Vec<ViewConfig>> {
        self.views_of(Books::All)
    }

    /// The view whose program's way of counting and comparing holds for a book: the first one.
    pub(crate) fn main_view(&self, book: &BookName) -> Option<ViewConfig> {
        let topic = || {
            self.config.topic_folder().filter(|_| self.is_topic(book)).map(|folder| topic_view(folder, book))
        };
        self.config.view(book).cloned().or_else(topic)
    }

    /// The dialect that decides how a book is counted and compared.
    pub(crate) fn dialect_of(&self, book: &BookName) -> Dialect {
        self.main_view(book).map_or(self.config.dialect, |view| view.dialect)
    }

    /// The dialects in which a book is shown.
    pub(crate) fn dialects_of(&self, book: &BookName) -> Vec<Dialect> {
        let views = self.config.views.iter().filter(|view| view.book == *book).map(|view| view.dialect);
        views.chain([self.dialect_of(book)]).collect()
    }

    /// Whether a book is kept as a topic.
    pub(crate) fn is_topic(&self, book: &BookName) -> bool {
        self.config.topic_folder().is_some()
            && *book != BookName::memory()
            && self.config.view(book).is_none()
    }

    /// The topics that are known, or have a file with entries.
    fn topics(&self, folder: &Path) -> Result<BTreeSet<BookName>> {
        let mut topics: BTreeSet<BookName> = self.db.read(books::names)?.into_iter().collect();
        topics.retain(|book| self.is_topic(book));
        let home = self.open.home.join(folder);
        for entry in std::fs::read_dir(home).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let known = || topics.iter().any(|topic| format!("{topic}.md") == name);
            if !name.ends_with(".md") || known() {
                continue;
            }
            let bytes = file::read(&entry.path()).ok().and_then(|file| file.bytes);
            let text = read_anyway(Dialect::Bullets, bytes.as_deref()).unwrap_or_default();
            let topic = topic_of_file(&name, &text).filter(|topic| self.is_topic(topic));
            if !parse(Dialect::Bullets, &text).items.is_empty() {
                topics.extend(topic);
            }
        }
        Ok(topics)
    }
}

/// The topics that the index of a book lists: those that have entries.
pub(crate) fn topics_of(store: &Store, db: &Connection, book: &BookName) -> rusqlite::Result<Vec<BookName>> {
    if store.config.topic_folder().is_none() || *book != BookName::memory() {
        return Ok(Vec::new());
    }
    let rows: Vec<(i64, BookName)> = db
        .prepare_cached(
            "select num, name from books
             where exists (select 1 from entries where book = books.num and live = 1) order by name",
        )?
        .query_map([], |row| Ok((row.get(0)?, crate::books::book_of(row, 1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut topics = Vec::with_capacity(rows.len());
    for (number, topic) in rows {
        if store.is_topic(&topic) && shows_anything(store, db, number)? {
            topics.push(topic);
        }
    }
    Ok(topics)
}

/// Whether a book has entries that are rendered here.
fn shows_anything(store: &Store, db: &Connection, book: i64) -> rusqlite::Result<bool> {
    let everywhere: bool = db
        .prepare_cached("select exists (select 1 from entries where book = ?1 and live = 1 and scope = 0)")?
        .query_row([book], |row| row.get(0))?;
    if everywhere || super::synced::others_render_here(store) {
        return Ok(everywhere);
    }
    let writers: Vec<i64> = db
        .prepare_cached("select distinct replica from entries where book = ?1 and live = 1")?
        .query_map([book], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for writer in writers {
        if store.owns(db, writer)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn topic_view(folder: &Path, topic: &BookName) -> ViewConfig {
    let path: PathBuf = folder.join(format!("{topic}.md"));
    ViewConfig { book: topic.clone(), path, dialect: Dialect::Bullets }
}
