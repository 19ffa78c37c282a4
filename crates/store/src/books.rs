//! The live entries of a book, as they are shown.

use crate::set::{known_book_number, logical};
use memlore_model::{BookName, Entry, EntryId, Position, ReplicaId, Scope, Stamp, TextKey};
use memlore_view::{Dialect, Shown, as_shown};
use rusqlite::{Connection, Row, params};
use std::borrow::Borrow;
use std::collections::{BTreeMap, HashSet};

/// A live entry, as far as showing and removing it needs.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    pub(crate) id: EntryId,
    pub(crate) book: BookName,
    pub(crate) text: String,
    pub(crate) key: [u8; 16],
    pub(crate) position: Position,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) source: Option<String>,
    pub(crate) device_only: bool,
    /// The number of the record that added it.
    pub(crate) record: i64,
    /// The replica that added it, in the tables and everywhere.
    pub(crate) replica: i64,
    pub(crate) replica_id: ReplicaId,
    /// The place of the adding record in that replica's stream.
    pub(crate) seq: u64,
    pub(crate) written: Stamp,
}

/// A live entry as far as showing it needs: what every operation reads of all of them.
pub(crate) struct Visible {
    pub(crate) id: EntryId,
    pub(crate) text: String,
    pub(crate) key: [u8; 16],
    pub(crate) position: String,
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) source: Option<String>,
    pub(crate) device_only: bool,
    /// The replica that added it, in the tables.
    pub(crate) replica: i64,
}

impl Visible {
    /// An entry that was just added by the replica with this number.
    pub(crate) fn of(id: EntryId, entry: &Entry, replica: i64) -> Self {
        Self {
            id,
            text: entry.text.clone(),
            key: TextKey::of(&entry.text).digest(),
            position: entry.position.as_str().to_owned(),
            labels: entry.labels.clone(),
            source: entry.source.clone(),
            device_only: entry.scope == Scope::Device,
            replica,
        }
    }

    /// The entry as a view shows it.
    pub(crate) fn shown(&self) -> Shown<'_> {
        Shown { text: &self.text, labels: &self.labels, source: self.source.as_deref() }
    }
}

const COLUMNS: &str =
    "select e.id, b.name, e.text, e.key, e.position, e.labels, e.scope, e.record, e.replica, e.seq,
        r.id, e.written_us, e.written_logical, e.source
    from entries e join books b on b.num = e.book join replicas r on r.num = e.replica";

fn live_of(row: &Row<'_>) -> rusqlite::Result<Live> {
    live_of_book(row, book_of(row, 1)?)
}

/// Reads a row whose book is known: checking its name again for each entry would cost more than the rest.
fn live_of_book(row: &Row<'_>, book: BookName) -> rusqlite::Result<Live> {
    let labels: Option<String> = row.get(5)?;
    Ok(Live {
        id: id_of(row, 0)?,
        book,
        text: row.get(2)?,
        key: row.get(3)?,
        position: Position::read(row.get_ref(4)?.as_str()?),
        labels: labels.and_then(|labels| serde_json::from_str(&labels).ok()).unwrap_or_default(),
        device_only: row.get(6)?,
        record: row.get(7)?,
        replica: row.get(8)?,
        seq: row.get(9)?,
        replica_id: ReplicaId(row.get(10)?),
        written: Stamp { us: row.get(11)?, logical: logical(row.get(12)?) },
        source: row.get(13)?,
    })
}

/// Reads an entry id from a column.
pub(crate) fn id_of(row: &Row<'_>, column: usize) -> rusqlite::Result<EntryId> {
    let bytes: [u8; 24] = row.get(column)?;
    EntryId::from_bytes(&bytes).map_err(|problem| unreadable(column, problem))
}

/// Reads a book's name from a column.
pub(crate) fn book_of(row: &Row<'_>, column: usize) -> rusqlite::Result<BookName> {
    let name: String = row.get(column)?;
    name.parse().map_err(|problem| unreadable(column, problem))
}

/// The names of the books that ever had an entry, in order.
pub(crate) fn names(db: &Connection) -> rusqlite::Result<Vec<BookName>> {
    db.prepare_cached("select name from books order by name")?.query_map([], |row| book_of(row, 0))?.collect()
}

fn unreadable(column: usize, problem: memlore_model::IdProblem) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Blob, problem.into())
}

/// The live entries of a book in its order, several of one text included.
pub(crate) fn live_in(db: &Connection, book: &BookName) -> rusqlite::Result<Vec<Live>> {
    let Some(number) = known_book_number(db, book)? else { return Ok(Vec::new()) };
    db.prepare_cached(&format!("{COLUMNS} where e.book = ?1 and e.live = 1 order by e.position, e.id"))?
        .query_map([number], |row| live_of_book(row, book.clone()))?
        .collect()
}

/// The live entries of a book in its order, several of one text included, as far as showing them needs.
pub(crate) fn visible_in(db: &Connection, book: &BookName) -> rusqlite::Result<Vec<Visible>> {
    let Some(number) = known_book_number(db, book)? else { return Ok(Vec::new()) };
    db.prepare_cached(
        "select id, text, key, labels, scope, replica, source, position from entries
         where book = ?1 and live = 1 order by position, id",
    )?
    .query_map([number], |row| {
        let labels = row.get_ref(3)?.as_str_or_null()?;
        Ok(Visible {
            id: id_of(row, 0)?,
            text: row.get(1)?,
            key: row.get(2)?,
            labels: labels.and_then(|labels| serde_json::from_str(labels).ok()).unwrap_or_default(),
            device_only: row.get(4)?,
            replica: row.get(5)?,
            source: row.get(6)?,
            position: row.get(7)?,
        })
    })?
    .collect()
}

/// How many entries of a book are shown: its live ones, each text once.
pub(crate) fn count_shown(db: &Connection, book: &BookName) -> rusqlite::Result<usize> {
    let Some(number) = known_book_number(db, book)? else { return Ok(0) };
    db.prepare_cached("select count(distinct key) from entries where book = ?1 and live = 1")?
        .query_row([number], |row| row.get(0))
}

/// The live entries of every book, in the order of the books' names.
pub(crate) fn live_everywhere(db: &Connection) -> rusqlite::Result<Vec<Live>> {
    db.prepare_cached(&format!("{COLUMNS} where e.live = 1 order by b.name, e.position, e.id"))?
        .query_map([], live_of)?
        .collect()
}

/// The live entries with one text key, of one book or of all.
pub(crate) fn live_with_key(
    db: &Connection,
    key: [u8; 16],
    book: Option<&BookName>,
) -> rusqlite::Result<Vec<Live>> {
    db.prepare_cached(&format!(
        "{COLUMNS} where e.key = ?1 and e.live = 1 and (?2 is null or b.name = ?2)
         order by b.name, e.position, e.id"
    ))?
    .query_map(params![key, book.map(BookName::as_str)], live_of)?
    .collect()
}

/// The live entries of a book that a view in this dialect shows as one text.
pub(crate) fn live_shown_as(
    db: &Connection,
    dialect: Dialect,
    key: [u8; 16],
    book: &BookName,
) -> rusqlite::Result<Vec<Live>> {
    if dialect == Dialect::Hermes {
        return live_with_key(db, key, Some(book));
    }
    let mut live = live_in(db, book)?;
    live.retain(|entry| shown_key(dialect, &entry.text, entry.key) == key);
    Ok(live)
}

/// The digest of the key that an entry has in a view, where white space may be folded.
pub(crate) fn shown_key(dialect: Dialect, text: &str, key: [u8; 16]) -> [u8; 16] {
    match as_shown(dialect, text) {
        shown if shown == text => key,
        shown => TextKey::of(&shown).digest(),
    }
}

/// The live entry with this id.
pub(crate) fn live_with_id(db: &Connection, id: EntryId) -> rusqlite::Result<Option<Live>> {
    db.prepare_cached(&format!("{COLUMNS} where e.id = ?1 and e.live = 1"))?
        .query_map([id.to_bytes()], live_of)?
        .next()
        .transpose()
}

/// The place after the last live entry of a book.
pub(crate) fn next_position(db: &Connection, book: &BookName) -> rusqlite::Result<Position> {
    let last: Option<String> = match known_book_number(db, book)? {
        None => None,
        Some(number) => db
            .prepare_cached("select max(position) from entries where book = ?1 and live = 1")?
            .query_row([number], |row| row.get(0))?,
    };
    Ok(Position::after(last.map(|last| Position::read(&last)).as_ref()))
}

/// Of several entries with one text only the first is shown.
pub(crate) fn shown_once<E: Borrow<Visible>>(mut entries: Vec<E>) -> Vec<E> {
    let mut seen = HashSet::with_capacity(entries.len());
    entries.retain(|entry| seen.insert(entry.borrow().key));
    entries
}
