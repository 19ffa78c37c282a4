//! Files of a share that gave no records.

use crate::answer::Warning;
use crate::{Result, Store};
use memlore_exchange::{NotYet, ShareFile, Take};
use rusqlite::{Connection, OptionalExtension as _, params};

/// So many are remembered in one transaction.
const TOGETHER: usize = 1_000;

/// So many are told, each in a sentence of its own.
const TOLD: usize = 100;

/// The files of one listing that gave no records: remembered together, since there may be very many.
#[derive(Debug, Default)]
pub(super) struct Untaken<'a> {
    files: Vec<(&'a ShareFile, Option<Problem>)>,
    problems: usize,
}

/// Why nothing was taken from a file that looks like a segment.
#[derive(Debug)]
struct Problem {
    what: String,
    /// Whether more of it will not help; otherwise it may only be on its way.
    ignored: bool,
    /// Whether it is tried again though nothing shows that it changed: what was held, or only in the cloud, looks the
    /// same from outside when it can be read.
    passing: bool,
}

impl Problem {
    fn of(file: &ShareFile, taken: &Take) -> Option<Self> {
        let (why, ignored) = match taken {
            Take::Taken(_) | Take::Ignored => return None,
            Take::NotYet(why @ NotYet::Unreadable(_)) => (format!("{why}; it is tried again"), false),
            Take::NotYet(why) => (format!("{why}; it is tried again when it changes"), false),
            Take::Newer(what) => (format!("a later version wrote it ({what})"), true),
            Take::Refused(problem) => (format!("{problem}; it is ignored"), true),
        };
        let passing = matches!(taken, Take::NotYet(NotYet::Unreadable(_)));
        Some(Self { what: format!("{}: {why}", file.path), ignored, passing })
    }
}

impl<'a> Untaken<'a> {
    /// Notes what a file turned out to be, when that is no segment. What was told of it before is not told again.
    pub(super) fn note(
        &mut self,
        store: &Store,
        file: &'a ShareFile,
        taken: &Take,
        warnings: &mut Vec<Warning>,
    ) -> Result<()> {
        let problem = Problem::of(file, taken);
        if let Some(problem) = &problem
            && store.db.read(|db| problem_of(db, &file.path))?.as_ref() != Some(&problem.what)
        {
            self.problems += 1;
            if self.problems <= TOLD {
                warnings.push(problem.what.clone());
            }
        }
        self.files.push((file, problem));
        if self.files.len() >= TOGETHER { self.save(store) } else { Ok(()) }
    }

    /// Remembers the last of them, and tells how many were not told.
    pub(super) fn finish(mut self, store: &Store, warnings: &mut Vec<Warning>) -> Result<()> {
        if let Some(more) = self.problems.checked_sub(TOLD).filter(|more| *more > 0) {
            warnings.push(format!("{more} more files of the share could not be taken in"));
        }
        self.save(store)
    }

    fn save(&mut self, store: &Store) -> Result<()> {
        if self.files.is_empty() {
            return Ok(());
        }
        let tx = store.db.begin()?;
        let mut files = std::mem::take(&mut self.files).into_iter();
        let remembered = files.try_for_each(|(file, problem)| remember(&tx, file, problem.as_ref()));
        remembered.and_then(|()| tx.commit()).map_err(|error| store.db.trouble(error))
    }
}

/// What was wrong with a file when it was last read.
fn problem_of(db: &Connection, path: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("select problem from taken_files where path = ?1")?
        .query_row([path], |row| row.get(0))
        .optional()
        .map(Option::flatten)
}

fn remember(db: &Connection, file: &ShareFile, problem: Option<&Problem>) -> rusqlite::Result<()> {
    // No file has such a size, so the next listing finds it changed.
    let passing = problem.is_some_and(|problem| problem.passing);
    let size = if passing { -1 } else { file.stamp.size_bytes as i64 };
    db.prepare_cached(
        "insert or replace into taken_files (path, size, mtime_us, inode, problem, ignored)
         values (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![
        file.path,
        size,
        file.stamp.mtime_us,
        file.stamp.inode as i64,
        problem.map(|problem| problem.what.as_str()),
        problem.is_some_and(|problem| problem.ignored)
    ])?;
    Ok(())
}
