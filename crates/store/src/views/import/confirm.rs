//! Obeying what is held or guarded, when a person confirms it.

use super::Import;
use crate::Result;
use crate::answer::HeldKind;
use crate::books::{Live, live_in, live_with_key, shown_key};
use crate::draft::{Draft, Removal};
use crate::views::{guarded, held, versions};
use memlore_model::Position;
use memlore_view::Item;
use std::collections::BTreeSet;

impl Import<'_, '_, '_> {
    /// Obeys what is held here, and a guarded file that nothing followed.
    pub(super) fn confirm_held(&mut self) -> Result<()> {
        let (view, book) = (self.view.number, self.book());
        let newest = self.writing.read(|tx| versions::newest(tx, view))?.map_or(0, |newest| newest.number);
        let why = format!("confirmed for {}", self.view.name());
        let mut draft = Draft::default();
        let mut position = self.writing.next_position(book)?;
        for row in self.writing.read(|tx| held::of_view(tx, view))? {
            let live = self.writing.read(|tx| live_with_key(tx, row.key, Some(book)))?;
            match row.kind {
                HeldKind::Absent => {
                    for entry in live.iter().filter(|entry| entry.record <= row.last_record) {
                        draft.remove(entry.id, Removal { why: Some(why.clone()), ..Removal::default() });
                    }
                    self.edits.imported.removed += 1;
                }
                HeldKind::Returning if live.is_empty() => {
                    draft.add(self.new_entry(&Item::plain(&*row.text), position.clone()));
                    position = Position::after(Some(&position));
                    self.edits.imported.added += 1;
                }
                HeldKind::Returning => {}
            }
            self.writing.read(|tx| held::release(tx, view, row.key))?;
        }
        if let Some(guarded) = self.writing.read(|tx| guarded::pending(tx, view, newest))? {
            let (parsed, _) = self.parsed(&guarded.text)?;
            let kept: BTreeSet<[u8; 16]> = parsed.items.iter().map(|item| item.key.digest()).collect();
            let live = self.writing.read(|tx| live_in(tx, book))?;
            for entry in &live {
                if !kept.contains(&shown_key(self.dialect, &entry.text, entry.key))
                    && entry.record <= guarded.last_record
                    && !draft.removes(entry.id)
                {
                    draft.remove(entry.id, Removal { why: Some(why.clone()), ..Removal::default() });
                    self.edits.imported.removed += 1;
                }
            }
            for item in &parsed.items {
                let is = |entry: &Live| shown_key(self.dialect, &entry.text, entry.key) == item.key.digest();
                if !live.iter().any(is) {
                    draft.add(self.new_entry(item, position.clone()));
                    position = Position::after(Some(&position));
                    self.edits.imported.added += 1;
                }
            }
            self.writing.read(|tx| guarded::forget(tx, view))?;
        }
        draft.record(self.writing).map(drop)
    }
}
