//! Room in SQLite's log ahead of what is written.
//!
//! A commit whose pages make the log longer waits for the file system's own journal too, and takes about twice as long
//! as one whose pages lie within it. So the log is made longer by many pages at once, with zeros: to SQLite they are
//! what it finds after the last frame of any log that was begun anew, and no part of anything.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::Path;

/// A frame of the log: 24 bytes of header, of which the first four are a page's number and never zero, and a page.
/// <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>
const FRAME: u64 = 24 + 4096;
const LOG_HEADER: u64 = 32;

/// So many frames SQLite fills before it begins its log anew.
const MOST: u64 = 1_000;

/// How many frames are made at once. More would make one operation wait for the sake of many that may never come.
const AT_ONCE: u64 = 64;

/// How many frames have to be free: an operation needs about a dozen.
const AHEAD: u64 = 16;

/// The log of an open database, as a file.
pub(super) struct Room(File);

impl Room {
    /// Opens the log of the database at `path`.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let flags = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
        OpenOptions::new().read(true).write(true).custom_flags(flags).open(super::log_of(path)).ok().map(Self)
    }

    /// Makes room when little is left. Only for whoever holds SQLite's write lock, so that nobody else makes the log
    /// longer meanwhile.
    ///
    /// A log that cannot be made longer now is left alone: nothing depends on it, and if the disk is full, the commit
    /// will say so.
    pub(super) fn make(&self) {
        let Some(length) = self.0.metadata().ok().map(|metadata| metadata.len()) else { return };
        let frames = length.saturating_sub(LOG_HEADER) / FRAME;
        // An empty log is SQLite's to begin.
        if frames == 0 || frames >= MOST || !self.is_used(frames.saturating_sub(AHEAD)) {
            return;
        }
        drop(self.0.write_all_at(&vec![0; (AT_ONCE * FRAME) as usize], length));
    }

    /// Whether a frame was ever written, counted from 0.
    fn is_used(&self, frame: u64) -> bool {
        let mut page = [0; 4];
        let read = self.0.read_exact_at(&mut page, LOG_HEADER + frame * FRAME);
        read.is_ok() && page != [0; 4]
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use rusqlite::Connection;

    fn database(folder: &Path) -> (Connection, Room) {
        let path = folder.join("some.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch("pragma journal_mode = wal; create table t (bytes blob)").unwrap();
        (db, Room::of(&path).unwrap())
    }

    fn write(db: &Connection, room: &Room) {
        db.execute_batch("begin immediate").unwrap();
        room.make();
        db.execute_batch("insert into t values (zeroblob(9000)); commit").unwrap();
    }

    fn length(folder: &Path) -> u64 {
        folder.join("some.db-wal").metadata().unwrap().len()
    }

    #[test]
    fn commits_fill_room_that_is_there_and_the_log_stays_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let (db, room) = database(folder.path());
        let mut grown = 0;
        for _ in 0..1_000 {
            let before = length(folder.path());
            write(&db, &room);
            grown += u64::from(length(folder.path()) != before);
        }
        assert!((MOST / AT_ONCE - 1..=MOST / AT_ONCE + 1).contains(&grown), "{grown} times longer");
        assert!(length(folder.path()) < LOG_HEADER + (MOST + AT_ONCE + AHEAD) * FRAME);
    }

    #[test]
    fn a_crash_beside_room_loses_and_adds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (db, room) = database(folder.path());
        for count in 1..=100 {
            write(&db, &room);
            let after = tempfile::tempdir().unwrap();
            for name in ["some.db", "some.db-wal"] {
                std::fs::copy(folder.path().join(name), after.path().join(name)).unwrap();
            }
            let found = Connection::open(after.path().join("some.db")).unwrap();
            let rows: i64 = found.query_row("select count(*) from t", [], |row| row.get(0)).unwrap();
            let check: String = found.query_row("pragma integrity_check", [], |row| row.get(0)).unwrap();
            assert_eq!((rows, check.as_str()), (count, "ok"));
        }
    }
}
