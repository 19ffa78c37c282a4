//! How far a pending file was read.

use super::super::pending::Locked;
use memlore_model::Stamp;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// How many bytes before the mark have to be what they were.
const TAIL_BYTES: u64 = 4096;

/// How far a file was read, and what its last lines gave.
#[derive(Clone, Debug, Default)]
pub(super) struct Mark {
    inode: u64,
    pub(super) read_bytes: u64,
    /// Line feeds before that.
    pub(super) read_lines: u64,
    tail: Vec<u8>,
    /// The file's size and time when its last line was looked at that had not ended: it may be a gigabyte, and is
    /// looked at again when the file changes.
    looked: (u64, i64),
    /// The last stamp that a line had of its own.
    pub(super) stamp_us: i64,
    /// The clock of the line before.
    pub(super) clock: Option<Stamp>,
    /// Lines that are not ours, or that nobody can read.
    pub(super) foreign_lines: u64,
}

impl Mark {
    /// The mark in a file; at its beginning when it is another file, or holds other bytes, than the last reader saw.
    pub(super) fn load(db: &Connection, locked: &Locked) -> rusqlite::Result<Self> {
        let metadata = locked.file.metadata().ok();
        let inode = metadata.as_ref().map_or(0, |metadata| metadata.ino());
        let size = metadata.map_or(0, |metadata| metadata.len());
        let found = db
            .prepare_cached(
                "select inode, read_bytes, read_lines, tail, stamp_us, clock_us, clock_logical, foreign_lines,
                     looked_bytes, looked_us
                 from pending_files where path = ?1",
            )?
            .query_row([locked.path.to_string_lossy()], |row| {
                let clock = Stamp { us: row.get(5)?, logical: row.get(6)? };
                Ok(Self {
                    inode: row.get::<_, i64>(0)? as u64,
                    read_bytes: row.get(1)?,
                    read_lines: row.get(2)?,
                    tail: row.get(3)?,
                    stamp_us: row.get(4)?,
                    clock: Some(clock).filter(|clock| *clock != Stamp::default()),
                    foreign_lines: row.get(7)?,
                    looked: (row.get(8)?, row.get(9)?),
                })
            })
            .optional()?;
        let same = found.filter(|mark| {
            mark.inode == inode && mark.read_bytes <= size && mark.tail == tail(locked, mark.read_bytes)
        });
        Ok(same.unwrap_or(Self { inode, ..Self::default() }))
    }

    /// Whether the file holds more than was read and looked at.
    pub(super) fn is_behind(&self, locked: &Locked) -> bool {
        look(locked).is_some_and(|look| look.0 > self.read_bytes && look != self.looked)
    }

    /// Remembers that all of the file was looked at as it is.
    pub(super) fn note_look(&mut self, look: Option<(u64, i64)>) {
        self.looked = look.unwrap_or_default();
    }

    /// The stamp of a line that has none: it follows from the file alone.
    pub(super) fn stamp_of_line(&self, number: u64) -> i64 {
        self.stamp_us.saturating_add(i64::try_from(number).unwrap_or(i64::MAX))
    }

    /// Remembers the bytes before the mark.
    pub(super) fn note_tail(&mut self, locked: &mut Locked) {
        self.tail = tail(locked, self.read_bytes);
    }

    pub(super) fn save(&self, db: &Connection, path: &Path) -> rusqlite::Result<()> {
        let clock = self.clock.unwrap_or_default();
        db.prepare_cached(
            "insert or replace into pending_files
                 (path, inode, read_bytes, read_lines, tail, stamp_us, clock_us, clock_logical, foreign_lines,
                  looked_bytes, looked_us)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            path.to_string_lossy(),
            self.inode as i64,
            self.read_bytes,
            self.read_lines,
            self.tail,
            self.stamp_us,
            clock.us,
            clock.logical,
            self.foreign_lines,
            self.looked.0,
            self.looked.1
        ])?;
        Ok(())
    }
}

/// The size of a file, and its time in microseconds since the epoch.
pub(super) fn look(locked: &Locked) -> Option<(u64, i64)> {
    let metadata = locked.file.metadata().ok()?;
    Some((metadata.len(), metadata.mtime() * 1_000_000 + metadata.mtime_nsec() / 1_000))
}

fn tail(locked: &Locked, end: u64) -> Vec<u8> {
    let begin = end.saturating_sub(TAIL_BYTES);
    let mut bytes = Vec::new();
    let mut file = &locked.file;
    let read = file.seek(SeekFrom::Start(begin)).and_then(|_| file.take(end - begin).read_to_end(&mut bytes));
    if read.is_err() {
        return Vec::new();
    }
    blake3::hash(&bytes).as_bytes()[..16].to_vec()
}
