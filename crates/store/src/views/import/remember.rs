//! The file as a version, and what its witness tells.

use super::Import;
use crate::Result;
use crate::views::versions::NewVersion;
use crate::views::{guarded, versions};
use memlore_view::Parsed;
use rusqlite::params;

impl Import<'_, '_, '_> {
    /// The bytes of the newest version may lie there in another file: a sync program or a backup put it there. Its
    /// readings are not the link's, so the link is renewed, and that nobody read it can no longer be said.
    pub(super) fn witness_again(&self) -> Result<()> {
        let (Some(newest), Some(stamp)) = (self.newest, self.now.stamp) else { return Ok(()) };
        let linked = self.witnesses.file_of(newest.number);
        if self.now.unnoticed && linked.is_some_and(|file| file != (stamp.device, stamp.inode)) {
            self.writing.read(|tx| versions::set_read(tx, self.view.number, newest.number, true))?;
            self.witnesses.remove(newest.number);
            self.witnesses.adopt(newest.number, &self.view.path);
        }
        Ok(())
    }

    /// Whether the file is an older version that we wrote ourselves and nobody touched: then a later one was
    /// remembered and never written.
    pub(super) fn is_ours_of_before(&self) -> Result<bool> {
        let (Some(newest), Some(stamp)) = (self.newest, self.now.stamp) else { return Ok(false) };
        for version in self.witnesses.versions() {
            let same_file = self.witnesses.file_of(version) == Some((stamp.device, stamp.inode));
            if same_file && version != newest.number {
                let hash = self.writing.read(|tx| versions::hash_of(tx, self.view.number, version))?;
                return Ok(hash == Some(self.hash));
            }
        }
        // Where no links can be made, the note of the last writing says which version the file should hold.
        match self.witnesses.noted().filter(|noted| *noted < newest.number) {
            Some(noted) if self.witnesses.file_of(newest.number).is_none() => {
                let hash = self.writing.read(|tx| versions::hash_of(tx, self.view.number, noted))?;
                Ok(hash == Some(self.hash))
            }
            _ => Ok(false),
        }
    }

    /// Remembers the file as a version, and what its witness can tell.
    pub(super) fn remember(&mut self, parsed: &Parsed, held_back: bool, synced: bool) -> Result<()> {
        let (view, hash, now_us) = (self.view, self.hash, self.writing.now_us);
        let witnesses = &self.witnesses;
        let (newest, secret) = (self.newest, self.edits.secret);
        let last_record = self.writing.last_record()?;
        let before = self.writing.read(|tx| {
            let before = match newest {
                Some(newest) => versions::note_readings(tx, view, witnesses, newest)?,
                None => None,
            };
            let texts = parsed.items.iter().map(|item| (item.text.as_str(), item.key.digest())).collect();
            let framed = !parsed.frame.is_empty();
            let imported = true;
            let version =
                NewVersion { hash, texts, at_us: now_us, last_record, held_back, imported, framed, secret };
            versions::remember(tx, view.number, newest, &version, &self.writing.shelf)?;
            if synced {
                tx.prepare_cached(
                    "insert or replace into answered (view, hash, last_record) values (?1, ?2, ?3)",
                )?
                .execute(params![view.number, hash, last_record])?;
            }
            guarded::forget(tx, view.number)?;
            Ok(before)
        })?;
        if let Some(before) = before {
            self.witnesses.remove(before);
        }
        Ok(())
    }
}
