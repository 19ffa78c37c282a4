//! Limits: what an add may be refused for. Nothing that is stored is ever dropped for them.

use crate::answer::Usage;
use crate::books::live_in;
use crate::draft::Draft;
use crate::find::candidates;
use crate::operate::Frames;
use crate::views::{shown, topics_of};
use crate::writing::Writing;
use crate::{Error, Result, Store};
use memlore_model::{BookName, Limit, TextKey, Unit};
use memlore_view::{Sheet, Shown, usage};
use rusqlite::{Connection, OptionalExtension as _};
use std::collections::HashSet;

impl Store {
    /// Checks whether a text may be an entry here: it holds no secret, and is no longer than one entry may be.
    ///
    /// Every path that writes an entry comes through here.
    pub(crate) fn check_entry(&self, text: &str) -> Result<()> {
        self.check_secret(text)?;
        let Some(limit) = self.config.entry_limit else { return Ok(()) };
        let size = limit.unit.count(text);
        if size > limit.most {
            return Err(Error::EntryTooLong { size, limit: limit.most, unit: limit.unit.name() });
        }
        Ok(())
    }

    /// Whether a book's size is kept up instead of measured: nobody renders it, and nothing limits it.
    pub(crate) fn size_is_kept(&self, book: &BookName) -> bool {
        self.main_view(book).is_none() && self.limit_of(book).is_none()
    }

    pub(crate) fn limit_of(&self, book: &BookName) -> Option<Limit> {
        self.config.limit(&self.open.home, book)
    }
}

/// The size of a book that nobody renders, in characters: as it is kept, or counted now.
pub(crate) fn kept_size(db: &Connection, book: &BookName) -> rusqlite::Result<u64> {
    let found: Option<(i64, Option<u64>)> = db
        .prepare_cached("select num, live_chars + 3 * max(live_count - 1, 0) from books where name = ?1")?
        .query_row([book.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        None => Ok(0),
        Some((_, Some(size))) => Ok(size),
        Some((number, None)) => db
            .prepare_cached(
                "select ifnull(sum(length(text)), 0) + 3 * max(count(*) - 1, 0) from entries
                 where book = ?1 and live = 1",
            )?
            .query_row([number], |row| row.get(0)),
    }
}

/// Counts a book that was not counted so far; from now on its size is kept up.
fn count(db: &Connection, book: &BookName) -> rusqlite::Result<()> {
    db.prepare_cached(
        "update books set (live_count, live_chars) =
             (select count(*), ifnull(sum(length(text)), 0) from entries where book = books.num and live = 1)
         where name = ?1 and live_count is null",
    )?
    .execute([book.as_str()])?;
    Ok(())
}

/// How full a book is now.
pub(crate) fn usage_now(writing: &Writing<'_>, book: &BookName, frames: &Frames) -> Result<Usage> {
    let store = writing.store;
    let limit = store.limit_of(book);
    let unit = limit.map_or(Unit::Chars, |limit| limit.unit);
    let used = if store.size_is_kept(book) {
        writing.read(|tx| count(tx, book).and_then(|()| kept_size(tx, book)))?
    } else {
        let entries = shown(writing, book)?;
        let texts: Vec<Shown<'_>> = entries.iter().map(|entry| entry.shown()).collect();
        size(writing, &texts, frames, book, unit)?
    };
    Ok(Usage { used, limit: limit.map(|limit| limit.most), unit: unit.name() })
}

/// Refuses a draft that makes a book larger than it may be. What does not grow a book always passes.
pub(crate) fn check_books(writing: &Writing<'_>, draft: &Draft, frames: &Frames) -> Result<()> {
    let mut books: Vec<&BookName> = draft.adds().map(|(_, entry)| &entry.book).collect();
    books.sort_unstable();
    books.dedup();
    check_topics(writing, &books)?;
    for book in books {
        let Some(limit) = writing.store.limit_of(book) else { continue };
        let entries = shown(writing, book)?;
        let stay = || entries.iter().filter(|entry| !draft.removes(entry.id));
        let mut keys: HashSet<[u8; 16]> = stay().map(|entry| entry.key).collect();
        let mut after: Vec<Shown<'_>> = stay().map(|entry| entry.shown()).collect();
        for (_, entry) in draft.adds().filter(|(_, entry)| entry.book == *book) {
            if keys.insert(TextKey::of(&entry.text).digest()) {
                after.push(Shown {
                    text: &entry.text,
                    labels: &entry.labels,
                    source: entry.source.as_deref(),
                });
            }
        }
        let after = size(writing, &after, frames, book, limit.unit)?;
        if after <= limit.most {
            continue;
        }
        let before: Vec<Shown<'_>> = entries.iter().map(|entry| entry.shown()).collect();
        if after > size(writing, &before, frames, book, limit.unit)? {
            let mut live = writing.read(|tx| live_in(tx, book))?;
            live.retain(|live| entries.iter().any(|entry| entry.id == live.id));
            return Err(Error::Full {
                book: book.clone(),
                would: after,
                limit: limit.most,
                unit: limit.unit.name(),
                entries: candidates(&live, limit.unit),
            });
        }
    }
    Ok(())
}

/// Refuses topics beyond those that the dialect's own program takes.
fn check_topics(writing: &Writing<'_>, books: &[&BookName]) -> Result<()> {
    let store = writing.store;
    let memory = BookName::memory();
    let Some(most) = store.config.program_limits(&memory).topics else { return Ok(()) };
    let topics = writing.read(|tx| topics_of(store, tx, &memory))?;
    let new = books.iter().filter(|book| store.is_topic(book) && !topics.contains(book)).count();
    if new > 0 && topics.len() + new > most {
        return Err(Error::Refused(format!(
            "there are {} topics of {most} already, so there can be no new one",
            topics.len()
        )));
    }
    Ok(())
}

fn size(
    writing: &Writing<'_>,
    texts: &[Shown<'_>],
    frames: &Frames,
    book: &BookName,
    unit: Unit,
) -> Result<u64> {
    let store = writing.store;
    let topics = writing.read(|tx| topics_of(store, tx, book))?;
    let sheet = Sheet { dialect: store.dialect_of(book), book: Some(book), topics: &topics };
    Ok(usage(sheet, texts, &frames.of(book), unit))
}
