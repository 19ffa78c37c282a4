//! Finding what a caller means: an id, else an exact text, else the only entry that contains the text.

use crate::books::{Live, live_everywhere, live_with_id, live_with_key, shown_key};
use crate::seen::Sight;
use crate::writing::Writing;
use crate::{Candidate, Error, Result};
use memlore_model::{BookName, TextKey, Unit};
use memlore_view::{Dialect, Match, matches, same_entry};
use std::collections::BTreeMap;

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
    let found = if exact.is_empty() { alike(writing, what, book, sight)? } else { exact };
    let first = found.first().ok_or_else(nothing)?;
    let dialects = writing.store.dialects_of(&first.book);
    let key_in = |dialect, entry: &Live| shown_key(dialect, &entry.text, entry.key);
    let as_one =
        |entry: &Live| dialects.iter().any(|&dialect| key_in(dialect, entry) == key_in(dialect, first));
    let one = |entry: &Live| entry.book == first.book && as_one(entry);
    if found.iter().all(one) {
        return Ok(found);
    }
    Err(Error::Ambiguous { what: what.to_owned(), candidates: candidates(&found, Unit::Chars) })
}

/// The entries that show as what a caller gave, else those that contain it.
fn alike(writing: &Writing<'_>, what: &str, book: Option<&BookName>, sight: &Sight) -> Result<Vec<Live>> {
    let mut dialects = BTreeMap::new();
    let (mut exact, mut containing) = (Vec::new(), Vec::new());
    for entry in writing.read(|tx| live_everywhere(tx))? {
        if book.is_some_and(|book| entry.book != *book) {
            continue;
        }
        let dialects =
            dialects.entry(entry.book.clone()).or_insert_with(|| writing.store.dialects_of(&entry.book));
        match dialects.iter().filter_map(|dialect| matches(*dialect, &entry.text, what)).max() {
            Some(Match::Exact) => exact.push(entry),
            Some(Match::Contains) => containing.push(entry),
            None => {}
        }
    }
    let exact = seen(writing, sight, exact)?;
    if exact.is_empty() { seen(writing, sight, containing) } else { Ok(exact) }
}

/// The live entries that an add of this text finds there already: of the same text in its book, else one that the
/// book's dialect takes for the same, wherever its topics have it. What the team knows and what one agent knows are
/// apart.
pub(crate) fn already_there(writing: &Writing<'_>, book: &BookName, text: &str) -> Result<Vec<Live>> {
    let store = writing.store;
    let key = TextKey::of(text).digest();
    if store.main_view(book).is_some() {
        // Its rendering reads the whole book anyway.
        writing.read(|tx| writing.shelf.live(tx, book))?;
    }
    let same = match writing.shelf.lacks(book, key) {
        true => Vec::new(),
        false => writing.read(|tx| live_with_key(tx, key, Some(book)))?,
    };
    if !same.is_empty() || store.dialect_of(book) != Dialect::Bullets {
        return Ok(same);
    }
    let mut live = writing.read(|tx| live_everywhere(tx))?;
    let team = BookName::team();
    live.retain(|entry| (entry.book == team) == (*book == team));
    live.sort_by_key(|entry| entry.book != *book);
    let twin = live.into_iter().find(|entry| {
        same_entry(Dialect::Bullets, &entry.text, text) && store.dialect_of(&entry.book) == Dialect::Bullets
    });
    let Some(twin) = twin else { return Ok(Vec::new()) };
    writing.read(|tx| live_with_key(tx, twin.key, Some(&twin.book)))
}

fn was_known(db: &rusqlite::Connection, id: memlore_model::EntryId) -> rusqlite::Result<bool> {
    db.prepare_cached("select exists (select 1 from entries where id = ?1)")?
        .query_row([id.to_bytes()], |row| row.get(0))
}

/// Of these entries those that a reader had seen.
pub(crate) fn seen(writing: &Writing<'_>, sight: &Sight, entries: Vec<Live>) -> Result<Vec<Live>> {
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
