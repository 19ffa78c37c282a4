//! What becomes of each change of an answer.

use super::apply::nothing_done;
use super::list::Listed;
use crate::answer::{AppliedChange, LeftOut, Reviewed, Warning};
use crate::books::{Live, live_with_key};
use crate::draft::{Draft, NewEntry, Removal};
use crate::find::{already_there, seen};
use crate::memory::in_place_of;
use crate::seen::Sight;
use crate::writing::Writing;
use crate::{Result, views};
use memlore_model::review::{MOST_CHANGES, Op, Plan, Planned};
use memlore_model::{BookName, EntryId, Position, TextKey};
use rusqlite::Connection;
use std::collections::BTreeMap;

/// The changes of one answer under way.
pub(super) struct Changes<'a> {
    listed: &'a [Listed],
    sight: &'a Sight,
    books: &'a [BookName],
    draft: Draft,
    fates: Vec<Fate>,
    /// What this answer did to the listed entries so far.
    touched: BTreeMap<u64, Touched>,
    /// The last place that was given in each book.
    last: BTreeMap<BookName, Position>,
    warnings: Vec<Warning>,
}

/// What became of a change.
#[derive(Clone, Debug)]
enum Fate {
    /// It adds this entry of the draft.
    Adds(&'static str, usize, String),
    /// It removes an entry.
    Removes(EntryId, String),
    LeftOut(String),
    Secret,
}

/// What an answer did to a listed entry before.
#[derive(Clone, Copy, Debug)]
enum Touched {
    /// A change put an entry of the draft in its place.
    Edited {
        change: usize,
        add: usize,
    },
    Removed,
}

impl<'a> Changes<'a> {
    pub(super) fn new(listed: &'a [Listed], sight: &'a Sight, books: &'a [BookName], count: usize) -> Self {
        Self {
            listed,
            sight,
            books,
            draft: Draft::default(),
            fates: vec![Fate::Secret; count],
            touched: BTreeMap::new(),
            last: BTreeMap::new(),
            warnings: Vec::new(),
        }
    }

    pub(super) fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Plans every change. Adds come last: a text that another change takes away is not there any more, wherever
    /// the changes stand.
    pub(super) fn take(&mut self, writing: &Writing<'_>, plan: Plan) -> Result<()> {
        let mut adds = Vec::new();
        for (index, planned) in plan.0.into_iter().enumerate() {
            self.fates[index] = match planned {
                Planned::Secret => Fate::Secret,
                Planned::Beyond => left_out(&format!("only the first {MOST_CHANGES} changes count")),
                Planned::Unfit(reason) => {
                    self.warnings.push(format!("change {index} is left out: {reason}"));
                    Fate::LeftOut(reason)
                }
                Planned::Do { op: Op::Add { text }, topic, team } => {
                    adds.push((index, text, topic, team));
                    continue;
                }
                Planned::Do { op: Op::Edit { entry, text }, .. } => self.edit(writing, index, entry, text)?,
                Planned::Do { op: Op::Remove { entry }, .. } => self.remove(writing, entry)?,
            };
        }
        for (index, text, topic, team) in adds {
            let book = self.book_of(writing, topic, team);
            self.fates[index] = self.add(writing, book, text)?;
        }
        Ok(())
    }

    fn add(&mut self, writing: &Writing<'_>, book: BookName, text: String) -> Result<Fate> {
        let key = TextKey::of(&text);
        if self.draft.add_with_key(&book, &key).is_some() {
            return Ok(left_out("another change says the same"));
        }
        let live = already_there(writing, &book, &text)?;
        if live.iter().any(|entry| !self.draft.removes(entry.id)) {
            return Ok(left_out("it is remembered already"));
        }
        let position = match self.last.get(&book) {
            Some(last) => Position::after(Some(last)),
            None => writing.next_position(&book)?,
        };
        self.last.insert(book.clone(), position.clone());
        let add = self.draft.add(NewEntry::plain(book, text.clone(), position));
        Ok(Fate::Adds("add", add, text))
    }

    fn edit(&mut self, writing: &Writing<'_>, index: usize, entry: u64, text: String) -> Result<Fate> {
        let listed = &self.listed[entry as usize - 1];
        let add = match self.touched.get(&entry).copied() {
            Some(Touched::Removed) => return Ok(left_out("gone: this answer removes the entry")),
            Some(Touched::Edited { change, add }) => {
                self.fates[change] = left_out("a later change edits the same entry");
                self.draft.change_text(add, text.clone()).unwrap_or(add)
            }
            None if listed.text == text => return Ok(left_out("the entry says so already")),
            None => {
                let found = self.found(writing, listed)?;
                if found.is_empty() {
                    return writing.read(|tx| gone(tx, listed.id));
                }
                let add = self.draft.add(in_place_of(writing.store, &found, text.clone()));
                for old in &found {
                    self.draft.remove(old.id, Removal { replaced_by: Some(add), ..Removal::default() });
                }
                add
            }
        };
        self.touched.insert(entry, Touched::Edited { change: index, add });
        Ok(Fate::Adds("edit", add, text))
    }

    fn remove(&mut self, writing: &Writing<'_>, entry: u64) -> Result<Fate> {
        let listed = &self.listed[entry as usize - 1];
        match self.touched.insert(entry, Touched::Removed) {
            Some(Touched::Removed) => return Ok(left_out("gone: this answer removes the entry")),
            Some(Touched::Edited { change, add }) => {
                self.fates[change] = left_out("a later change removes the entry");
                self.draft.take_back(add);
            }
            None => {
                let found = self.found(writing, listed)?;
                if found.is_empty() {
                    self.touched.remove(&entry);
                    return writing.read(|tx| gone(tx, listed.id));
                }
                for old in &found {
                    self.draft.remove(old.id, Removal::default());
                }
            }
        }
        Ok(Fate::Removes(listed.id, listed.text.clone()))
    }

    /// The live entries that a listed one stood for: of its text, and seen by whoever read the list.
    fn found(&self, writing: &Writing<'_>, listed: &Listed) -> Result<Vec<Live>> {
        let same = writing.read(|tx| live_with_key(tx, listed.key, Some(&listed.book)))?;
        seen(writing, self.sight, same)
    }

    /// Where an add goes: the team's book, when it is meant for the team and there is a view of it; its topic's; or the
    /// book that was reviewed.
    fn book_of(&self, writing: &Writing<'_>, topic: Option<BookName>, team: bool) -> BookName {
        let memory = BookName::memory();
        let reviewed = self.books.first().filter(|_| !self.books.contains(&memory));
        let shares = || writing.store.config.view(&BookName::team()).is_some();
        let team = team.then(BookName::team).filter(|_| shares());
        team.or(topic).or_else(|| reviewed.cloned()).unwrap_or(memory)
    }

    /// Records everything as one change, and tells what became of each.
    pub(super) fn finish(self, writing: &mut Writing<'_>) -> Result<(Reviewed, Vec<Warning>)> {
        let keys: Vec<[u8; 16]> =
            self.draft.adds().map(|(_, entry)| TextKey::of(&entry.text).digest()).collect();
        let ids = self.draft.record(writing)?;
        for key in keys {
            views::release_everywhere(writing, key)?;
        }
        let mut done = nothing_done(false);
        for (index, fate) in self.fates.into_iter().enumerate() {
            match fate {
                Fate::Secret => done.secrets += 1,
                Fate::LeftOut(reason) => done.left_out.push(LeftOut { index, reason }),
                Fate::Removes(id, text) => {
                    done.applied.push(AppliedChange { index, op: "remove", id, text });
                }
                Fate::Adds(op, add, text) => {
                    let id = ids[add].expect("an add that is taken back has another fate");
                    done.applied.push(AppliedChange { index, op, id, text });
                }
            }
        }
        Ok((done, self.warnings))
    }
}

fn left_out(reason: &str) -> Fate {
    Fate::LeftOut(reason.to_owned())
}

/// Why a listed entry is not there any more.
fn gone(db: &Connection, id: EntryId) -> rusqlite::Result<Fate> {
    let replaced: bool = db
        .prepare_cached("select exists (select 1 from replacements where old = ?1)")?
        .query_row([id.to_bytes()], |row| row.get(0))?;
    let how = if replaced { "replaced" } else { "removed" };
    Ok(left_out(&format!("gone: the entry was {how} after the list was shown")))
}
