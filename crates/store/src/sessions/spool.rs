//! The files that take messages when the database cannot.

use super::append::whole;
use super::name::{PENDING, file_name};
use super::pending::{Locked, lock, pending_folders, reads_as_pending_of};
use super::read_only::look_into;
use crate::Open;
use crate::database::Database;
use memlore_model::message::{Line, micros};
use memlore_model::{Message, ReplicaId, Stamp};
use rusqlite::{Connection, OptionalExtension as _};
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a pending file's lock is waited for before another file is begun.
const LOCK_WAIT: Duration = Duration::from_millis(200);

/// What a writer can still read of a database that it cannot write.
#[derive(Clone, Debug, Default)]
pub(super) struct Floor {
    writer: Option<ReplicaId>,
    /// The session's last clock and the last stamp we made for it.
    last: Option<(Stamp, i64)>,
}

impl Floor {
    /// Reads what can be read, without waiting and without changing anything.
    pub(super) fn read(state: &Path, session: &str) -> Self {
        look_into(&Database::path_in(state), Duration::ZERO, |db| Self::of(db, session))
            .map(|(_, floor)| floor)
            .unwrap_or_default()
    }

    fn of(db: &Connection, session: &str) -> rusqlite::Result<Self> {
        let writer: [u8; 16] =
            db.query_row("select id from replica join replicas on num = own", [], |row| row.get(0))?;
        let last = db
            .query_row(
                "select clock_us, clock_logical, stamped_us from sessions where name = ?1",
                [session],
                |row| Ok((Stamp { us: row.get(0)?, logical: row.get(1)? }, row.get(2)?)),
            )
            .optional()?;
        Ok(Self { writer: Some(ReplicaId(writer)), last })
    }
}

/// Writes messages into the spool; each is durable when it is answered with its stamp.
pub(super) fn write(
    open: &Open,
    session: &str,
    messages: &[Message],
    made: &[Option<i64>],
    floor: &Floor,
) -> Vec<Result<i64, String>> {
    let mut problems = Vec::new();
    for folder in pending_folders(open) {
        match open_for_writing(open, &folder, session) {
            Ok(file) => return append(open, file, &folder, session, messages, made, floor),
            Err(error) => problems.push(format!("the spool {} cannot be written: {error}", folder.display())),
        }
    }
    vec![Err(problems.join("; ")); messages.len()]
}

fn open_for_writing(open: &Open, folder: &Path, session: &str) -> io::Result<Locked> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let path = folder.join(format!("{}{PENDING}", file_name(session)));
    if let Some(locked) = lock(&path, true, LOCK_WAIT)? {
        return Ok(locked);
    }
    // Locks do not work here, or somebody holds this one for long: a file of our own needs none.
    loop {
        let mut random = [0; 6];
        (open.random)(&mut random);
        let random = data_encoding::HEXLOWER.encode(&random);
        let path = folder.join(format!("{}.{random}{PENDING}", file_name(session)));
        match fs::OpenOptions::new().read(true).append(true).create_new(true).mode(0o600).open(&path) {
            Ok(file) => return Ok(Locked { file, path }),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn append(
    open: &Open,
    mut locked: Locked,
    folder: &Path,
    session: &str,
    messages: &[Message],
    made: &[Option<i64>],
    floor: &Floor,
) -> Vec<Result<i64, String>> {
    let last_made = floor.last.map(|(_, stamped_us)| stamped_us);
    let mut last_us = last_stamps(folder, session).into_iter().chain(last_made).max();
    let trouble =
        |path: &PathBuf, error: &io::Error| Err(format!("{} cannot be written: {error}", path.display()));
    let begun = match locked.file.metadata() {
        Ok(metadata) => metadata.len(),
        Err(error) => return vec![trouble(&locked.path, &error); messages.len()],
    };
    let torn = begun > 0 && !ends_a_line(&mut locked.file);
    let mut answers = Vec::with_capacity(messages.len());
    let mut good = begun;
    let mut failed = None;
    for (message, made) in messages.iter().zip(made) {
        let flush_us = made.or(message.given_us()).unwrap_or_else(|| {
            let next = last_us.map_or(i64::MIN, |last| last.saturating_add(1));
            whole((open.now)()).max(next)
        });
        if message.given_us().is_none() {
            last_us = last_us.max(Some(flush_us));
        }
        let mut line = String::new();
        if torn && answers.is_empty() {
            line.push('\n');
        }
        let written = Line {
            session: Some(session.to_owned()),
            writer: floor.writer,
            after: floor.last.map(|(clock, _)| clock),
            flush_us: Some(flush_us),
            device: None,
            message: message.clone(),
        };
        line.push_str(&written.to_pending());
        match failed.is_none().then(|| locked.file.write_all(line.as_bytes())) {
            Some(Ok(())) => {
                good += line.len() as u64;
                answers.push(Ok(flush_us));
            }
            Some(Err(error)) => {
                // What nobody was told is kept must not stand there as half a line.
                locked.file.set_len(good).ok();
                answers.push(trouble(&locked.path, &error));
                failed = Some(error);
            }
            None => answers.push(Err(format!("{} cannot be written", locked.path.display()))),
        }
    }
    let durable = locked.file.sync_all().and_then(|()| match begun {
        0 => File::open(folder)?.sync_all(),
        _ => Ok(()),
    });
    if let Err(error) = durable {
        return vec![trouble(&locked.path, &error); messages.len()];
    }
    answers
}

fn ends_a_line(file: &mut File) -> bool {
    let mut last = [0];
    file.seek(SeekFrom::End(-1)).is_ok() && file.read_exact(&mut last).is_ok() && last == *b"\n"
}

/// The last stamp in each pending file of a conversation.
fn last_stamps(folder: &Path, session: &str) -> Vec<i64> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    entries
        .filter_map(|entry| entry.ok())
        .filter(|entry| reads_as_pending_of(&entry.file_name().to_string_lossy(), session))
        .filter_map(|entry| last_stamp(&mut File::open(entry.path()).ok()?))
        .collect()
}

/// The stamp at the beginning of a file's last whole line, when we wrote that line.
fn last_stamp(file: &mut File) -> Option<i64> {
    const STEP: u64 = 64 * 1024;
    let length = file.metadata().ok()?.len();
    // A line's end right at the file's end belongs to the last line.
    let mut end = length.saturating_sub(1);
    let mut begin = 0;
    while end > 0 {
        let from = end.saturating_sub(STEP);
        let mut bytes = vec![0; usize::try_from(end - from).ok()?];
        file.seek(SeekFrom::Start(from)).ok()?;
        file.read_exact(&mut bytes).ok()?;
        if let Some(at) = bytes.iter().rposition(|b| *b == b'\n') {
            begin = from + at as u64 + 1;
            break;
        }
        end = from;
    }
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(begin)).ok()?;
    file.take(64).read_to_end(&mut head).ok()?;
    let head = String::from_utf8_lossy(&head);
    let number = head.strip_prefix("{\"_fallback_timestamp\": ")?;
    micros(number.split(',').next()?)
}
