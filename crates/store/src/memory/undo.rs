//! Taking back a removal, and taking back this replica's last operation.

use crate::answer::{AddStatus, Added, Answered, Changed};
use crate::books::{id_of, live_with_id, live_with_key};
use crate::draft::{Draft, NewEntry, Removal};
use crate::limits::{check_books, usage_now};
use crate::operate::Books;
use crate::recall::entry_with_id;
use crate::writing::Writing;
use crate::{Error, Result, Store};
use memlore_model::{Entry, EntryId, Kind, Put, Stream, TextKey, change};
use rusqlite::{OptionalExtension as _, params};

/// The label that names the entry whose removal was taken back.
const RESTORES: &str = "restores";

/// Adds a removed entry again, in its old place.
pub(crate) fn restore(store: &Store, id: EntryId) -> Result<Answered<Added>> {
    let nothing = || Error::NothingMatched { what: id.to_string() };
    let known = store.db.read(|db| entry_with_id(db, id))?.ok_or_else(nothing)?;
    let book = known.entry.book.clone();
    store.check_entry(&known.entry.text)?;
    store.operate(Books::One(&book), |writing, frames| {
        let mut draft = Draft::default();
        let index = draft.add(again(&known.entry, id));
        let key = TextKey::of(&known.entry.text).digest();
        let live = writing.read(|tx| live_with_key(tx, key, Some(&book)))?;
        if live.iter().any(|entry| entry.id == id) {
            return Err(Error::Refused(format!(
                "the entry {id} was not removed, so there is nothing to restore"
            )));
        }
        let status = if live.is_empty() { AddStatus::Added } else { AddStatus::Exists };
        check_books(writing, &draft, frames)?;
        let id = draft.record(writing)?[index].expect("an add that is not taken back gets an id");
        let usage = usage_now(writing, &book, frames)?;
        Ok(Added { id, book: book.clone(), status, usage })
    })
}

/// Adds a removed entry again inside a transaction, unless its text lives; returns the text.
pub(crate) fn restore_into(writing: &mut Writing<'_>, id: [u8; 24]) -> Result<Option<String>> {
    let Ok(id) = EntryId::from_bytes(&id) else { return Ok(None) };
    let Some(known) = writing.read(|tx| entry_with_id(tx, id))? else { return Ok(None) };
    let key = TextKey::of(&known.entry.text).digest();
    let live = writing.read(|tx| live_with_key(tx, key, Some(&known.entry.book)))?;
    if !live.is_empty() {
        return Ok(None);
    }
    let mut draft = Draft::default();
    draft.add(again(&known.entry, id));
    draft.record(writing)?;
    Ok(Some(known.entry.text))
}

/// Reverses this replica's last operation. The reversal is an operation too, so undoing it does it again.
pub(crate) fn undo(store: &Store) -> Result<Answered<Changed>> {
    let nothing = || Error::NothingMatched { what: "last operation".to_owned() };
    store.operate(Books::All, |writing, frames| {
        let mut before = i64::MAX;
        // An operation may have left nothing to reverse: it only gave a text a new id, or others undid it since.
        loop {
            let (record, puts) = last_puts(writing, before)?.ok_or_else(nothing)?;
            let reversal = Reversal::of(writing, &puts)?;
            if !reversal.draft.is_empty() {
                check_books(writing, &reversal.draft, frames)?;
                let ids = reversal.draft.record(writing)?;
                let added = reversal.restored.first().and_then(|index| ids[*index]);
                return Ok(Changed { removed: reversal.removed, added });
            }
            before = record;
        }
    })
}

/// What takes an operation back.
struct Reversal {
    draft: Draft,
    /// The entries that it removes.
    removed: Vec<EntryId>,
    /// The adds of the draft, which bring entries back.
    restored: Vec<usize>,
}

impl Reversal {
    fn of(writing: &Writing<'_>, puts: &[Put]) -> Result<Self> {
        let mut old = Vec::new();
        let mut new = Vec::new();
        for put in puts {
            match put {
                Put::Remove(id, _) => old.extend(writing.read(|tx| entry_with_id(tx, *id))?),
                Put::Add(id, entry) => new.push((*id, entry)),
            }
        }
        let mut draft = Draft::default();
        let mut restored = Vec::new();
        for removed in &old {
            let key = TextKey::of(&removed.entry.text);
            // An add of a text that lived already only gave it a new id.
            let lives_on = new.iter().any(|(_, entry)| TextKey::of(&entry.text) == key);
            if !lives_on {
                writing.store.check_entry(&removed.entry.text)?;
            }
            if !lives_on && draft.add_with_key(&removed.entry.book, &key).is_none() {
                restored.push(draft.add(again(&removed.entry, removed.id)));
            }
        }
        let mut removed = Vec::new();
        for (id, entry) in new {
            let lived_before = old.iter().any(|old| TextKey::of(&old.entry.text) == TextKey::of(&entry.text));
            if !lived_before {
                removed.extend(heir(writing, id, &TextKey::of(&entry.text))?);
            }
        }
        let one_for_one = restored.first().copied().filter(|_| removed.len() == 1 && restored.len() == 1);
        for id in &removed {
            let why = Some("undone".to_owned());
            draft.remove(*id, Removal { why, replaced_by: one_for_one, ..Removal::default() });
        }
        Ok(Self { draft, removed, restored })
    }
}

/// The live entry that an add became: itself, or what a later add of the same text made of it.
fn heir(writing: &Writing<'_>, id: EntryId, key: &TextKey) -> Result<Option<EntryId>> {
    let mut id = id;
    loop {
        if writing.read(|tx| live_with_id(tx, id))?.is_some() {
            return Ok(Some(id));
        }
        let later: Vec<EntryId> = writing.read(|tx| {
            tx.prepare_cached("select new from replacements where old = ?1 order by new")?
                .query_map([id.to_bytes()], |row| id_of(row, 0))?
                .collect()
        })?;
        let mut same_text = None;
        for new in later.into_iter().filter(|new| *new != id) {
            let known = writing.read(|tx| entry_with_id(tx, new))?;
            if known.is_some_and(|known| TextKey::of(&known.entry.text) == *key) {
                same_text = Some(new);
            }
        }
        // Ids only ever name newer entries here, but a hostile record may name itself.
        match same_text.filter(|new| new.counter > id.counter || new.replica != id.replica) {
            Some(new) => id = new,
            None => return Ok(None),
        }
    }
}

fn again(entry: &Entry, id: EntryId) -> NewEntry {
    let mut labels = entry.labels.clone();
    labels.insert(RESTORES.to_owned(), id.to_string());
    NewEntry {
        source: entry.source.clone(),
        labels,
        scope: entry.scope,
        ..NewEntry::plain(entry.book.clone(), entry.text.clone(), entry.position.clone())
    }
}

/// The last change of ours that came before a record, under whichever of our ids.
fn last_puts(writing: &Writing<'_>, before: i64) -> Result<Option<(i64, Vec<Put>)>> {
    let found: Option<(i64, Vec<u8>)> = writing.read(|tx| {
        tx.query_row(
            "select num, payload from records
             where num < ?1 and stream = ?2 and kind = ?3 and payload is not null
                 and (replica = ?4 or exists (select 1 from own_ids
                     where own_ids.replica = records.replica and records.seq <= memory_last))
             order by num desc limit 1",
            params![before, Stream::Memory.number(), Kind::CHANGE.0, writing.own],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()
    })?;
    Ok(found.map(|(record, payload)| {
        (record, change::read(&payload).map(|change| change.puts).unwrap_or_default())
    }))
}
