//! Reading a `state.db` by the names of its columns, whatever columns a later version adds.

use super::super::read_only::look_into;
use super::compaction::Row;
use super::row;
use crate::{Error, Result};
use memlore_model::Message;
use rusqlite::{Connection, Row as SqlRow};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long hermes is waited for when it holds the whole file.
const WAIT: Duration = Duration::from_millis(500);

/// Facts of a conversation, and the columns they stand in.
const FACTS: [(&str, &str); 7] = [
    ("title", "title"),
    ("source", "source"),
    ("parent", "parent_session_id"),
    ("started", "started_at"),
    ("ended", "ended_at"),
    ("end_reason", "end_reason"),
    ("model", "model"),
];

/// An open `state.db`.
pub(super) struct Source {
    db: Connection,
    path: PathBuf,
    message_columns: Vec<String>,
    session_columns: BTreeSet<String>,
}

impl Source {
    /// Opens the file, read-only.
    pub(super) fn open(path: &Path) -> Result<Self> {
        let trouble = |error| trouble(path, error);
        if !path.is_file() {
            let source = std::io::ErrorKind::NotFound.into();
            return Err(Error::File { what: "read", path: path.to_owned(), source });
        }
        let read = |db: &Connection| Ok((columns(db, "messages")?, columns(db, "sessions")?));
        let (db, (message_columns, session_columns)) = look_into(path, WAIT, read).map_err(trouble)?;
        let needed = ["id", "session_id", "role", "content", "timestamp"];
        if !needed.iter().all(|name| message_columns.iter().any(|column| column == name)) {
            let what = format!("{} holds no conversations of hermes-agent", path.display());
            return Err(Error::Refused(what));
        }
        let session_columns = session_columns.into_iter().collect();
        Ok(Self { db, path: path.to_owned(), message_columns, session_columns })
    }

    fn read<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        query(&self.db).map_err(|error| trouble(&self.path, error))
    }

    fn flag(&self, column: &'static str, absent: &'static str) -> &'static str {
        if self.message_columns.iter().any(|name| name == column) { column } else { absent }
    }

    /// What is known of each conversation, as JSON.
    pub(super) fn facts(&self) -> Result<BTreeMap<String, BTreeMap<String, String>>> {
        if !self.session_columns.contains("id") {
            return Ok(BTreeMap::new());
        }
        let there: Vec<_> =
            FACTS.into_iter().filter(|(_, column)| self.session_columns.contains(*column)).collect();
        let columns: String = there.iter().map(|(_, column)| format!(", {column}")).collect();
        self.read(|db| {
            db.prepare(&format!("select id{columns} from sessions"))?
                .query_map([], |found| {
                    let fact = |(index, (name, _)): (usize, &(&str, &str))| {
                        Ok(((*name).to_owned(), row::json(found.get_ref(index + 1)?)))
                    };
                    let facts = there.iter().enumerate().map(fact).collect::<rusqlite::Result<_>>()?;
                    Ok((text(found, 0)?, facts))
                })?
                .collect()
        })
    }

    /// What tells whether the rows of a conversation changed since they were seen.
    pub(super) fn fingerprints(&self) -> Result<BTreeMap<String, String>> {
        let active = self.flag("active", "1");
        self.read(|db| {
            let mut prints: BTreeMap<String, String> = BTreeMap::new();
            let mut query = db.prepare(&format!(
                "select session_id, {active}, count(*), sum(id), max(id) from messages group by 1, 2 order by 1, 2"
            ))?;
            let mut rows = query.query([])?;
            while let Some(found) = rows.next()? {
                let (active, count): (Option<i64>, i64) = (found.get(1)?, found.get(2)?);
                let (sum, last): (i64, i64) = (found.get(3)?, found.get(4)?);
                let print = prints.entry(text(found, 0)?).or_default();
                print.push_str(&format!("{}:{count}:{sum}:{last};", active.unwrap_or(1)));
            }
            Ok(prints)
        })
    }

    /// The rows of a conversation, in the order of their numbers, without what they say.
    pub(super) fn rows(&self, session: &str) -> Result<Vec<Row>> {
        let (active, compacted) = (self.flag("active", "1"), self.flag("compacted", "0"));
        self.read(|db| {
            db.prepare(&format!(
                "select id, timestamp, ifnull({active}, 1), ifnull({compacted}, 0) from messages
                 where session_id = ?1 order by id"
            ))?
            .query_map([session], |found| {
                let written_us = row::micros(found.get_ref(1)?);
                Ok(Row {
                    number: found.get(0)?,
                    written_us,
                    flush_us: written_us,
                    active: found.get::<_, i64>(2)? != 0,
                    compacted: found.get::<_, i64>(3)? != 0,
                    digest: None,
                    known: false,
                    repeats: false,
                })
            })?
            .collect()
        })
    }

    /// Reads what the new rows say, in short.
    pub(super) fn digest_new(&self, _session: &str, rows: &mut [Row]) -> Result<()> {
        for row in rows.iter_mut().filter(|row| row.digest.is_none()) {
            row.digest = Some(self.message(row.number)?.digest());
        }
        Ok(())
    }

    /// The message in a row.
    pub(super) fn message(&self, number: i64) -> Result<Message> {
        let json = self.read(|db| {
            db.prepare_cached("select * from messages where id = ?1")?
                .query_row([number], |found| row::message(found, &self.message_columns))
        })?;
        Message::parse(json.as_bytes()).map_err(|problem| {
            Error::Refused(format!("row {number} of {} is no message: {problem}", self.path.display()))
        })
    }
}

fn columns(db: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    db.prepare("select name from pragma_table_info(?1)")?.query_map([table], |row| row.get(0))?.collect()
}

fn text(found: &SqlRow<'_>, index: usize) -> rusqlite::Result<String> {
    Ok(match found.get_ref(index)? {
        rusqlite::types::ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => row::json(other),
    })
}

fn trouble(path: &Path, error: rusqlite::Error) -> Error {
    use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked, NotADatabase};
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(DatabaseBusy | DatabaseLocked) => Error::Busy { path, source: error.into() },
        Some(NotADatabase) => Error::Refused(format!("{} is no database", path.display())),
        _ => Error::Database { path, source: error.into() },
    }
}
