//! Files that remove nothing, and are kept aside.

use super::Import;
use crate::views::{attic, guarded, versions};
use crate::{Result, secrets};
use memlore_view::{Dialect, Guard, VersionNumber, parse};

impl Import<'_, '_, '_> {
    /// Keeps a file aside that removes nothing; the view is rendered again.
    pub(super) fn guard(&mut self, guard: Guard) -> Result<()> {
        let store = self.store();
        let mut warning = format!("{}: {guard}", self.view.name());
        let text = self.text_now();
        let secret = secrets::in_file(self.now.bytes.as_deref(), text.as_deref());
        if let Some(kind) = secret {
            warning
                .push_str(&format!("; it holds {kind}, so nothing of it is kept, and it is left as it is"));
            self.edits.secret = true;
            self.edits.leave_file = true;
            self.unlink();
        } else if let Some(bytes) = self.now.bytes.as_deref().filter(|bytes| !bytes.is_empty()) {
            match attic::keep(&store.open.state, &self.view.path, bytes, self.writing.now_us) {
                Ok(path) => warning.push_str(&format!("; its bytes are kept in {}", path.display())),
                Err(error) => {
                    warning.push_str(&format!(
                        "; its bytes could not be kept aside ({error}), so it is left as it is"
                    ));
                    self.edits.leave_file = true;
                }
            }
        }
        // What belongs to somebody else stays, as far as it is there.
        match &text {
            Some(text) if self.dialect != Dialect::Hermes => {
                self.edits.frame = parse(self.dialect, text).frame;
            }
            None if self.dialect.is_guest() && self.now.bytes.is_some() => self.edits.leave_file = true,
            _ => {}
        }
        let text = text.filter(|_| secret.is_none());
        if text.is_some() {
            warning.push_str("; `memlore import --confirm` makes it count after all");
        }
        self.edits.warnings.push(warning);
        let view = self.view.number;
        let newest = self.newest.map_or(0, |newest| newest.number);
        let now_us = self.writing.now_us;
        self.writing.read(|tx| {
            let last_record = versions::last_record(tx, view, VersionNumber(newest))?;
            // The rendering that follows may be a version of its own.
            guarded::remember(tx, view, text.as_deref(), last_record, newest + 1, now_us)
        })
    }
}
