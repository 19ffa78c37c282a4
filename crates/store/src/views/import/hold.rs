//! What nobody provably meant: held, shown, and put back where it was only inferred.

use super::Import;
use crate::Result;
use crate::answer::HeldKind;
use crate::books::live_shown_as;
use crate::views::{held, versions};
use memlore_view::{Judgement, Parsed, VersionNumber};

impl Import<'_, '_, '_> {
    pub(super) fn hold(&mut self, judgement: &Judgement, parsed: &Parsed) -> Result<()> {
        let (view, book) = (self.view.number, self.book());
        let newest = VersionNumber(self.newest.map_or(0, |newest| newest.number));
        for held in &judgement.held {
            let kind = match held.kind {
                memlore_view::HeldKind::Absent => HeldKind::Absent,
                memlore_view::HeldKind::Returning => HeldKind::Returning,
            };
            let in_file = parsed.items.iter().find(|item| item.key == held.key).map(|item| item.text.clone());
            let (live, last) = self.writing.read(|tx| {
                let live = live_shown_as(tx, self.dialect, held.key.digest(), book)?;
                Ok((live, versions::last_record(tx, view, newest)?))
            })?;
            let text = in_file.or_else(|| live.first().map(|entry| entry.text.clone()));
            let text = text.unwrap_or_else(|| held.key.as_str().to_owned());
            held::hold(self.writing, view, &text, kind, last)?;
            self.edits.imported.held += 1;
            let what = match kind {
                HeldKind::Absent => "is gone from the file and stays in memory",
                HeldKind::Returning => "was removed, stands in the file again and stays out of memory",
            };
            self.edits.warnings.push(format!(
                "{}: {:?} {what}, since its writer may have started from an old file; \
                 `memlore import --confirm` obeys the file",
                self.view.name(),
                short(&text)
            ));
        }
        Ok(())
    }

    /// The home has a stale writer: what was inferred from its files is put back, and nothing is inferred again.
    pub(super) fn put_back_inferred(&mut self) -> Result<()> {
        let view = self.view.number;
        let rows: Vec<[u8; 24]> = self.writing.read(|tx| {
            tx.execute("update views set inference_ended = 1", [])?;
            tx.prepare_cached("select entry from inferred where view = ?1")?
                .query_map([view], |row| row.get(0))?
                .collect()
        })?;
        for row in rows {
            let restored = crate::memory::restore_into(self.writing, row)?;
            if let Some(text) = restored {
                self.edits.imported.held += 1;
                let last = self.writing.last_record()?;
                held::hold(self.writing, view, &text, HeldKind::Absent, last)?;
                self.edits.warnings.push(format!(
                    "{}: {:?} is put back: a program here saves old files, so its absence proves nothing",
                    self.view.name(),
                    short(&text)
                ));
            }
        }
        self.writing.read(|tx| tx.execute("delete from inferred where view = ?1", [view]).map(drop))
    }
}

/// The beginning of a text, for a warning.
fn short(text: &str) -> String {
    const MOST: usize = 60;
    let mut line: String = text.chars().take(MOST).map(|c| if c == '\n' { ' ' } else { c }).collect();
    if text.chars().count() > MOST {
        line.push('…');
    }
    line
}
