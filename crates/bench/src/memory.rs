//! The memory of a process whose store holds 100,000 entries.

use anyhow::Result;
use memlore_model::BookName;
use memlore_store::ask::{Add, ListQuery, Removal};
use std::path::Path;

use crate::figure::Figure;
use crate::process::child;
use crate::scratch::{Scratch, open, text};

const MOST_MIB: f64 = 20.0;

pub(crate) fn ask(scratch: &Scratch) -> Result<Vec<Figure>> {
    let folder = scratch.store_of("memory", 100_000)?.folder;
    let figure = |what, role| {
        let mib = child(role, &[&folder])?[0] as f64 / 1024.0;
        Ok::<_, anyhow::Error>(Figure::at_most(what, mib, MOST_MIB, "MiB", "greatest of a process"))
    };
    Ok(vec![
        figure("memory at 100,000 entries: adding", "add")?,
        figure("memory at 100,000 entries: status, and the list of a view", "look")?,
    ])
}

/// Opens a store, adds and removes.
pub(crate) fn add_a_few(folder: &Path) -> Result<()> {
    let mut store = open(folder)?;
    for number in 0..20 {
        let added = store.add(&Add::new(BookName::memory(), text(2_000_000 + number)))?;
        store.remove(&added.answer.id.to_string(), &Removal::default())?;
    }
    Ok(())
}

/// Opens a store and reads what an agent reads.
pub(crate) fn look(folder: &Path) -> Result<()> {
    let store = open(folder)?;
    store.status()?;
    store.list(&ListQuery { book: Some(BookName::memory()), ..ListQuery::default() })?;
    Ok(())
}
