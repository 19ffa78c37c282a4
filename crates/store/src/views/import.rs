//! Taking in what others did to a view's file.

mod confirm;
mod guard;
mod hold;
mod obey;
mod other_file;
mod reading;
mod remember;

pub(crate) use other_file::import_file;

use super::file::{self, FileNow};
use super::history::Tables;
use super::topics::topics_of;
use super::versions::{self, Newest};
use super::witness::{Witnesses, access_times_are_kept};
use super::{View, lock, synced, witness_folder};
use crate::answer::{Imported, Warning};
use crate::books::{Live, Visible, live_in, shown_once, visible_in};
use crate::writing::Writing;
use crate::{Result, Store};
use memlore_model::{BookName, TextKey};
use memlore_view::{
    Dialect, Frame, Guard, NewestRead, Observed, Parsed, Reading, Sheet, VersionNumber, as_shown, judge,
    read_bytes, render,
};
use rusqlite::params;
use std::collections::BTreeSet;

/// How much a file's edits are to be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// What the evidence says.
    Evidence,
    /// A person confirms the file, and what is held or guarded.
    Confirmed,
}

/// What an import found.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    pub(crate) imported: Imported,
    pub(crate) warnings: Vec<Warning>,
    /// What stands in the file and belongs to somebody else.
    pub(crate) frame: Frame,
    /// The file may not be overwritten now: it cannot be read, or it was answered already.
    pub(crate) leave_file: bool,
    /// The file holds a secret: no copy of it is kept, and no link to it.
    pub(crate) secret: bool,
    /// The file taken apart, when it was.
    pub(crate) around_frame: Option<Parsed>,
}

impl View {
    /// Takes in what others did to the file. Does nothing without the view's lock.
    pub(crate) fn import(&mut self, writing: &mut Writing<'_>, trust: Trust) -> Result<Edits> {
        if !self.is_locked() {
            let why = self.lock.as_ref().err().cloned().unwrap_or_default();
            let warning = format!(
                "{}: {why}; everything is stored, and the file is read and written later",
                self.name()
            );
            return Ok(Edits { warnings: vec![warning], leave_file: true, ..Edits::default() });
        }
        let now = match file::read(&self.path) {
            Ok(now) => now,
            Err(error) => {
                self.file = None;
                let warning = format!("{} cannot be read ({error}); it is left as it is", self.name());
                return Ok(Edits { warnings: vec![warning], leave_file: true, ..Edits::default() });
            }
        };
        let mut import = Import::new(self, writing, now)?;
        let edits = import.run(trust)?;
        let now = import.now;
        self.file = Some(now);
        Ok(edits)
    }

    /// The file as it was last read, which a writing must find again.
    pub(super) fn stamp(&self) -> Option<file::Stamp> {
        self.file.as_ref().and_then(|file| file.stamp)
    }
}

/// One import under way.
struct Import<'v, 'w, 'a> {
    view: &'v View,
    writing: &'w mut Writing<'a>,
    now: FileNow,
    hash: [u8; 32],
    newest: Option<Newest>,
    witnesses: Witnesses,
    dialect: Dialect,
    edits: Edits,
}

impl<'v, 'w, 'a> Import<'v, 'w, 'a> {
    fn new(view: &'v View, writing: &'w mut Writing<'a>, now: FileNow) -> Result<Self> {
        let hash = writing.store.file_hash(now.bytes.as_deref().unwrap_or_default());
        let newest = writing.read(|tx| versions::newest(tx, view.number))?;
        let witnesses = Witnesses::of(&writing.store.open.state, view.number);
        let dialect = view.config.dialect;
        Ok(Self { view, writing, now, hash, newest, witnesses, dialect, edits: Edits::default() })
    }

    fn store(&self) -> &'a Store {
        self.writing.store
    }

    fn book(&self) -> &'v BookName {
        &self.view.config.book
    }

    fn run(&mut self, trust: Trust) -> Result<Edits> {
        let unchanged = match self.newest {
            // Where there is to be no file, the newest version is the empty one.
            Some(newest) => newest.hash == self.hash,
            None => self.now.bytes.is_none(),
        };
        if unchanged {
            self.edits.secret = self.newest.is_some_and(|newest| newest.secret);
            if let Some(text) = self.text_now().filter(|_| self.newest.is_some_and(|newest| newest.framed)) {
                let parsed = self.parsed_reporting(&text)?;
                self.frame_of(parsed);
            }
            self.witness_again()?;
        } else if self.is_ours_of_before()? {
            if let Some(text) = self.text_now() {
                self.note_secret(&text);
                let parsed = self.parsed_reporting(&text)?;
                self.frame_of(parsed);
            }
        } else {
            self.take(trust)?;
        }
        if trust == Trust::Confirmed {
            self.confirm_held()?;
        }
        Ok(std::mem::take(&mut self.edits))
    }

    fn take(&mut self, trust: Trust) -> Result<()> {
        let book = self.book();
        let live = self.writing.read(|tx| live_in(tx, book))?;
        let shown = shown_once(self.writing.read(|tx| visible_in(tx, book))?);
        let shown: Vec<_> = shown.iter().map(Visible::shown).collect();
        let topics = self.writing.read(|tx| topics_of(self.writing.store, tx, book))?;
        let sheet = Sheet { dialect: self.dialect, book: Some(book), topics: &topics };
        let present = render(sheet, &shown, &Frame::default());
        let newest_texts = self.writing.read(|tx| versions::newest_texts(tx, self.view.number))?;
        let newest_texts: Vec<_> = newest_texts.iter().map(|text| memlore_view::Shown::plain(text)).collect();
        let newest_text = render(sheet, &newest_texts, &Frame::default());
        let known: Vec<&str> = match self.newest {
            Some(_) => vec![&newest_text, &present],
            None => Vec::new(),
        };
        let text = match read_bytes(self.dialect, self.now.bytes.as_deref(), &known) {
            Reading::Text(text) => text,
            Reading::Guarded(guard) => match self.text_now() {
                // Whoever read the version and then wrote this shortened its last entry.
                Some(text) if guard == Guard::CutOff && self.observed(trust)?.read_and_write() => text,
                Some(text) if trust == Trust::Confirmed => text,
                _ => return self.guard(guard),
            },
        };
        if text == present && trust == Trust::Evidence && self.edits.warnings.is_empty() {
            return Ok(());
        }
        self.note_secret(&text);
        let parsed = self.parsed_reporting(&text)?;
        let holds_nothing = parsed.items.is_empty() && parsed.frame.is_empty();
        if holds_nothing && !newest_texts.is_empty() && trust == Trust::Evidence {
            return self.guard(Guard::Empty);
        }
        if !self.answered(trust)? {
            self.judge(&parsed, &live, trust)?;
        }
        self.frame_of(parsed);
        Ok(())
    }

    /// Whether this very file was answered already and nothing is known since: in a synced home it is the other
    /// device's, and two devices must not rewrite it back and forth.
    fn answered(&mut self, trust: Trust) -> Result<bool> {
        if trust == Trust::Confirmed || !synced::is_synced(self.store()) {
            return Ok(false);
        }
        let (view, hash, last_record) = (self.view.number, self.hash, self.writing.last_record()?);
        let answered: bool = self.writing.read(|tx| {
            tx.prepare_cached(
                "select exists (select 1 from answered where view = ?1 and hash = ?2 and last_record = ?3)",
            )?
            .query_row(params![view, hash, last_record], |row| row.get(0))
        })?;
        self.edits.leave_file |= answered;
        Ok(answered)
    }

    fn judge(&mut self, parsed: &Parsed, live: &[Live], trust: Trust) -> Result<()> {
        let live_keys: BTreeSet<TextKey> =
            live.iter().map(|entry| TextKey::of(&as_shown(self.dialect, &entry.text))).collect();
        let observed = self.observed(trust)?;
        let folder = witness_folder(&self.store().open.state);
        let view = self.view.number;
        let book = self.book();
        let judgement = self.writing.read(|tx| {
            let access_times = access_times_are_kept(&folder);
            judge(parsed, &live_keys, &Tables::of(tx, view, book, access_times), &observed)
        })?;
        let mut judgement = judgement;
        let unseen = self.obey(parsed, &judgement)?;
        judgement.held.extend(unseen);
        self.hold(&judgement, parsed)?;
        if judgement.stale_writer {
            self.put_back_inferred()?;
        }
        self.remember(parsed, !judgement.held.is_empty(), observed.synced)
    }

    fn observed(&self, trust: Trust) -> Result<Observed> {
        let view = self.view.number;
        let newest_read = match self.newest {
            None => NewestRead::NotKnown,
            Some(newest) => match self.witnesses.newest_read(VersionNumber(newest.number)) {
                NewestRead::Nobody if newest.read => NewestRead::SomeTime,
                read => read,
            },
        };
        let in_place = self.newest.and_then(|newest| self.witnesses.file_of(newest.number))
            == self.now.stamp.map(|stamp| (stamp.device, stamp.inode));
        let inference_ended = self.writing.read(|tx| {
            tx.prepare_cached("select inference_ended from views where num = ?1")?
                .query_row([view], |row| row.get(0))
        })?;
        Ok(Observed {
            episode: trust == Trust::Confirmed,
            synced: synced::is_synced(self.store()),
            lock_file: self.dialect == Dialect::Hermes && lock::path_beside(&self.view.path).exists(),
            newest_read,
            file_born_us: if in_place { None } else { file::born_us(&self.view.path) },
            inference_ended,
        })
    }
}
