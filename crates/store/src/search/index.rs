//! The index: a full-text table for entries and one for messages, and how far each has caught up.

use super::query::Query;
use super::words;
use crate::sessions;
use crate::{Error, Result, Store};
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::time::Duration;

const NAME: &str = "search.db";

/// How many rows are indexed with one transaction.
const ROWS_AT_ONCE: usize = 5000;

/// How many matches are weighed against one another.
pub(super) const WEIGHED: usize = 2000;

/// How long another process that is catching up is waited for.
const WAIT: Duration = Duration::from_secs(30);

const SCHEMA: &str = "
    create virtual table entries using fts5(text, content='', tokenize='unicode61 remove_diacritics 2');
    create virtual table messages using fts5(text, content='', tokenize='unicode61 remove_diacritics 2');
    create table caught_up (name text primary key, last integer not null, anchor blob not null) without rowid;
    pragma user_version = 1;";

/// What is indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Entries,
    Messages,
}

impl Table {
    fn name(self) -> &'static str {
        match self {
            Self::Entries => "entries",
            Self::Messages => "messages",
        }
    }

    /// The query for what never changes of a row: when it differs, the numbers are another database's.
    fn anchor(self) -> &'static str {
        match self {
            Self::Entries => "select id from entries where num = ?1",
            Self::Messages => "select digest from messages where num = ?1",
        }
    }

    /// The texts after a number, with their numbers.
    fn texts(self, db: &Connection, after: i64) -> rusqlite::Result<Vec<(i64, String)>> {
        match self {
            Self::Entries => db
                .prepare_cached("select num, text from entries where num > ?1 order by num limit ?2")?
                .query_map(params![after, ROWS_AT_ONCE as i64], |row| {
                    Ok((row.get(0)?, words::indexed(row.get_ref(1)?.as_str()?)))
                })?
                .collect(),
            Self::Messages => sessions::texts_after(db, after, ROWS_AT_ONCE, |fields| {
                words::indexed(&words::of_message(fields))
            }),
        }
    }
}

/// An open index.
pub(super) struct Index {
    db: Connection,
    path: PathBuf,
}

impl Index {
    /// Opens the index, and makes it when there is none or it cannot be used.
    pub(super) fn open(store: &Store) -> Result<Self> {
        let path = store.open.state.join(NAME);
        Self::open_at(path.clone()).or_else(|error| {
            if !matches!(error, Error::Damaged { .. }) {
                return Err(error);
            }
            remove(&path);
            Self::open_at(path.clone())
        })
    }

    fn open_at(path: PathBuf) -> Result<Self> {
        let made = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
        drop(made.map_err(|source| Error::File { what: "create", path: path.clone(), source })?);
        let opened = (|| {
            let mut db = Connection::open(&path)?;
            db.busy_timeout(WAIT)?;
            // What a crash takes is indexed again.
            db.execute_batch(
                "pragma journal_mode = wal; pragma synchronous = off; pragma temp_store = memory",
            )?;
            let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let version: i64 = tx.query_row("pragma user_version", [], |row| row.get(0))?;
            if version == 0 {
                tx.execute_batch(SCHEMA)?;
            }
            tx.commit()?;
            Ok(db)
        })();
        match opened {
            Ok(db) => Ok(Self { db, path }),
            Err(error) => Err(crate::database::trouble(&path, error)),
        }
    }

    /// Takes in what was written since the last search.
    pub(super) fn catch_up(&mut self, store: &Store, table: Table) -> Result<()> {
        loop {
            let tx = self
                .db
                .transaction_with_behavior(TransactionBehavior::Immediate)
                .map_err(|error| crate::database::trouble(&self.path, error))?;
            let trouble = |error| crate::database::trouble(&self.path, error);
            let mark: Option<(i64, Vec<u8>)> = tx
                .query_row("select last, anchor from caught_up where name = ?1", [table.name()], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()
                .map_err(trouble)?;
            let mut last = mark.as_ref().map_or(0, |(last, _)| *last);
            if let Some((last_number, anchor)) = &mark
                && store.db.read(|db| anchor_of(db, table, *last_number))?.as_ref() != Some(anchor)
            {
                let name = table.name();
                tx.execute(&format!("insert into {name} ({name}) values ('delete-all')"), [])
                    .map_err(trouble)?;
                last = 0;
            }
            let texts = store.db.read(|db| table.texts(db, last))?;
            let Some((newest, _)) = texts.last() else {
                return tx.commit().map_err(trouble);
            };
            let anchor = store.db.read(|db| anchor_of(db, table, *newest))?.unwrap_or_default();
            let write = || {
                let mut insert = tx
                    .prepare_cached(&format!("insert into {} (rowid, text) values (?1, ?2)", table.name()))?;
                for (number, text) in &texts {
                    insert.execute(params![number, text])?;
                }
                tx.execute(
                    "insert or replace into caught_up (name, last, anchor) values (?1, ?2, ?3)",
                    params![table.name(), newest, anchor],
                )
            };
            write().map_err(trouble)?;
            tx.commit().map_err(trouble)?;
        }
    }

    /// The numbers of the newest matches before a number, and how well each matches, the best first.
    ///
    /// Weighing every match of a word that stands everywhere would take longer than anybody waits.
    pub(super) fn find(&self, query: &Query, table: Table, before: i64) -> Result<Vec<(i64, f64)>> {
        let name = table.name();
        let find = || {
            self.db
                .prepare_cached(&format!(
                    "select rowid, -bm25({name}) from {name} where {name} match ?1 and rowid < ?2
                     order by rowid desc limit ?3"
                ))?
                .query_map(params![query.expression, before, WEIGHED as i64], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })?
                .collect::<rusqlite::Result<Vec<(i64, f64)>>>()
        };
        let mut found = find().map_err(|error| crate::database::trouble(&self.path, error))?;
        found.sort_by(|one, other| other.1.total_cmp(&one.1));
        Ok(found)
    }
}

fn anchor_of(db: &Connection, table: Table, number: i64) -> rusqlite::Result<Option<Vec<u8>>> {
    db.prepare_cached(table.anchor())?.query_row([number], |row| row.get(0)).optional()
}

/// Forgets the index; the next search makes it again.
pub(crate) fn forget(store: &Store) {
    remove(&store.open.state.join(NAME));
}

fn remove(path: &std::path::Path) {
    for suffix in ["", "-wal", "-shm"] {
        let mut path = path.as_os_str().to_owned();
        path.push(suffix);
        // What is not there need not go, and what cannot go is found again.
        std::fs::remove_file(path).ok();
    }
}
