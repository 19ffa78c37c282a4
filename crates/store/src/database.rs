//! The SQLite database of one replica: how it is opened, and how it is written by many processes at once.

mod room;
mod wait;

use crate::{Error, Result};
use room::Room;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use std::cell::{Cell, OnceCell};
use std::fs;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;
pub(crate) use wait::{DEADLINE, Patience};

/// The format this version writes, kept in SQLite's `user_version`.
pub(crate) const FORMAT: i64 = 1;

/// The oldest SQLite that keeps committed WAL writes with several processes: 3.51.3.
const OLDEST_SQLITE: i32 = 3_051_003;

const NAME: &str = "memlore.db";
const SCHEMA: &str = include_str!("database/schema.sql");

/// An open database, and which file it is.
pub(crate) struct Database {
    connection: Connection,
    path: PathBuf,
    file: FileIdentity,
    deadline: Duration,
    /// Whether a transaction was begun before: only a process that writes again has a use for room in the log.
    written: Cell<bool>,
    room: OnceCell<Option<Room>>,
}

/// How much of the database is kept in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pages {
    /// What an operation needs.
    Few,
    /// What taking many records in needs: with few, pages of the indexes are written again and again.
    Many,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileIdentity {
    device: u64,
    inode: u64,
}

impl Database {
    /// The path of the database in a state folder.
    pub(crate) fn path_in(state: &Path) -> PathBuf {
        state.join(NAME)
    }

    /// Opens the database of a state folder; it has to be there.
    pub(crate) fn open(state: &Path) -> Result<Self> {
        let path = Self::path_in(state);
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let file = identity(&path)?;
        let (written, room) = (Cell::new(false), OnceCell::new());
        let database = Self { connection, path, file, deadline: DEADLINE, written, room };
        let found: i64 = database.read(|db| db.query_row("pragma user_version", [], |row| row.get(0)))?;
        if found > FORMAT {
            return Err(Error::Newer { path: database.path, found, supported: FORMAT });
        }
        if found == 0 {
            let what = "it holds no tables".to_owned();
            return Err(Error::Damaged { path: database.path, what });
        }
        Ok(database)
    }

    /// Makes the database of a state folder, unless another process was faster; `fill` writes the first rows.
    pub(crate) fn create(
        state: &Path,
        fill: impl FnOnce(&Transaction<'_>, u64) -> rusqlite::Result<()>,
    ) -> Result<Self> {
        create_private_folder(state)?;
        let path = Self::path_in(state);
        let opened = fs::OpenOptions::new().create(true).append(true).mode(0o600).open(&path);
        drop(opened.map_err(|source| Error::File { what: "create", path: path.clone(), source })?);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut connection = connect(&path, flags)?;
        let file = identity(&path)?;
        let made = (|| {
            connection.pragma_update(None, "journal_mode", "wal")?;
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let found: i64 = transaction.query_row("pragma user_version", [], |row| row.get(0))?;
            if found == 0 {
                transaction.execute_batch(SCHEMA)?;
                fill(&transaction, file.inode)?;
            }
            transaction.commit()
        })();
        made.map_err(|error| trouble(&path, error))?;
        drop(connection);
        Self::open(state)
    }

    /// The file's inode, part of the fingerprint of a replica.
    pub(crate) fn inode(&self) -> u64 {
        self.file.inode
    }

    /// Runs a query.
    pub(crate) fn read<T>(&self, query: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        query(&self.connection).map_err(|error| trouble(&self.path, error))
    }

    /// Sets how much of the database is kept in memory while it is written.
    pub(crate) fn keep_pages(&self, pages: Pages) -> Result<()> {
        let kib = match pages {
            Pages::Few => 2_000,
            Pages::Many => 24_000,
        };
        self.read(|db| db.pragma_update(None, "cache_size", -kib))
    }

    /// Whether the file at the path is still the one that was opened.
    pub(crate) fn still_there(&self) -> bool {
        identity(&self.path).is_ok_and(|file| file == self.file)
    }

    /// Bounds how long this connection waits for others.
    pub(crate) fn be_patient_for(&mut self, deadline: Duration) -> Result<()> {
        self.deadline = deadline;
        wait_for_others(&mut self.connection, deadline).map_err(|error| trouble(&self.path, error))
    }

    /// Begins a write transaction, waiting for others until the deadline.
    pub(crate) fn begin(&self) -> Result<Transaction<'_>> {
        let mut patience = Patience::of(self.deadline);
        loop {
            match Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate) {
                Ok(transaction) => {
                    self.make_room();
                    return Ok(transaction);
                }
                // For a busy database SQLite has waited already, through our handler.
                Err(error) if is_transient(&error) && patience.wait() => {}
                Err(error) => return Err(self.trouble(error)),
            }
        }
    }

    fn make_room(&self) {
        if !self.written.replace(true) {
            return;
        }
        // Looked at before and after: the log of a database that took the place of ours is not ours to write.
        let open =
            || self.still_there().then(|| Room::of(&self.path)).flatten().filter(|_| self.still_there());
        if let Some(room) = self.room.get_or_init(open) {
            room.make();
        }
    }

    /// Turns what SQLite says into what a caller can act on.
    pub(crate) fn trouble(&self, error: rusqlite::Error) -> Error {
        trouble(&self.path, error)
    }
}

/// Where SQLite keeps the log of the database at `path`.
pub(crate) fn log_of(path: &Path) -> PathBuf {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    log.into()
}

/// Makes a folder that only its owner can enter, with the folders above it.
pub(crate) fn create_private_folder(path: &Path) -> Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(|source| Error::File {
        what: "create the folder",
        path: path.to_owned(),
        source,
    })
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection> {
    assert!(rusqlite::version_number() >= OLDEST_SQLITE, "this SQLite can lose committed writes");
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let opened = Connection::open_with_flags(path, flags).and_then(|mut connection| {
        wait_for_others(&mut connection, DEADLINE)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        // Without it a statement whose plan may depend on a parameter is prepared anew whenever that is bound.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.execute_batch(
            "pragma synchronous = full; pragma foreign_keys = off; pragma temp_store = memory",
        )?;
        connection.set_prepared_statement_cache_capacity(256);
        Ok(connection)
    });
    opened.map_err(|error| trouble(path, error))
}

fn wait_for_others(connection: &mut Connection, deadline: Duration) -> rusqlite::Result<()> {
    let mut patience = Patience::of(deadline);
    connection.busy_handler(Some(move |count| {
        if count == 0 {
            patience = Patience::of(deadline);
        }
        patience.wait()
    }))
}

fn identity(path: &Path) -> Result<FileIdentity> {
    let metadata = fs::metadata(path).map_err(|source| Error::File {
        what: "find the database",
        path: path.to_owned(),
        source,
    })?;
    Ok(FileIdentity { device: metadata.dev(), inode: metadata.ino() })
}

/// Whether waiting may help.
fn is_transient(error: &rusqlite::Error) -> bool {
    use ErrorCode::{CannotOpen, DatabaseLocked, FileLockingProtocolFailed, ReadOnly, SystemIoFailure};
    let transient = [DatabaseLocked, ReadOnly, FileLockingProtocolFailed, CannotOpen, SystemIoFailure];
    error.sqlite_error_code().is_some_and(|code| transient.contains(&code))
}

/// Turns what SQLite says of a file into what a caller can act on.
pub(crate) fn trouble(path: &Path, error: rusqlite::Error) -> Error {
    let path = path.to_owned();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            Error::Damaged { path, what: error.to_string() }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            Error::Busy { path, source: error.into() }
        }
        _ => Error::Database { path, source: error.into() },
    }
}
