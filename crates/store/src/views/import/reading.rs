//! What the file holds: its entries, what stays in its frame, and what may be kept nowhere.

use super::Import;
use crate::views::taken::{Untaken, parse_here};
use crate::{Error, Result, secrets};
use memlore_view::{Parsed, read_anyway};

impl Import<'_, '_, '_> {
    /// Keeps the frame of a file, to render around it. Most files have none.
    pub(super) fn frame_of(&mut self, parsed: Parsed) {
        self.edits.frame = parsed.frame.clone();
        self.edits.around_frame = Some(parsed);
    }

    pub(super) fn text_now(&self) -> Option<String> {
        read_anyway(self.dialect, self.now.bytes.as_deref())
    }

    /// Takes a file apart.
    pub(super) fn parsed(&self, text: &str) -> Result<(Parsed, Vec<Untaken>)> {
        self.writing.read(|tx| parse_here(self.store(), tx, self.dialect, self.book(), text))
    }

    /// The same, and reports once what is not taken over.
    pub(super) fn parsed_reporting(&mut self, text: &str) -> Result<Parsed> {
        let (parsed, left) = self.parsed(text)?;
        for Untaken { why, said, beside } in left {
            self.edits.secret |= matches!(why, Error::Secret { .. });
            if !secrets::was_reported(self.writing, &said)? {
                let (what, name) = (if beside { "metadata" } else { "a text" }, self.view.name());
                self.edits.warnings.push(format!("{what} in {name} is not taken over: {why}"));
            }
        }
        if self.edits.secret {
            self.unlink();
        }
        Ok(parsed)
    }

    /// Looks for a secret in the whole file: it may stand among a person's own lines too.
    pub(super) fn note_secret(&mut self, text: &str) {
        self.edits.secret |= secrets::in_file(None, Some(text)).is_some();
    }

    /// Takes away the links to this very file: of a secret no copy is kept.
    pub(super) fn unlink(&self) {
        let file = self.now.stamp.map(|stamp| (stamp.device, stamp.inode));
        for version in self.witnesses.versions() {
            if self.witnesses.file_of(version) == file {
                self.witnesses.remove(version);
            }
        }
    }
}
