//! Taking pending files in: every line once, in their order, whoever wrote them.

mod lines;
mod mark;
mod overlap;

use super::append::{Incoming, Stored, after, store_messages};
use super::pending::{Locked, READ_WAIT, TAKEN, lock, pending_folders, reads_as_pending, session_named_by};
use super::session::Session;
use crate::answer::{DamagedLine, Recovered, Warning};
use crate::writing::Writing;
use crate::{Result, Store};
use lines::{Lines, Text};
use mark::Mark;
use memlore_model::message::Line;
use memlore_model::{ReplicaId, Stamp};
use rusqlite::params;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// How many bytes are taken in with one transaction.
const BYTES_AT_ONCE: u64 = 2 * 1024 * 1024;

/// How much of a line that cannot be read is kept.
const KEPT_BYTES: usize = 64 * 1024;

/// A pending file while it is read.
pub(super) struct Reading {
    locked: Locked,
    name: String,
    mark: Mark,
    /// Whether everything was read.
    whole: bool,
    /// Whether how far it was read is remembered.
    remembered: bool,
}

/// What one run through a file's lines gave.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    pub(super) recovered: usize,
    pub(super) duplicates: usize,
    /// Lines of ours: each stands for a message that the database could not take.
    failures: usize,
    pub(super) damaged: Vec<(u64, String)>,
    /// The conversations they belong to.
    pub(super) sessions: BTreeSet<String>,
}

impl Taken {
    fn add(&mut self, other: Self) {
        self.recovered += other.recovered;
        self.duplicates += other.duplicates;
        self.failures += other.failures;
        self.damaged.extend(other.damaged);
        self.sessions.extend(other.sessions);
    }
}

impl Reading {
    /// Begins at the beginning of a file that is no pending file; how far it is read is not remembered.
    pub(super) fn from_the_beginning(locked: Locked) -> Self {
        let name = locked.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { locked, name, mark: Mark::default(), whole: false, remembered: false }
    }

    /// Begins where the last reader of this file left off.
    pub(super) fn begin(store: &Store, locked: Locked) -> Result<Self> {
        let name = locked.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mark = store.db.read(|db| Mark::load(db, &locked))?;
        Ok(Self { locked, name, mark, whole: false, remembered: true })
    }

    /// How far the file was read.
    pub(super) fn read_bytes(&self) -> u64 {
        self.mark.read_bytes
    }

    /// Takes lines in until their end, or until this many bytes were read.
    pub(super) fn take_in(&mut self, writing: &mut Writing<'_>, most_bytes: u64) -> Result<Taken> {
        let mut taken = Taken::default();
        let named = session_named_by(&self.name);
        if self.mark.read_bytes == 0 {
            overlap::settle(writing, &mut self.locked, &named)?;
        }
        let end = self.mark.read_bytes.saturating_add(most_bytes);
        let begin = (self.mark.read_bytes, self.mark.read_lines);
        // Before the bytes: what is appended meanwhile shows as another look.
        let look = mark::look(&self.locked);
        let mut lines = Lines::begin(&mut self.locked.file, begin);
        self.whole = false;
        while let Some(piece) = lines.next() {
            let broken = match piece.text {
                Text::Line(bytes) if is_blank(&bytes) => None,
                Text::Line(bytes) => {
                    let trimmed = trim_nuls(&bytes, piece.ended);
                    match Line::parse(trimmed) {
                        Ok(line) => {
                            take_line(writing, &mut self.mark, piece.number, &named, &line, &mut taken)?
                        }
                        Err(problem) => Some((problem.to_string(), bytes)),
                    }
                }
                Text::TooLong(bytes, length) => {
                    Some((format!("it has {length} bytes, more than a message may have"), bytes))
                }
            };
            if let Some((reason, bytes)) = broken {
                self.mark.foreign_lines += 1;
                let kept = &bytes[..bytes.len().min(KEPT_BYTES)];
                if !self.remembered || keep_aside(writing, &self.locked.path, piece.number, &reason, kept)? {
                    taken.damaged.push((piece.number, reason));
                }
                if !piece.ended {
                    // Perhaps its writer goes on; then it is read again, from its beginning.
                    self.mark.foreign_lines -= 1;
                    break;
                }
            }
            self.mark.read_bytes = piece.end;
            self.mark.read_lines += u64::from(piece.ended);
            if self.mark.read_bytes >= end {
                return self.remember(writing, taken);
            }
        }
        self.whole = lines.problem.is_none();
        self.mark.note_look(look.filter(|_| self.whole));
        self.remember(writing, taken)
    }

    /// Takes everything in, a few megabytes with each transaction.
    pub(super) fn take_all(&mut self, store: &Store) -> Result<Taken> {
        let mut all = Taken::default();
        while !self.whole {
            let before = self.read_bytes();
            let mut writing = Writing::begin(store)?;
            all.add(self.take_in(&mut writing, BYTES_AT_ONCE)?);
            writing.commit()?;
            if self.read_bytes() == before {
                break;
            }
        }
        Ok(all)
    }

    fn remember(&mut self, writing: &Writing<'_>, taken: Taken) -> Result<Taken> {
        if !self.remembered {
            return Ok(taken);
        }
        self.mark.note_tail(&mut self.locked);
        writing.read(|tx| self.mark.save(tx, &self.locked.path))?;
        Ok(taken)
    }

    /// Removes a file whose lines are all ours and all taken in: it is renamed first, and deleted after one more look.
    pub(super) fn settle(self, store: &Store, taken: &Taken) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let path = &self.locked.path;
        if taken.recovered > 0 {
            let many = |count: usize, one: &str, many: &str| {
                format!("{count} {}", if count == 1 { one } else { many })
            };
            warnings.push(format!(
                "{} stored from {}, after {} to write to the database",
                many(taken.recovered, "message is now", "messages are now"),
                path.display(),
                many(taken.failures, "failure", "failures"),
            ));
        }
        for (line, reason) in &taken.damaged {
            warnings.push(format!(
                "line {line} of {} cannot be read: {reason}; it is kept aside",
                path.display()
            ));
        }
        if self.whole && self.mark.foreign_lines == 0 && self.mark.read_bytes > 0 {
            // What cannot be removed stays, and is not read again: nothing depends on its going.
            self.remove(store).ok();
        }
        warnings
    }

    fn remove(&self, store: &Store) -> Result<()> {
        let path = &self.locked.path;
        let old = path.to_string_lossy();
        let aside = self.name.ends_with(TAKEN);
        let new = PathBuf::from(format!("{old}{TAKEN}"));
        let moved = if aside { std::fs::remove_file(path) } else { std::fs::rename(path, &new) };
        if moved.is_err() {
            return Ok(());
        }
        let tx = store.db.begin()?;
        let write = || {
            if aside {
                tx.execute("delete from pending_files where path = ?1", [&old])
            } else {
                tx.execute(
                    "update or replace pending_files set path = ?2 where path = ?1",
                    params![old, new.to_string_lossy()],
                )
            }
        };
        write().and_then(|_| tx.commit()).map_err(|error| store.db.trouble(error))
    }
}

/// Takes one line's message in; a message that is too long is a broken line.
fn take_line(
    writing: &mut Writing<'_>,
    mark: &mut Mark,
    number: u64,
    named: &str,
    line: &Line,
    taken: &mut Taken,
) -> Result<Option<(String, Vec<u8>)>> {
    let session = line.session.as_deref().unwrap_or(named);
    if !taken.sessions.contains(session) {
        taken.sessions.insert(session.to_owned());
    }
    let flush_us = line.flush_us.unwrap_or_else(|| mark.stamp_of_line(number));
    let before = mark.clock.map(after);
    let clock = match line.flush_us {
        Some(flush_us) => {
            mark.stamp_us = flush_us;
            let flushed = Stamp::at(u64::try_from(flush_us).unwrap_or(0));
            Some(flushed.max(before.unwrap_or_default()).max(line.after.map(after).unwrap_or_default()))
        }
        // Such a stamp names and does not order: the message comes last, or after the line before it.
        None => before,
    };
    let incoming =
        Incoming { message: &line.message, flush_us: Some(flush_us), clock, device: line.device.as_deref() };
    let stored = store_messages(writing, session, &[incoming])?;
    let ours = line.writer.is_some_and(|writer| is_ours(writing, writer));
    if ours {
        taken.failures += 1;
    } else {
        mark.foreign_lines += 1;
    }
    match stored.first() {
        Some(Stored::New(_)) => taken.recovered += 1,
        Some(Stored::Known(_)) | None => taken.duplicates += 1,
        Some(Stored::TooLong(bytes)) => {
            return Ok(Some((format!("its message has {bytes} bytes, more than one may have"), Vec::new())));
        }
    }
    mark.clock = clock.or(mark.clock);
    // What comes after a line comes after its message, wherever that stands by now.
    let there = match (&stored[..], clock) {
        ([Stored::New(_)], Some(_)) => None,
        _ => writing.read(|tx| match Session::find(tx, session)? {
            Some(session) => session.clock_of(tx, flush_us, line.message.digest()),
            None => Ok(None),
        })?,
    };
    mark.clock = mark.clock.max(there);
    if ours {
        writing.read(|tx| {
            tx.prepare_cached("update sessions set stamped_us = max(stamped_us, ?2) where name = ?1")?
                .execute(params![session, flush_us])
        })?;
    }
    Ok(None)
}

fn is_ours(writing: &Writing<'_>, writer: ReplicaId) -> bool {
    writer == writing.id || writing.store.was_ever_us(writer)
}

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| b.is_ascii_whitespace() || *b == 0)
}

/// A file system that lost power may have padded the last line.
fn trim_nuls(bytes: &[u8], ended: bool) -> &[u8] {
    let end = if ended { bytes.len() } else { bytes.iter().rposition(|b| *b != 0).map_or(0, |at| at + 1) };
    &bytes[..end]
}

/// Keeps a line that cannot be read; returns whether it is new.
fn keep_aside(writing: &Writing<'_>, path: &Path, line: u64, reason: &str, bytes: &[u8]) -> Result<bool> {
    let changed = writing.read(|tx| {
        tx.prepare_cached(
            "insert or ignore into damaged_lines (path, line, reason, bytes) values (?1, ?2, ?3, ?4)",
        )?
        .execute(params![path.to_string_lossy(), line, reason, bytes])
    })?;
    Ok(changed > 0)
}

/// Takes in every pending file; what is in somebody's way is left for the next time.
pub(crate) fn recover(store: &mut Store) -> Result<(Recovered, Vec<Warning>)> {
    let mut recovered = Recovered::default();
    let mut warnings = Vec::new();
    for path in pending_files(store) {
        let Ok(Some(locked)) = lock(&path, false, READ_WAIT) else { continue };
        let unread = store.db.read(|db| Mark::load(db, &locked))?.is_behind(&locked);
        if !unread && !path.to_string_lossy().ends_with(TAKEN) {
            continue;
        }
        recovered.files += usize::from(unread);
        let mut reading = Reading::begin(store, locked)?;
        let all = reading.take_all(store)?;
        recovered.recovered += all.recovered;
        recovered.duplicates += all.duplicates;
        warnings.extend(reading.settle(store, &all));
    }
    Ok((recovered, warnings))
}

/// The pending files that are there, in the order of their names; those to be deleted come first.
pub(super) fn pending_files(store: &Store) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in pending_folders(&store.open) {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let names = entries.filter_map(|entry| entry.ok());
        let pending = names.filter(|entry| reads_as_pending(&entry.file_name().to_string_lossy()));
        files.extend(pending.map(|entry| entry.path()));
    }
    files.sort_unstable_by_key(|path| (!path.to_string_lossy().ends_with(TAKEN), path.clone()));
    files
}

/// The lines that could not be read and were not reported yet; they count as reported from now on.
pub(crate) fn report_damaged(store: &Store) -> Result<Vec<DamagedLine>> {
    let unreported = store.db.read(|db| {
        db.prepare("select path, line, reason from damaged_lines where reported = 0 order by path, line")?
            .query_map([], |row| {
                let path: String = row.get(0)?;
                Ok(DamagedLine { file: path.into(), line: row.get(1)?, reason: row.get(2)? })
            })?
            .collect::<rusqlite::Result<Vec<_>>>()
    })?;
    if !unreported.is_empty() {
        let tx = store.db.begin()?;
        tx.execute("update damaged_lines set reported = 1", [])
            .and_then(|_| tx.commit())
            .map_err(|error| store.db.trouble(error))?;
    }
    Ok(unreported)
}

/// How many lines of pending files were not taken in yet.
pub(crate) fn count_pending(store: &Store) -> Result<u64> {
    let mut pending = 0;
    for path in pending_files(store) {
        let Ok(file) = std::fs::File::open(&path) else { continue };
        let mut locked = Locked { file, path };
        let mark = store.db.read(|db| Mark::load(db, &locked))?;
        pending += lines::count_from(&mut locked.file, mark.read_bytes);
    }
    Ok(pending)
}
