//! What the file holds: its entries, what stays in its frame, and what may be kept nowhere.

use super::Import;
use crate::books::live_shown_as;
use crate::{Error, Result, Store, secrets};
use memlore_model::clean_text;
use memlore_view::{Item, Parsed, parse, read_anyway};

impl Import<'_, '_, '_> {
    /// Keeps the frame of a file, to render around it. Most files have none.
    pub(super) fn frame_of(&mut self, parsed: Parsed) {
        self.edits.frame = parsed.frame.clone();
        self.edits.around_frame = Some(parsed);
    }

    pub(super) fn text_now(&self) -> Option<String> {
        read_anyway(self.dialect, self.now.bytes.as_deref())
    }

    pub(super) fn parsed(&self, text: &str) -> Result<Parsed> {
        let mut parsed = parse(self.dialect, text);
        let mut left = Vec::new();
        for (index, item) in parsed.items.iter().enumerate() {
            // What another replica may keep is rendered here, and stays an entry.
            let (key, book) = (item.key.digest(), self.book());
            if refusal(self.store(), item).is_some()
                && self.writing.read(|tx| live_shown_as(tx, self.dialect, key, book))?.is_empty()
            {
                left.push(index);
            }
        }
        parsed.leave_in_frame(&left);
        Ok(parsed)
    }

    pub(super) fn parsed_reporting(&mut self, text: &str) -> Result<Parsed> {
        let parsed = self.parsed(text)?;
        for left in parsed.frame.texts() {
            let error = refusal(self.store(), &Item::plain(left));
            self.edits.secret |= matches!(error, Some(Error::Secret { .. }));
            if !secrets::was_reported(self.writing, left)? {
                let why = error.map_or_else(String::new, |error| error.to_string());
                let name = self.view.name();
                self.edits.warnings.push(format!("a text in {name} is not taken over: {why}"));
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

/// Why a text, with what its file says of it, cannot be an entry of this home.
pub(in crate::views) fn refusal(store: &Store, item: &Item) -> Option<Error> {
    clean_text(&item.text)
        .map_err(Error::from)
        .and_then(|text| store.check_entry(&text))
        .and_then(|()| store.check_beside(None, &item.labels))
        .err()
}
