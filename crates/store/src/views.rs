//! Views on disk: files that this replica renders, and that people and other programs edit.
//!
//! An operation locks the view, begins its transaction, takes in what was edited, does its own work, remembers
//! the new version, commits, and only then writes the file. A crash at any point leaves an older version of ours
//! in the file, which the next operation recognises and mends.

mod attic;
mod copies;
mod file;
mod guarded;
mod held;
mod history;
mod import;
mod lock;
mod relabelled;
mod render;
mod report;
mod synced;
mod taken;
mod topics;
mod versions;
mod witness;

pub(crate) use copies::take_conflict_copies;
pub(crate) use held::{release_everywhere, settle as settle_held};
pub(crate) use import::{Edits, Trust, import_file};
pub(crate) use render::{Rendered, Written, shown};
pub(crate) use report::{frame_now, report};
pub(crate) use synced::announce;
pub(crate) use topics::topics_of;

use crate::config::ViewConfig;
use crate::{Result, Store};
use file::FileNow;
use lock::Lock;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::path::{Path, PathBuf};

/// One view as an operation works on it.
pub(crate) struct View {
    pub(crate) config: ViewConfig,
    /// Its number in the tables.
    pub(crate) number: i64,
    /// Where its file is, as configured.
    pub(crate) path: PathBuf,
    /// Held until the operation is over. Without it the file is neither read nor written.
    lock: std::result::Result<Lock, String>,
    /// The file as it was last read.
    file: Option<FileNow>,
}

impl View {
    /// Gets ready to work on a view: waits for its lock, for a bounded time.
    pub(crate) fn open(store: &Store, config: ViewConfig) -> Result<Self> {
        let path = store.open.home.join(&config.path);
        let lock = Lock::take(store, config.dialect, &path);
        let name = config.path.to_string_lossy().into_owned();
        let kept = store.shelf.views.borrow().get(&name).copied();
        let found = match kept {
            Some(number) => Some(number),
            None => store.db.read(|db| number(db, &name))?,
        };
        let number = match found {
            Some(number) => number,
            None => {
                let tx = store.db.begin()?;
                let made = tx
                    .execute("insert or ignore into views (path) values (?1)", [&name])
                    .and_then(|_| number(&tx, &name))
                    .and_then(|number| tx.commit().map(|()| number));
                let number = made.map_err(|error| store.db.trouble(error))?;
                number.unwrap_or_default()
            }
        };
        store.shelf.views.borrow_mut().insert(name, number);
        Ok(Self { config, number, path, lock: lock.map_err(|error| why_unlocked(&error)), file: None })
    }

    /// The view without its lock: to look things up about it, while the operation holds the lock elsewhere.
    pub(crate) fn unlocked(store: &Store, config: ViewConfig) -> Result<Self> {
        let name = config.path.to_string_lossy();
        let number = store.db.read(|db| number(db, &name))?.unwrap_or_default();
        Ok(Self {
            number,
            path: store.open.home.join(&config.path),
            config,
            lock: Err("it was not asked for".to_owned()),
            file: None,
        })
    }

    /// Whether the view's file may be read and written now.
    pub(crate) fn is_locked(&self) -> bool {
        self.lock.is_ok()
    }

    /// The view's path for people.
    pub(crate) fn name(&self) -> String {
        self.config.path.display().to_string()
    }
}

fn why_unlocked(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::WouldBlock => "another program holds its lock".to_owned(),
        _ => format!("its lock cannot be taken ({error})"),
    }
}

fn number(db: &Connection, path: &str) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("select num from views where path = ?1")?
        .query_row(params![path], |row| row.get(0))
        .optional()
}

/// Remembers, or forgets, what keeps a view's file from being written.
pub(crate) fn set_trouble(db: &Connection, view: i64, trouble: Option<&str>) -> rusqlite::Result<()> {
    db.prepare_cached("update views set trouble = ?2 where num = ?1 and trouble is not ?2")?
        .execute(params![view, trouble])?;
    Ok(())
}

/// The folder for the links that witness readings.
fn witness_folder(state: &Path) -> PathBuf {
    state.join("views")
}
