//! Lists with numbers: showing one, and knowing again what its numbers meant.

use crate::answer::{Numbered, NumberedList};
use crate::books::{self, id_of};
use crate::branch::lineage;
use crate::seen::{context_of, locate};
use crate::set::known_book_number;
use crate::writing::Writing;
use crate::{Error, Result, Store};
use memlore_model::{BookName, Context, EntryId, Stream};
use rusqlite::Connection;
use std::collections::{BTreeMap, HashSet};

/// An entry of a list that was shown.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub(super) id: EntryId,
    pub(super) book: BookName,
    pub(super) text: String,
    pub(super) key: [u8; 16],
}

/// Lists the entries of these books, or of all, each text of a book once.
pub(crate) fn list(store: &Store, books: &[BookName]) -> Result<NumberedList> {
    store.db.read(|db| {
        // The token and the entries must be of one moment.
        let tx = db.unchecked_transaction()?;
        let books = if books.is_empty() { books::names(&tx)? } else { books.to_vec() };
        let mut context = context_of(&tx, &books, Some(store.config.dialect.name()))?;
        let listed = as_seen(&tx, &context)?.unwrap_or_default();
        context.list = Some(digest(&listed));
        let numbered = |(index, entry): (usize, Listed)| Numbered {
            number: index + 1,
            id: entry.id,
            book: entry.book,
            text: entry.text,
        };
        let entries = listed.into_iter().enumerate().map(numbered).collect();
        Ok(NumberedList { entries, context: context.to_token() })
    })
}

/// The list that was shown with a context, in the order of its numbers.
///
/// It follows from the context alone, wherever its records are; where they are not, or say something else, no number
/// is guessed.
pub(super) fn shown(writing: &Writing<'_>, context: &Context) -> Result<Vec<Listed>> {
    let listed = writing.read(|tx| as_seen(tx, context))?;
    let same = |listed: &Vec<Listed>| context.list.is_none_or(|list| list == digest(listed));
    listed.filter(same).ok_or_else(|| {
        let what =
            "the list that was shown with this context cannot be told from what is here; show a new one";
        Error::Refused(what.to_owned())
    })
}

fn digest(listed: &[Listed]) -> [u8; 8] {
    let mut hasher = blake3::Hasher::new();
    for entry in listed {
        hasher.update(&entry.id.to_bytes());
    }
    let mut digest = [0; 8];
    digest.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    digest
}

/// What somebody saw who had seen what a context names; none when some of it is not here.
fn as_seen(db: &Connection, context: &Context) -> rusqlite::Result<Option<Vec<Listed>>> {
    let Some(seen) = resolve(db, context)? else { return Ok(None) };
    let covers = |replica: i64, seq: u64| seen.get(&replica).is_some_and(|last| seq <= *last);
    let mut listed = Vec::new();
    let mut books = HashSet::new();
    for name in &context.books {
        let Ok(book) = name.parse::<BookName>() else { return Ok(None) };
        let number = known_book_number(db, &book)?.filter(|_| books.insert(book.clone()));
        let Some(number) = number else { continue };
        let mut texts = HashSet::new();
        let mut query = db.prepare_cached(
            "select id, text, key, replica, seq, live from entries where book = ?1 order by position, id",
        )?;
        let mut rows = query.query([number])?;
        while let Some(row) = rows.next()? {
            let live: bool = row.get(5)?;
            let (id, key) = (id_of(row, 0)?, row.get(2)?);
            if covers(row.get(3)?, row.get(4)?)
                && (live || !was_removed(db, id, covers)?)
                && texts.insert(key)
            {
                listed.push(Listed { id, book: book.clone(), text: row.get(1)?, key });
            }
        }
    }
    Ok(Some(listed))
}

/// Of each replica the last record that a context covers, by the replica's number here.
fn resolve(db: &Connection, context: &Context) -> rusqlite::Result<Option<BTreeMap<i64, u64>>> {
    let mut resolved = BTreeMap::new();
    // An empty stream has no record that could be named.
    for (replica, seen) in context.seen.iter().filter(|(_, seen)| seen.seq_last > 0) {
        let Some(number) = locate(db, *replica, *seen)? else { return Ok(None) };
        let upto = resolved.entry(number).or_insert(seen.seq_last);
        *upto = seen.seq_last.max(*upto);
        // Where the stream has forked since, everything before the fork was seen too.
        for before in lineage(db, number, Stream::Memory)?.into_iter().skip(1) {
            resolved.insert(before, u64::MAX);
        }
    }
    Ok(Some(resolved))
}

/// Whether one of the removals of an entry is covered.
fn was_removed(db: &Connection, id: EntryId, covers: impl Fn(i64, u64) -> bool) -> rusqlite::Result<bool> {
    let mut query = db.prepare_cached(
        "select r.replica, r.seq from tombstones t join records r on r.num = t.record where t.entry = ?1",
    )?;
    let mut rows = query.query([id.to_bytes()])?;
    while let Some(row) = rows.next()? {
        if covers(row.get(0)?, row.get(1)?) {
            return Ok(true);
        }
    }
    Ok(false)
}
