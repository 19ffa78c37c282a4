//! The books that were looked at last and what stands in their views, kept in memory between the operations of an
//! open store.
//!
//! It is a copy of what the tables say at one commit, and every commit of any process moves the generation that it
//! is named by: what somebody else changed is read again, and nothing that is kept here is needed by anybody.

use crate::books::{Visible, visible_in};
use memlore_model::{BookName, Entry, EntryId, Position, Put, ReplicaId};
use rusqlite::Connection;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::Arc;

/// How many books, and how many views, are kept.
const MOST: usize = 4;

/// How many entries a book may have to be kept.
const MOST_ENTRIES: usize = 2_000;

/// What is kept, and the generation at which it is true.
#[derive(Default)]
pub(crate) struct Kept {
    shelf: RefCell<Option<(u64, Shelf)>>,
    /// The views' numbers in the tables, by their paths: they never change.
    pub(crate) views: RefCell<HashMap<String, i64>>,
}

impl Kept {
    /// Takes the shelf out, when nothing was committed since it was put here; otherwise an empty one.
    pub(crate) fn take(&self, generation: u64) -> Shelf {
        match self.shelf.take() {
            Some((at, shelf)) if at == generation => shelf,
            _ => Shelf::default(),
        }
    }

    /// Keeps a shelf for the next operation.
    pub(crate) fn put(&self, generation: u64, shelf: Shelf) {
        self.shelf.replace(Some((generation, shelf)));
    }
}

/// What an operation under way has at hand.
#[derive(Default)]
pub(crate) struct Shelf {
    /// Those looked at last come last.
    books: RefCell<Vec<Book>>,
    standing: RefCell<Vec<Standing>>,
    /// Whether it is known that no edit of any view is held.
    pub(crate) nothing_held: Cell<bool>,
}

struct Book {
    name: BookName,
    /// All that is live, in the book's order.
    live: Vec<Arc<Visible>>,
}

/// The keys of the texts that stand in a version of a view, in their order, each with its place.
pub(crate) struct Standing {
    pub(crate) view: i64,
    pub(crate) version: u64,
    pub(crate) places: Vec<([u8; 16], f64)>,
}

impl Shelf {
    /// The live entries of a book in its order, several of one text included.
    pub(crate) fn live(&self, db: &Connection, name: &BookName) -> rusqlite::Result<Vec<Arc<Visible>>> {
        let mut books = self.books.borrow_mut();
        if let Some(book) = books.iter().find(|book| book.name == *name) {
            return Ok(book.live.clone());
        }
        let live: Vec<_> = visible_in(db, name)?.into_iter().map(Arc::new).collect();
        if live.len() <= MOST_ENTRIES {
            keep_last(&mut books, Book { name: name.clone(), live: live.clone() });
        }
        Ok(live)
    }

    /// Whether a book is at hand, and has no live entry with this key.
    pub(crate) fn lacks(&self, name: &BookName, key: [u8; 16]) -> bool {
        let books = self.books.borrow();
        let book = books.iter().find(|book| book.name == *name);
        book.is_some_and(|book| book.live.iter().all(|entry| entry.key != key))
    }

    /// The position of the last live entry of a book, when the book is at hand and has any.
    pub(crate) fn last_position(&self, name: &BookName) -> Option<Position> {
        let books = self.books.borrow();
        let last = books.iter().find(|book| book.name == *name)?.live.last()?;
        Some(Position::read(&last.position))
    }

    /// Follows a change that was just projected: `own` made it, `number` in the tables.
    pub(crate) fn follow(&self, puts: &[Put], (number, own): (i64, ReplicaId)) {
        let mut books = self.books.borrow_mut();
        for put in puts {
            match put {
                // Only an id that was minted for this change is surely new, and surely not removed already.
                Put::Add(id, entry) if id.replica == own => {
                    let book = books.iter_mut().find(|book| book.name == entry.book);
                    book.into_iter().for_each(|book| book.insert(*id, entry, number));
                }
                Put::Add(..) => books.clear(),
                Put::Remove(id, _) => {
                    books.iter_mut().for_each(|book| book.live.retain(|entry| entry.id != *id));
                }
            }
        }
    }

    /// Forgets the books: their entries changed in a way that is not followed.
    pub(crate) fn forget_books(&self) {
        self.books.borrow_mut().clear();
    }

    /// Takes out what stands in a version of a view, when it is at hand.
    pub(crate) fn take_standing(&self, view: i64, version: u64) -> Option<Vec<([u8; 16], f64)>> {
        let mut kept = self.standing.borrow_mut();
        let index = kept.iter().position(|standing| standing.view == view)?;
        let standing = kept.swap_remove(index);
        (standing.version == version).then_some(standing.places)
    }

    /// Keeps what stands in the newest version of a view.
    pub(crate) fn keep_standing(&self, standing: Standing) {
        if standing.places.len() <= MOST_ENTRIES {
            keep_last(&mut self.standing.borrow_mut(), standing);
        }
    }
}

fn keep_last<T>(kept: &mut Vec<T>, new: T) {
    if kept.len() == MOST {
        kept.remove(0);
    }
    kept.push(new);
}

impl Book {
    fn insert(&mut self, id: EntryId, entry: &Entry, number: i64) {
        let new = Visible::of(id, entry, number);
        let place = |known: &Arc<Visible>| (known.position.as_str(), known.id) < (new.position.as_str(), id);
        let index = self.live.partition_point(place);
        self.live.insert(index, Arc::new(new));
    }
}
