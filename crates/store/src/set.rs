//! The memory set as tables: what a change's puts mean for entries and tombstones.

use memlore_model::{BookName, Entry, EntryId, Put, ReplicaId, Scope, Stamp, TextKey, Tombstone};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

/// The record that made a put.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    /// Its number in the tables.
    pub(crate) record: i64,
    /// Its replica's number in the tables.
    pub(crate) own_number: i64,
    /// Its replica.
    pub(crate) replica: ReplicaId,
    /// Its place in its stream.
    pub(crate) seq: u64,
}

/// Projects puts into the tables, with the book of the last one at hand: entries come in runs.
///
/// The outcome does not depend on the order in which records arrive: an entry is live when no tombstone names
/// it, and of several records that put one entry the least decides its fields.
#[derive(Debug, Default)]
pub(crate) struct Projector {
    book: Option<Book>,
}

/// A book that grows. How full it is is kept for books of which somebody asked it.
#[derive(Debug)]
struct Book {
    name: BookName,
    number: i64,
    counted: bool,
    /// What came to it and is not counted in its row yet.
    count: i64,
    chars: i64,
}

/// Projects the puts of one change.
pub(crate) fn project(db: &Connection, origin: Origin, puts: &[Put]) -> rusqlite::Result<()> {
    let mut projector = Projector::default();
    projector.project(db, origin, puts)?;
    projector.finish(db)
}

impl Projector {
    /// Projects the puts of a change.
    pub(crate) fn project(&mut self, db: &Connection, origin: Origin, puts: &[Put]) -> rusqlite::Result<()> {
        for put in puts {
            match put {
                Put::Add(id, entry) => self.project_add(db, origin, *id, entry)?,
                Put::Remove(id, tombstone) => project_remove(db, origin, *id, tombstone)?,
            }
        }
        Ok(())
    }

    /// Writes down what is at hand.
    pub(crate) fn finish(&mut self, db: &Connection) -> rusqlite::Result<()> {
        let Some(book) = self.book.take().filter(|book| book.counted && book.count > 0) else {
            return Ok(());
        };
        db.prepare_cached(
            "update books set live_count = live_count + ?2, live_chars = live_chars + ?3 where num = ?1",
        )?
        .execute(params![book.number, book.count, book.chars])?;
        Ok(())
    }

    fn project_add(
        &mut self,
        db: &Connection,
        origin: Origin,
        id: EntryId,
        entry: &Entry,
    ) -> rusqlite::Result<()> {
        for old in &entry.replaces {
            remember_replacement(db, *old, id)?;
        }
        if self.book.as_ref().is_none_or(|book| book.name != entry.book) {
            self.finish(db)?;
            let (number, counted) = book_growing(db, &entry.book)?;
            self.book = Some(Book { name: entry.book.clone(), number, counted, count: 0, chars: 0 });
        }
        let book = self.book.as_mut().expect("it was just opened");
        let live = !was_removed(db, id)?;
        let mut written = write_entry(db, WHEN_NEW, origin, id, book.number, entry, live)?;
        if !written && put_before(db, id)? > (entry.written, origin.replica, origin.seq) {
            // Another record put this id too, and this one decides.
            uncount_live(db, id)?;
            written = write_entry(db, OVERWRITE, origin, id, book.number, entry, live)?;
        }
        if written && live && book.counted {
            book.count += 1;
            book.chars += length(&entry.text);
        }
        Ok(())
    }
}

/// When and by whom an entry that is here was put.
fn put_before(db: &Connection, id: EntryId) -> rusqlite::Result<(Stamp, ReplicaId, u64)> {
    db.prepare_cached(
        "select written_us, written_logical, r.id, seq from entries e
             join replicas r on r.num = e.replica where e.id = ?1",
    )?
    .query_row([id.to_bytes()], |row| {
        let written = Stamp { us: row.get(0)?, logical: logical(row.get(1)?) };
        Ok((written, ReplicaId(row.get(2)?), row.get::<_, u64>(3)?))
    })
}

macro_rules! insert_entry {
    ($known:literal) => {
        concat!(
            "insert into entries (id, book, text, key, position, written_us, written_logical, by, device, source,
                 labels, replaces, scope, more, record, replica, seq, live)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)
             on conflict (id) ",
            $known
        )
    };
}

const WHEN_NEW: &str = insert_entry!("do nothing");

/// Whether an entry lives is told by its tombstones, and they do not change when its fields do.
const OVERWRITE: &str = insert_entry!(
    "do update set book = ?2, text = ?3, key = ?4, position = ?5, written_us = ?6,
    written_logical = ?7, by = ?8, device = ?9, source = ?10, labels = ?11, replaces = ?12, scope = ?13,
    more = ?14, record = ?15, replica = ?16, seq = ?17"
);

/// Writes an entry's row; returns whether anything was written.
fn write_entry(
    db: &Connection,
    insert: &str,
    origin: Origin,
    id: EntryId,
    book: i64,
    entry: &Entry,
    live: bool,
) -> rusqlite::Result<bool> {
    let labels = (!entry.labels.is_empty()).then(|| Value::from_iter(entry.labels.clone()).to_string());
    let more = (!entry.more.is_empty()).then(|| Value::Object(entry.more.clone()).to_string());
    let values = params![
        id.to_bytes(),
        book,
        entry.text,
        TextKey::of(&entry.text).digest(),
        entry.position.as_str(),
        entry.written.us,
        entry.written.logical as i64,
        entry.by,
        entry.device,
        entry.source,
        labels,
        ids_to_json(&entry.replaces),
        entry.scope == Scope::Device,
        more,
        origin.record,
        origin.own_number,
        origin.seq,
        live
    ];
    Ok(db.prepare_cached(insert)?.execute(values)? > 0)
}

fn was_removed(db: &Connection, id: EntryId) -> rusqlite::Result<bool> {
    db.prepare_cached("select exists (select 1 from tombstones where entry = ?1)")?
        .query_row([id.to_bytes()], |row| row.get(0))
}

/// The size of a text as SQLite has it, which stops at a NUL.
fn length(text: &str) -> i64 {
    text.chars().take_while(|c| *c != '\0').count() as i64
}

/// Takes an entry that is about to go, or to change, out of its book's count.
fn uncount_live(db: &Connection, id: EntryId) -> rusqlite::Result<()> {
    db.prepare_cached(
        "update books set live_count = live_count - 1, live_chars = live_chars - length(e.text)
         from entries e where e.id = ?1 and e.live = 1 and books.num = e.book and books.live_count is not null",
    )?
    .execute([id.to_bytes()])?;
    Ok(())
}

fn project_remove(
    db: &Connection,
    origin: Origin,
    id: EntryId,
    tombstone: &Tombstone,
) -> rusqlite::Result<()> {
    for new in &tombstone.replaced_by {
        remember_replacement(db, id, *new)?;
    }
    db.prepare_cached(
        "insert or ignore into tombstones (entry, record, at_us, at_logical, by, device, why, replaced_by, more)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        id.to_bytes(),
        origin.record,
        tombstone.at.us,
        tombstone.at.logical as i64,
        tombstone.by,
        tombstone.device,
        tombstone.why,
        ids_to_json(&tombstone.replaced_by),
        (!tombstone.more.is_empty()).then(|| Value::Object(tombstone.more.clone()).to_string())
    ])?;
    uncount_live(db, id)?;
    db.prepare_cached("update entries set live = 0 where id = ?1 and live = 1")?.execute([id.to_bytes()])?;
    Ok(())
}

fn remember_replacement(db: &Connection, old: EntryId, new: EntryId) -> rusqlite::Result<()> {
    db.prepare_cached("insert or ignore into replacements (old, new) values (?1, ?2)")?
        .execute([old.to_bytes(), new.to_bytes()])?;
    Ok(())
}

/// The number of a book in the tables, and whether it is counted; it is made when it is new.
fn book_growing(db: &Connection, book: &BookName) -> rusqlite::Result<(i64, bool)> {
    let found = db
        .prepare_cached("select num, live_count is not null from books where name = ?1")?
        .query_row([book.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    match found {
        Some(found) => Ok(found),
        None => {
            let number =
                db.prepare_cached("insert into books (name) values (?1)")?.insert([book.as_str()])?;
            Ok((number, false))
        }
    }
}

/// The number of a book in the tables, when anything was ever put in it.
pub(crate) fn known_book_number(db: &Connection, book: &BookName) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("select num from books where name = ?1")?
        .query_row([book.as_str()], |row| row.get(0))
        .optional()
}

/// SQLite's integers are signed; the bits of a logical clock are kept as they are.
pub(crate) fn logical(stored: i64) -> u64 {
    stored as u64
}

fn ids_to_json(ids: &[EntryId]) -> Option<String> {
    (!ids.is_empty()).then(|| Value::from_iter(ids.iter().map(EntryId::to_string)).to_string())
}

/// Reads what was stored as a list of ids.
pub(crate) fn ids_from_json(json: Option<String>) -> Vec<EntryId> {
    let ids: Vec<String> = json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    ids.iter().filter_map(|id| id.parse().ok()).collect()
}
