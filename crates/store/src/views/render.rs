//! Rendering a view and writing its file.

use super::View;
use super::file::{self, Replaced};
use super::import::Edits;
use super::topics::topics_of;
use super::versions::{self, NewVersion};
use super::witness::Witnesses;
use crate::answer::Warning;
use crate::books::{Visible, shown_key, shown_once};
use crate::writing::Writing;
use crate::{Result, Store};
use memlore_view::{Sheet, Shown, as_shown, render, wants_file};
use rusqlite::Connection;
use std::borrow::Borrow;
use std::collections::HashSet;
use std::sync::Arc;

/// A rendering that is remembered and, once the transaction is committed, to be written.
pub(crate) struct Rendered {
    /// The file; none when there is to be no file.
    bytes: Option<String>,
    version: u64,
    /// The version whose witness has done its work.
    before: Option<u64>,
    write: bool,
    /// Whether it holds a secret, so that no link to it is kept.
    secret: bool,
}

/// What became of a writing.
pub(crate) enum Written {
    /// The file is what was rendered, or is left alone on purpose.
    Done,
    /// Somebody changed the file after it was read; it has to be taken in first.
    Raced,
    /// It could not be written; everything is stored all the same.
    Failed(Warning),
}

/// The entries of a view's book as this view shows them.
pub(crate) fn shown(writing: &Writing<'_>, book: &memlore_model::BookName) -> Result<Vec<Arc<Visible>>> {
    writing.read(|tx| shown_here(writing.store, tx, writing.shelf.live(tx, book)?))
}

/// Of these entries those that are rendered on this device, each text once.
pub(super) fn shown_here<E: Borrow<Visible>>(
    store: &Store,
    db: &Connection,
    mut live: Vec<E>,
) -> rusqlite::Result<Vec<E>> {
    if live.iter().any(|entry| entry.borrow().device_only) {
        let alone = !super::synced::others_render_here(store);
        let mut ours = Vec::with_capacity(live.len());
        for entry in live {
            let shown: &Visible = entry.borrow();
            if !shown.device_only || alone && store.owns(db, shown.replica)? {
                ours.push(entry);
            }
        }
        live = ours;
    }
    Ok(shown_once(live))
}

impl View {
    /// Renders the view and remembers the version, inside the transaction.
    pub(crate) fn render(&self, writing: &Writing<'_>, edits: &Edits) -> Result<Rendered> {
        let store = writing.store;
        let dialect = self.config.dialect;
        let entries = shown(writing, &self.config.book)?;
        let texts: Vec<Shown<'_>> = entries.iter().map(|entry| entry.shown()).collect();
        let in_file = self.file.as_ref().and_then(|file| file.bytes.as_deref());
        let stands = edits
            .around_frame
            .as_ref()
            .filter(|parsed| parsed.stands_as(entries.iter().map(|entry| entry.key)))
            .and_then(|_| std::str::from_utf8(in_file?).ok());
        let bytes = match stands {
            // Nothing differs but where the frame's texts stand: the file is somebody's own arrangement.
            Some(text) => Some(text.to_owned()),
            None => {
                let topics = writing.read(|tx| topics_of(store, tx, &self.config.book))?;
                let sheet = Sheet { dialect, book: Some(&self.config.book), topics: &topics };
                wants_file(sheet, &texts, &edits.frame).then(|| render(sheet, &texts, &edits.frame))
            }
        };
        let hash = store.file_hash(bytes.as_deref().unwrap_or_default().as_bytes());
        let witnesses = Witnesses::of(&store.open.state, self.number);
        let write = in_file != bytes.as_deref().map(str::as_bytes) && !edits.leave_file && self.is_locked();
        let last_record = writing.last_record()?;
        writing.read(|tx| {
            let newest = versions::newest(tx, self.number)?;
            let mut before = None;
            let version = match newest {
                Some(newest) if newest.hash == hash || edits.leave_file => {
                    if write && witnesses.was_read(newest.number) == Some(true) {
                        versions::set_read(tx, self.number, newest.number, true)?;
                    }
                    newest.number
                }
                _ => {
                    if let Some(newest) = newest {
                        before = versions::note_readings(tx, self, &witnesses, newest)?;
                    }
                    let in_view: Vec<_> =
                        entries.iter().map(|entry| as_shown(dialect, &entry.text)).collect();
                    let keys = entries.iter().map(|entry| shown_key(dialect, &entry.text, entry.key));
                    let mut seen = HashSet::new();
                    let texts = in_view.iter().map(|text| &**text).zip(keys);
                    let version = NewVersion {
                        hash,
                        texts: texts.filter(|(_, key)| seen.insert(*key)).collect(),
                        at_us: writing.now_us,
                        last_record,
                        held_back: false,
                        imported: false,
                        framed: !edits.frame.is_empty(),
                        secret: edits.secret,
                    };
                    versions::remember(tx, self.number, newest, &version, &writing.shelf)?
                }
            };
            // Somebody else's file became the newest version: from now on its readings count.
            let is_the_file = in_file.is_some() && in_file == bytes.as_deref().map(str::as_bytes);
            if is_the_file && !edits.secret && self.is_locked() && witnesses.file_of(version).is_none() {
                let adopts = self.file.as_ref().is_some_and(|file| file.unnoticed);
                if adopts && let Some(read) = witnesses.adopt(version, &self.path) {
                    versions::set_read(tx, self.number, version, read)?;
                }
            }
            // A writing that fails notes its own trouble.
            if self.is_locked() {
                super::set_trouble(tx, self.number, None)?;
            }
            Ok(Rendered { bytes, version, before, write, secret: edits.secret })
        })
    }

    /// Writes what was rendered. Comes after the commit: what is stored does not depend on it.
    pub(crate) fn write(&self, store: &Store, rendered: &Rendered) -> Written {
        if !rendered.write {
            return Written::Done;
        }
        let tag: String = store.me.id.to_string().chars().take(8).collect();
        let witnesses = Witnesses::of(&store.open.state, self.number);
        let Some(bytes) = rendered.bytes.as_deref().map(str::as_bytes) else {
            return match file::remove(&self.path, self.stamp()) {
                Ok(Replaced::Done) => Written::Done,
                Ok(Replaced::Changed) => Written::Raced,
                Err(error) => Written::Failed(format!("{} cannot be removed ({error})", self.name())),
            };
        };
        // Linked before it takes its place, so that the link is this file's and nobody else's.
        let link = |temp: &std::path::Path| {
            if rendered.secret {
                witnesses.remove(rendered.version);
            } else {
                witnesses.add(rendered.version, temp);
            }
        };
        match file::replace(&self.path, self.stamp(), bytes, &tag, link) {
            Ok(Replaced::Done) => {
                if let Some(before) = rendered.before {
                    witnesses.remove(before);
                }
                witnesses.note_written(rendered.version);
                Written::Done
            }
            Ok(Replaced::Changed) => Written::Raced,
            Err(error) => {
                let warning = format!(
                    "{} cannot be written ({error}); everything is stored, and it is written later",
                    self.name()
                );
                Written::Failed(warning)
            }
        }
    }
}
