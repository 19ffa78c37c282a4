//! Bare SQLite, as durable as memlore is: WAL, and the log synced at each commit.

use anyhow::Result;
use rusqlite::Connection;
use std::path::Path;
use std::time::Duration;

use crate::turns::timed;

/// Opens a database that commits as durably as memlore's does.
pub(crate) fn open(path: &Path) -> Result<Connection> {
    let db = Connection::open(path)?;
    db.pragma_update(None, "journal_mode", "wal")?;
    db.pragma_update(None, "synchronous", "full")?;
    Ok(db)
}

/// A table that takes one row after another.
pub(crate) struct Rows {
    db: Connection,
    row: Vec<u8>,
}

impl Rows {
    /// An empty table, for rows of this many bytes.
    pub(crate) fn new(path: &Path, bytes: usize) -> Result<Self> {
        let db = open(path)?;
        db.execute_batch("create table rows (num integer primary key, bytes blob not null)")?;
        Ok(Self { db, row: vec![0; bytes] })
    }

    /// Inserts a row in a commit of its own.
    pub(crate) fn insert(&mut self) -> Result<Duration> {
        getrandom::fill(&mut self.row)?;
        let insert =
            || Ok(self.db.prepare_cached("insert into rows (bytes) values (?1)")?.execute([&self.row])?);
        timed(insert).map(|(_, passed)| passed)
    }
}
