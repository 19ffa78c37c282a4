//! Texts that were copied from another device's file before its records came.
//!
//! In a synced home a file travels faster than the records behind it. A text taken from such a file is an entry of
//! ours and another replica's at once. When the other's record shows that it was written first, our copy gives way:
//! otherwise removing the original would leave the copy behind, as a ghost.

use crate::Result;
use crate::books::{Live, id_of, live_with_key};
use crate::draft::{Draft, Removal};
use crate::recall::entry_with_id;
use crate::writing::Writing;
use memlore_model::{EntryId, TextKey};
use rusqlite::params;

/// Remembers entries that were made from a file: each may be the copy of one whose record is on its way.
pub(crate) fn remember(db: &rusqlite::Connection, entries: &[EntryId]) -> rusqlite::Result<()> {
    for entry in entries {
        db.prepare_cached("insert or ignore into copied (entry) values (?1)")?.execute([entry.to_bytes()])?;
    }
    Ok(())
}

/// Lets copies give way to their originals, and passes on what was done to a copy.
pub(crate) fn settle(writing: &mut Writing<'_>) -> Result<()> {
    let copies: Vec<EntryId> = writing.read(|tx| {
        tx.prepare_cached("select entry from copied order by entry")?
            .query_map([], |row| id_of(row, 0))?
            .collect()
    })?;
    let mut draft = Draft::default();
    for copy in copies {
        let Some(known) = writing.read(|tx| entry_with_id(tx, copy))? else { continue };
        let key = TextKey::of(&known.entry.text).digest();
        let before = |written, id: EntryId| {
            (written, id.replica, id.counter) < (known.entry.written, copy.replica, copy.counter)
        };
        if known.removed.is_empty() {
            let original = writing.read(|tx| original_of(tx, key, known.entry.book.as_str(), copy))?;
            let first = original.into_iter().filter(|(written, id)| before(*written, *id)).min();
            if let Some((_, original)) = first {
                let why = Some("a copy of an entry that came later".to_owned());
                draft.remove(copy, Removal { why, replaced_by_id: Some(original), ..Removal::default() });
            }
            continue;
        }
        // Somebody removed or replaced the copy on purpose; they meant the original too, whenever it comes.
        let meant = known
            .removed
            .iter()
            .find(|removal| !removal.replaced_by.iter().any(|new| same_text(writing, *new, key)));
        let Some(removal) = meant else {
            writing.read(|tx| tx.execute("delete from copied where entry = ?1", params![copy.to_bytes()]))?;
            continue;
        };
        let originals: Vec<Live> = writing.read(|tx| live_with_key(tx, key, Some(&known.entry.book)))?;
        for original in originals.iter().filter(|live| before(live.written, live.id)) {
            let removal = Removal {
                why: removal.why.clone(),
                replaced_by_id: removal.replaced_by.first().copied(),
                ..Removal::default()
            };
            draft.remove(original.id, removal);
        }
    }
    draft.record(writing).map(drop)
}

/// The adds of the same text in the same book, dead or alive, other than this one.
fn original_of(
    db: &rusqlite::Connection,
    key: [u8; 16],
    book: &str,
    copy: EntryId,
) -> rusqlite::Result<Vec<(memlore_model::Stamp, EntryId)>> {
    db.prepare_cached(
        "select e.id, e.written_us, e.written_logical from entries e join books b on b.num = e.book
         where e.key = ?1 and b.name = ?2 and e.id <> ?3",
    )?
    .query_map(params![key, book, copy.to_bytes()], |row| {
        let written = memlore_model::Stamp { us: row.get(1)?, logical: crate::set::logical(row.get(2)?) };
        Ok((written, id_of(row, 0)?))
    })?
    .collect()
}

fn same_text(writing: &Writing<'_>, id: EntryId, key: [u8; 16]) -> bool {
    let known = writing.read(|tx| entry_with_id(tx, id));
    matches!(known, Ok(Some(known)) if TextKey::of(&known.entry.text).digest() == key)
}
