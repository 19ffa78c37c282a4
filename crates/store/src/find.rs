//! Finding what a caller means: an id, else an exact text, else the only entry that contains the text.

use crate::books::{Live, live_everywhere, live_with_id, live_with_key};
use crate::seen::Sight;
use crate::writing::Writing;
use crate::{Candidate, Error, Result};
use memlore_model::{BookName, TextKey, Unit};

/// Finds the entries that a caller means, all of them with one text and in one book.
///
/// Only entries that the caller had seen count. Of entries with the same text all are meant, since they are shown
/// as one.
///
/// # Errors
/// Nothing matched, or several different texts contain what was given.
pub(crate) fn find(
    writing: &Writing<'_>,
    what: &str,
    book: Option<&BookName>,
    sight: &Sight,
) -> Result<Vec<Live>> {
    let key = TextKey::of(what);
    if key.as_str().is_empty() {
        return Err(Error::Refused("an empty text names no entry".to_owned()));
    }
    let nothing = || Error::NothingMatched { what: what.to_owned() };
    if let Ok(id) = what.trim().parse() {
        let named = writing.read(|tx| live_with_id(tx, id))?;
        if let Some(named) = seen(writing, sight, named.into_iter().collect())?.pop() {
            let same = writing.read(|tx| live_with_key(tx, named.key, Some(&named.book)))?;
            return seen(writing, sight, same);
        }
        if writing.read(|tx| was_known(tx, id))? {
            return Err(nothing());
        }
    }
    let exact = writing.read(|tx| live_with_key(tx, key.digest(), book))?;
    let exact = seen(writing, sight, exact)?;
    let found = if exact.is_empty() {
        let all = writing.read(|tx| live_everywhere(tx))?;
        let containing = all.into_iter().filter(|entry| {
            book.is_none_or(|book| entry.book == *book)
                && TextKey::of(&entry.text).as_str().contains(key.as_str())
        });
        seen(writing, sight, containing.collect())?
    } else {
        exact
    };
    let first = found.first().ok_or_else(nothing)?;
    if found.iter().all(|entry| entry.key == first.key && entry.book == first.book) {
        return Ok(found);
    }
    Err(Error::Ambiguous { what: what.to_owned(), candidates: candidates(&found, Unit::Chars) })
}

fn was_known(db: &rusqlite::Connection, id: memlore_model::EntryId) -> rusqlite::Result<bool> {
    db.prepare_cached("select exists (select 1 from entries where id = ?1)")?
        .query_row([id.to_bytes()], |row| row.get(0))
}

fn seen(writing: &Writing<'_>, sight: &Sight, entries: Vec<Live>) -> Result<Vec<Live>> {
    let mut seen = Vec::with_capacity(entries.len());
    for entry in entries {
        if writing.read(|tx| sight.covers(tx, &entry))? {
            seen.push(entry);
        }
    }
    Ok(seen)
}

/// Entries as a refusal names them, each text once.
pub(crate) fn candidates(entries: &[Live], unit: Unit) -> Vec<Candidate> {
    let mut shown: Vec<Candidate> = Vec::new();
    for entry in entries {
        if !shown.iter().any(|known| known.book == entry.book && known.text == entry.text) {
            let size = unit.count(&entry.text);
            shown.push(Candidate { id: entry.id, book: entry.book.clone(), text: entry.text.clone(), size });
        }
    }
    shown
}
