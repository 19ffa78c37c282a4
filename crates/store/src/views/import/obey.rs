//! Making a change of what the file's writer provably meant.

use super::Import;
use crate::books::{Live, live_in, live_shown_as};
use crate::draft::{Draft, NewEntry, Removal};
use crate::views::{held, relabelled, synced, versions};
use crate::{Result, copied};
use memlore_model::{Position, TextKey, clean_text};
use memlore_view::{Dialect, Held, Item, Judgement, Parsed, VersionNumber};
use rusqlite::params;

impl Import<'_, '_, '_> {
    /// The live entries of a text that the writer of the file had seen.
    pub(super) fn seen(&self, key: &TextKey, seen_at: VersionNumber) -> Result<Vec<Live>> {
        let (view, book) = (self.view.number, self.book());
        self.writing.read(|tx| {
            let last = versions::last_record(tx, view, seen_at)?;
            let live = live_shown_as(tx, self.dialect, key.digest(), book)?;
            Ok(live.into_iter().filter(|entry| entry.record <= last).collect())
        })
    }

    /// Carries out what the file is obeyed for; returns what turned out not to have been seen and has to be held.
    pub(super) fn obey(&mut self, parsed: &Parsed, judgement: &Judgement) -> Result<Vec<Held>> {
        let book = self.book();
        let edited = format!("edited in {}", self.view.name());
        let why = |inferred: bool| Some(if inferred { "inferred".to_owned() } else { edited.clone() });
        let mut draft = Draft::default();
        let mut inferred = Vec::new();
        let mut unseen = Vec::new();
        // In a synced home these may be another device's entries, whose records are still on their way.
        let mut copies = Vec::new();
        let mut position = self.writing.next_position(book)?;
        for replaced in &judgement.replaced {
            let old = self.seen(&replaced.old, replaced.seen_at)?;
            let item = &parsed.items[replaced.new];
            let mut entry = self.new_entry(item, position.clone());
            let Some(first) = old.first() else {
                // The text came again after what the writer saw: only the new one is theirs.
                unseen.push(Held {
                    key: replaced.old.clone(),
                    kind: memlore_view::HeldKind::Absent,
                    unseen: true,
                });
                copies.push(draft.add(entry));
                position = Position::after(Some(&position));
                self.edits.imported.added += 1;
                continue;
            };
            entry.position = first.position.clone();
            if self.dialect != Dialect::Bullets {
                entry.labels = first.labels.clone();
            }
            entry.replaces = old.iter().map(|live| live.id).collect();
            let index = draft.add(entry);
            copies.push(index);
            for live in old {
                let removal =
                    Removal { why: why(replaced.inferred), replaced_by: Some(index), ..Removal::default() };
                draft.remove(live.id, removal);
                inferred.extend(replaced.inferred.then_some(live.id));
            }
            self.edits.imported.replaced += 1;
        }
        for removed in &judgement.removed {
            let old = self.seen(&removed.key, removed.seen_at)?;
            if old.is_empty() {
                unseen.push(Held {
                    key: removed.key.clone(),
                    kind: memlore_view::HeldKind::Absent,
                    unseen: true,
                });
                continue;
            }
            for live in old {
                draft.remove(live.id, Removal { why: why(removed.inferred), ..Removal::default() });
                inferred.extend(removed.inferred.then_some(live.id));
            }
            self.edits.imported.removed += 1;
        }
        let mut added: Vec<usize> = judgement.added.iter().chain(&judgement.returned).copied().collect();
        added.sort_unstable();
        for index in added {
            let add = draft.add(self.new_entry(&parsed.items[index], position.clone()));
            if judgement.added.contains(&index) {
                copies.push(add);
            }
            position = Position::after(Some(&position));
            self.edits.imported.added += 1;
        }
        let synced = synced::is_synced(self.store());
        // There a file may show what a record on its way will say.
        if !synced {
            let live = self.writing.read(|tx| live_in(tx, book))?;
            let replaced = relabelled::plan(self.writing, self.view, parsed, &live, &mut draft)?;
            self.edits.imported.replaced += replaced;
        }
        let ids = draft.record(self.writing)?;
        let view = self.view.number;
        self.writing.read(|tx| {
            for id in inferred {
                tx.prepare_cached("insert or ignore into inferred (view, entry) values (?1, ?2)")?
                    .execute(params![view, id.to_bytes()])?;
            }
            if synced {
                let copies: Vec<_> = copies.iter().filter_map(|index| ids[*index]).collect();
                copied::remember(tx, &copies)?;
            }
            let removed = judgement.removed.iter().map(|removed| &removed.key);
            let replaced = judgement.replaced.iter().map(|replaced| &replaced.old);
            for key in removed.chain(replaced) {
                held::release(tx, view, key.digest())?;
            }
            for index in &judgement.returned {
                held::release(tx, view, parsed.items[*index].key.digest())?;
            }
            Ok(())
        })?;
        Ok(unseen)
    }

    pub(super) fn new_entry(&self, item: &Item, position: Position) -> NewEntry {
        // What the file shows was cleaned by parsing; cleaning again only takes off what a frame would keep.
        let text = clean_text(&item.text).unwrap_or_else(|_| item.text.clone());
        NewEntry::plain(self.book().clone(), text, position).said_by(self.dialect, item, self.view.name())
    }
}
