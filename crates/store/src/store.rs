//! The front door.

use crate::answer::{
    Added, Answered, BatchResult, Changed, Check, Conflict, Event, Imported, Initialised, Listed, Recalled,
    Status, Synced, ViewReport,
};
use crate::ask::{Add, BatchOp, Id, Init, ListQuery, Removal};
use crate::{Open, Result};
use memlore_model::BookName;
use std::path::Path;

/// How a store is written out for other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Export {
    /// One JSON object a line: every entry, with what became of it.
    JsonLines,
    /// A view in this dialect, by its name.
    View(&'static str),
    /// The Automerge document that all changes form.
    Automerge,
}

/// A replica, open.
pub struct Store {}

impl Store {
    /// Opens a replica that is there.
    pub fn open(open: Open) -> Result<Self> {
        unimplemented!()
    }
    /// Opens a replica, and makes it when there is none.
    pub fn open_or_create(open: Open) -> Result<Answered<Self>> {
        unimplemented!()
    }
    /// Makes a replica or changes its settings.
    pub fn init(open: Open, init: &Init) -> Result<Answered<Initialised>> {
        unimplemented!()
    }
    /// Remembers a text.
    pub fn add(&mut self, add: &Add) -> Result<Answered<Added>> {
        unimplemented!()
    }
    /// Puts a text in another's place. `old`: an id, else the exact text, else the only entry containing it.
    pub fn replace(&mut self, old: &str, new: &str, removal: &Removal) -> Result<Answered<Changed>> {
        unimplemented!()
    }
    /// Removes an entry: by id, by its exact text, or as the only entry containing it.
    pub fn remove(&mut self, what: &str, removal: &Removal) -> Result<Answered<Changed>> {
        unimplemented!()
    }
    /// Does several things to a book in one transaction; limits are judged on the final state.
    pub fn batch(&mut self, book: &BookName, ops: &[BatchOp]) -> Result<Answered<Vec<BatchResult>>> {
        unimplemented!()
    }
    /// Lists entries.
    pub fn list(&self, query: &ListQuery) -> Result<Listed> {
        unimplemented!()
    }
    /// Tells one entry's whole story: itself, what it replaced and what replaced it, oldest first.
    pub fn show(&self, id: Id) -> Result<Vec<Event>> {
        unimplemented!()
    }
    /// Tells what happened, newest first.
    pub fn log(&self, book: Option<&BookName>, limit: Option<usize>) -> Result<Vec<Event>> {
        unimplemented!()
    }
    /// Lists live entries that replaced the same one.
    pub fn conflicts(&self) -> Result<Vec<Conflict>> {
        unimplemented!()
    }
    /// Adds a removed entry again.
    pub fn restore(&mut self, id: Id) -> Result<Answered<Added>> {
        unimplemented!()
    }
    /// Reverses this replica's last operation.
    pub fn undo(&mut self) -> Result<Answered<Changed>> {
        unimplemented!()
    }
    /// Writes the views.
    pub fn render(&mut self) -> Result<Answered<Vec<ViewReport>>> {
        unimplemented!()
    }
    /// Tells the state of the views and writes nothing.
    pub fn views(&self) -> Result<Vec<ViewReport>> {
        unimplemented!()
    }
    /// Takes hand edits in, from the views or from one file; `confirm` obeys what is held or guarded.
    pub fn import(&mut self, file: Option<&Path>, confirm: bool) -> Result<Answered<Imported>> {
        unimplemented!()
    }
    /// Exchanges with the share once; a share named here is remembered.
    pub fn sync(&mut self, share: Option<&str>) -> Result<Answered<Synced>> {
        unimplemented!()
    }
    /// Tells how the replica is doing.
    pub fn status(&self) -> Result<Status> {
        unimplemented!()
    }
    /// Checks every invariant; `repair` mends what it can, `deep` builds the Automerge document too.
    pub fn doctor(&mut self, repair: bool, deep: bool) -> Result<Vec<Check>> {
        unimplemented!()
    }
    /// Writes the store out for other programs; the warnings say what an export cannot carry.
    pub fn export(&self, format: Export, out: &mut dyn std::io::Write) -> Result<Vec<String>> {
        unimplemented!()
    }
}
#[allow(dead_code)]
fn silence(_: Recalled) {}
