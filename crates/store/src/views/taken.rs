//! What of a file can be taken over here, and why the rest cannot.

use super::relabelled::was_said;
use crate::books::live_shown_as;
use crate::{Error, Store};
use memlore_model::{BookName, clean_text};
use memlore_view::{Dialect, Item, Parsed, Taken, parse_taking};
use rusqlite::Connection;

/// A line that is not taken over, or not all of it; it stays in its file.
pub(super) struct Untaken {
    pub(super) why: Error,
    /// What it says, to know it again.
    pub(super) said: String,
    /// Whether what stands beside its text is all that is not taken over.
    pub(super) beside: bool,
}

impl Untaken {
    /// Why a line can be no entry of this home, if it cannot.
    fn of(store: &Store, item: &Item) -> Option<Self> {
        let of_text = clean_text(&item.text).map_err(Error::from).and_then(|text| store.check_entry(&text));
        if let Err(why) = of_text {
            return Some(Self { why, said: item.text.clone(), beside: false });
        }
        let why = store.check_beside(None, &item.labels).err()?;
        Some(Self { why, said: format!("{} {:?}", item.text, item.labels), beside: true })
    }
}

/// Takes a view's file apart.
///
/// What is live here already stays an entry, whatever this replica thinks of it: another may keep it.
pub(super) fn parse_here(
    store: &Store,
    db: &Connection,
    dialect: Dialect,
    book: &BookName,
    text: &str,
) -> rusqlite::Result<(Parsed, Vec<Untaken>)> {
    let (mut left, mut failed) = (Vec::new(), None);
    let parsed = parse_taking(dialect, text, &mut |item| {
        let Some(mut untaken) = Untaken::of(store, item) else { return Taken::All };
        let taken = live_shown_as(db, dialect, item.key.digest(), book).and_then(|live| match live.first() {
            None => Ok(Taken::Nothing),
            Some(first) if untaken.beside && !was_said(db, first, item)? => Ok(Taken::Text),
            Some(_) => Ok(Taken::All),
        });
        let taken = taken.unwrap_or_else(|error| {
            failed.get_or_insert(error);
            Taken::Nothing
        });
        untaken.beside &= taken == Taken::Text;
        if taken != Taken::All {
            left.push(untaken);
        }
        taken
    });
    failed.map_or(Ok((parsed, left)), Err)
}

/// Takes apart a file that is not this home's: what can be no entry here stays behind.
pub(super) fn parse_elsewhere(store: &Store, dialect: Dialect, text: &str) -> (Parsed, Vec<Untaken>) {
    let mut left = Vec::new();
    let parsed = parse_taking(dialect, text, &mut |item| match Untaken::of(store, item) {
        Some(untaken) => {
            left.push(untaken);
            Taken::Nothing
        }
        None => Taken::All,
    });
    (parsed, left)
}
