//! Several operations on one book in one transaction.
//!
//! Each sees what those before it did. One that is unfit is left out alone, with its reason; limits are judged on
//! the final state, so removals make room for adds wherever they stand.

use super::add::take_place;
use super::remove::in_place_of;
use crate::answer::{Answered, BatchResult, BatchStatus};
use crate::ask::BatchOp;
use crate::books::Live;
use crate::draft::{Draft, NewEntry, Removal};
use crate::find::{already_there, find};
use crate::limits::check_books;
use crate::operate::{Books, Frames};
use crate::seen::Sight;
use crate::writing::Writing;
use crate::{Error, Result, Store};
use memlore_model::{BookName, EntryId, Position, TextKey, clean_text, quoted};

/// Does several things to a book.
pub(crate) fn batch(store: &Store, book: &BookName, ops: &[BatchOp]) -> Result<Answered<Vec<BatchResult>>> {
    store.operate(Books::One(book), |writing, frames| {
        let mut batch = Batch {
            writing,
            book,
            draft: Draft::default(),
            last: None,
            results: Vec::new(),
            adds: Vec::new(),
        };
        for op in ops {
            batch.take(op)?;
        }
        batch.make_fit(frames)?;
        batch.finish()
    })
}

struct Batch<'b, 'a> {
    writing: &'b mut Writing<'a>,
    book: &'b BookName,
    draft: Draft,
    /// The last place that was given to an add.
    last: Option<Position>,
    results: Vec<BatchResult>,
    /// Of each operation the add it planned.
    adds: Vec<Option<usize>>,
}

/// What an operation of a batch means by its text.
enum Target {
    /// Entries that are there.
    Stored(Vec<Live>),
    /// An add of this batch.
    Planned(usize),
}

impl Batch<'_, '_> {
    fn take(&mut self, op: &BatchOp) -> Result<()> {
        let (name, done) = match op {
            BatchOp::Add { text } => ("add", self.add(text)),
            BatchOp::Replace { old, text } => ("replace", self.replace(old, text)),
            BatchOp::Remove { old } => {
                ("remove", self.remove(old).map(|removed| (BatchStatus::Done, None, removed)))
            }
            BatchOp::Unreadable { reason } => ("unknown", Err(Error::Refused(reason.clone()))),
        };
        let index = self.results.len();
        let mut result = BatchResult {
            index,
            op: name,
            status: BatchStatus::Done,
            id: None,
            removed: Vec::new(),
            reason: None,
        };
        let mut planned = None;
        match done {
            Ok((status, add, removed)) => {
                (result.status, planned, result.removed) = (status, add, removed);
            }
            Err(error) if error.is_about_the_request() => {
                let nothing = matches!(error, Error::NothingMatched { .. });
                result.status = if nothing { BatchStatus::Nothing } else { BatchStatus::Refused };
                result.reason = Some(error.to_string());
            }
            Err(error) => return Err(error),
        }
        self.results.push(result);
        self.adds.push(planned);
        Ok(())
    }

    fn add(&mut self, text: &str) -> Result<(BatchStatus, Option<usize>, Vec<EntryId>)> {
        let text = clean_text(text)?;
        self.writing.store.check_entry(&text)?;
        let key = TextKey::of(&text);
        if let Some(index) = self.draft.add_with_key(self.book, &key) {
            return Ok((BatchStatus::Exists, Some(index), Vec::new()));
        }
        let live = already_there(self.writing, self.book, &text)?;
        let live: Vec<Live> = live.into_iter().filter(|entry| !self.draft.removes(entry.id)).collect();
        let mut entry = NewEntry::plain(self.book.clone(), text, self.next_position()?);
        let mut status = BatchStatus::Done;
        if !live.is_empty() {
            status = BatchStatus::Exists;
            take_place(&mut entry, &live);
        }
        let index = self.draft.add(entry);
        for old in &live {
            self.draft.remove(old.id, Removal { replaced_by: Some(index), ..Removal::default() });
        }
        Ok((status, Some(index), Vec::new()))
    }

    fn replace(&mut self, old: &str, text: &str) -> Result<(BatchStatus, Option<usize>, Vec<EntryId>)> {
        let text = clean_text(text)?;
        self.writing.store.check_entry(&text)?;
        match self.target(old)? {
            Target::Stored(found) => {
                let index = self.draft.add(in_place_of(self.writing.store, &found, text));
                for entry in &found {
                    self.draft.remove(entry.id, Removal { replaced_by: Some(index), ..Removal::default() });
                }
                Ok((BatchStatus::Done, Some(index), found.iter().map(|entry| entry.id).collect()))
            }
            Target::Planned(index) => {
                let Some(planned) = self.draft.change_text(index, text) else {
                    return Err(Error::NothingMatched { what: old.to_owned() });
                };
                Ok((BatchStatus::Done, Some(planned), Vec::new()))
            }
        }
    }

    fn remove(&mut self, old: &str) -> Result<Vec<EntryId>> {
        match self.target(old)? {
            Target::Stored(found) => {
                for entry in &found {
                    self.draft.remove(entry.id, Removal::default());
                }
                Ok(found.iter().map(|entry| entry.id).collect())
            }
            Target::Planned(index) => {
                self.draft.take_back(index);
                Ok(Vec::new())
            }
        }
    }

    /// Finds what an operation means in the state that those before it leave.
    fn target(&self, what: &str) -> Result<Target> {
        let key = TextKey::of(what);
        if let Some(index) = self.draft.add_with_key(self.book, &key) {
            return Ok(Target::Planned(index));
        }
        let stored = match find(self.writing, what, Some(self.book), &Sight::Everything) {
            Ok(found) => found.into_iter().filter(|entry| !self.draft.removes(entry.id)).collect::<Vec<_>>(),
            Err(Error::NothingMatched { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        if stored.first().is_some_and(|entry| entry.key == key.digest()) || what.parse::<EntryId>().is_ok() {
            return if stored.is_empty() { Err(self.nothing(what)) } else { Ok(Target::Stored(stored)) };
        }
        let planned: Vec<usize> = self
            .draft
            .adds()
            .filter(|(_, entry)| {
                !key.as_str().is_empty() && TextKey::of(&entry.text).as_str().contains(key.as_str())
            })
            .map(|(index, _)| index)
            .collect();
        match (stored.is_empty(), planned.as_slice()) {
            (true, []) => Err(self.nothing(what)),
            (false, []) => Ok(Target::Stored(stored)),
            (true, [index]) => Ok(Target::Planned(*index)),
            _ => Err(Error::Refused(format!("{} is contained in several entries", quoted(what)))),
        }
    }

    fn nothing(&self, what: &str) -> Error {
        Error::NothingMatched { what: what.to_owned() }
    }

    /// The place after everything that is stored and planned.
    fn next_position(&mut self) -> Result<Position> {
        let next = match &self.last {
            Some(last) => Position::after(Some(last)),
            None => self.writing.next_position(self.book)?,
        };
        self.last = Some(next.clone());
        Ok(next)
    }

    /// Leaves out, from the last one on, what makes the book larger than it may be.
    fn make_fit(&mut self, frames: &Frames) -> Result<()> {
        loop {
            let reason = match check_books(self.writing, &self.draft, frames) {
                Ok(()) => return Ok(()),
                Err(error @ Error::Full { .. }) => error.to_string(),
                Err(error) => return Err(error),
            };
            let Some((index, entry)) = self.draft.adds().next_back() else { return Ok(()) };
            let old = entry.replaces.clone();
            self.draft.take_back(index);
            for id in old {
                self.draft.keep(id);
            }
            for (result, add) in self.results.iter_mut().zip(&self.adds) {
                if *add == Some(index) && result.status != BatchStatus::Refused {
                    result.status = BatchStatus::Refused;
                    result.removed.clear();
                    result.reason = Some(reason.clone());
                }
            }
        }
    }

    fn finish(self) -> Result<Vec<BatchResult>> {
        let Self { writing, draft, mut results, adds, .. } = self;
        let keys: Vec<[u8; 16]> = draft.adds().map(|(_, entry)| TextKey::of(&entry.text).digest()).collect();
        let ids = draft.record(writing)?;
        for (result, add) in results.iter_mut().zip(adds) {
            if matches!(result.status, BatchStatus::Done | BatchStatus::Exists) {
                result.id = add.and_then(|index| ids[index]);
            }
        }
        for key in keys {
            crate::views::release_everywhere(writing, key)?;
        }
        Ok(results)
    }
}
