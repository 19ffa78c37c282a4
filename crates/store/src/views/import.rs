//! Taking in what others did to a view's file.

use super::file::{self, FileNow};
use super::guarded;
use super::history::Tables;
use super::topics::topics_of;
use super::versions::{self, NewVersion, Newest};
use super::witness::{Witnesses, access_times_are_kept};
use super::{View, attic, held, lock, relabelled, synced, witness_folder};
use crate::answer::{HeldKind, Imported, Warning};
use crate::books::{
    Live, Visible, live_in, live_shown_as, live_with_key, next_position, shown_key, shown_once, visible_in,
};
use crate::copied;
use crate::draft::{Draft, NewEntry, Removal};
use crate::writing::Writing;
use crate::{Error, Result, Store, secrets};
use memlore_model::{BookName, Position, TextKey, clean_text};
use memlore_view::{
    Dialect, Frame, Guard, Held, Item, Judgement, NewestRead, Observed, Parsed, Reading, Sheet,
    VersionNumber, as_shown, judge, parse, read_anyway, read_bytes, render,
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

    /// Keeps the frame of a file, to render around it. Most files have none.
    fn frame_of(&mut self, parsed: Parsed) {
        self.edits.frame = parsed.frame.clone();
        self.edits.around_frame = Some(parsed);
    }

    fn text_now(&self) -> Option<String> {
        read_anyway(self.dialect, self.now.bytes.as_deref())
    }

    /// The bytes of the newest version may lie there in another file: a sync program or a backup put it there. Its
    /// readings are not the link's, so the link is renewed, and that nobody read it can no longer be said.
    fn witness_again(&self) -> Result<()> {
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
    fn is_ours_of_before(&self) -> Result<bool> {
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

    fn parsed(&self, text: &str) -> Result<Parsed> {
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

    fn parsed_reporting(&mut self, text: &str) -> Result<Parsed> {
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
    fn note_secret(&mut self, text: &str) {
        self.edits.secret |= secrets::in_file(None, Some(text)).is_some();
    }

    /// Takes away the links to this very file: of a secret no copy is kept.
    fn unlink(&self) {
        let file = self.now.stamp.map(|stamp| (stamp.device, stamp.inode));
        for version in self.witnesses.versions() {
            if self.witnesses.file_of(version) == file {
                self.witnesses.remove(version);
            }
        }
    }

    /// Keeps a file aside that removes nothing; the view is rendered again.
    fn guard(&mut self, guard: Guard) -> Result<()> {
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

    /// Whether this very file was answered already and nothing is known since: in a synced home it is the other
    /// device's, and two devices must not rewrite it back and forth.
    fn answered(&mut self, trust: Trust) -> Result<bool> {
        if trust == Trust::Confirmed || !synced::is_synced(self.store()) {
            return Ok(false);
        }
        let (view, hash) = (self.view.number, self.hash);
        let answered: bool = self.writing.read(|tx| {
            tx.prepare_cached(
                "select exists (select 1 from answered where view = ?1 and hash = ?2 and last_record = ?3)",
            )?
            .query_row(params![view, hash, versions::last_record_now(tx)?], |row| row.get(0))
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
            judge(parsed, &live_keys, &Tables { db: tx, view, book, access_times }, &observed)
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

    /// The live entries of a text that the writer of the file had seen.
    fn seen(&self, key: &TextKey, seen_at: VersionNumber) -> Result<Vec<Live>> {
        let (view, book) = (self.view.number, self.book());
        self.writing.read(|tx| {
            let last = versions::last_record(tx, view, seen_at)?;
            let live = live_shown_as(tx, self.dialect, key.digest(), book)?;
            Ok(live.into_iter().filter(|entry| entry.record <= last).collect())
        })
    }

    /// Carries out what the file is obeyed for; returns what turned out not to have been seen and has to be held.
    fn obey(&mut self, parsed: &Parsed, judgement: &Judgement) -> Result<Vec<Held>> {
        let book = self.book();
        let edited = format!("edited in {}", self.view.name());
        let why = |inferred: bool| Some(if inferred { "inferred".to_owned() } else { edited.clone() });
        let mut draft = Draft::default();
        let mut inferred = Vec::new();
        let mut unseen = Vec::new();
        // In a synced home these may be another device's entries, whose records are still on their way.
        let mut copies = Vec::new();
        let mut position = self.writing.read(|tx| next_position(tx, book))?;
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
            self.edits.imported.replaced +=
                relabelled::plan(self.writing, self.view, parsed, &live, &mut draft)?;
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

    fn new_entry(&self, item: &Item, position: Position) -> NewEntry {
        // What the file shows was cleaned by parsing; cleaning again only takes off what a frame would keep.
        let text = clean_text(&item.text).unwrap_or_else(|_| item.text.clone());
        NewEntry::plain(self.book().clone(), text, position).said_by(self.dialect, item, self.view.name())
    }

    fn hold(&mut self, judgement: &Judgement, parsed: &Parsed) -> Result<()> {
        let (view, book, now_us) = (self.view.number, self.book(), self.writing.now_us);
        let newest = VersionNumber(self.newest.map_or(0, |newest| newest.number));
        for held in &judgement.held {
            let kind = match held.kind {
                memlore_view::HeldKind::Absent => HeldKind::Absent,
                memlore_view::HeldKind::Returning => HeldKind::Returning,
            };
            let in_file = parsed.items.iter().find(|item| item.key == held.key).map(|item| item.text.clone());
            let text = self.writing.read(|tx| {
                let live = live_shown_as(tx, self.dialect, held.key.digest(), book)?;
                let text = in_file.or_else(|| live.first().map(|entry| entry.text.clone()));
                let text = text.unwrap_or_else(|| held.key.as_str().to_owned());
                let last = versions::last_record(tx, view, newest)?;
                held::hold(tx, view, &text, kind, last, now_us)?;
                Ok(text)
            })?;
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
    fn put_back_inferred(&mut self) -> Result<()> {
        let view = self.view.number;
        let rows: Vec<[u8; 24]> = self.writing.read(|tx| {
            tx.execute("update views set inference_ended = 1", [])?;
            tx.prepare_cached("select entry from inferred where view = ?1")?
                .query_map([view], |row| row.get(0))?
                .collect()
        })?;
        let now_us = self.writing.now_us;
        for row in rows {
            let restored = crate::memory::restore_into(self.writing, row)?;
            if let Some(text) = restored {
                self.edits.imported.held += 1;
                self.writing.read(|tx| {
                    let last = versions::last_record_now(tx)?;
                    held::hold(tx, view, &text, HeldKind::Absent, last, now_us)
                })?;
                self.edits.warnings.push(format!(
                    "{}: {:?} is put back: a program here saves old files, so its absence proves nothing",
                    self.view.name(),
                    short(&text)
                ));
            }
        }
        self.writing.read(|tx| tx.execute("delete from inferred where view = ?1", [view]).map(drop))
    }

    /// Remembers the file as a version, and what its witness can tell.
    fn remember(&mut self, parsed: &Parsed, held_back: bool, synced: bool) -> Result<()> {
        let (view, hash, now_us) = (self.view, self.hash, self.writing.now_us);
        let witnesses = &self.witnesses;
        let (newest, secret) = (self.newest, self.edits.secret);
        let before = self.writing.read(|tx| {
            let before = match newest {
                Some(newest) => versions::note_readings(tx, view, witnesses, newest.number)?,
                None => None,
            };
            let last_record = versions::last_record_now(tx)?;
            let texts = parsed.items.iter().map(|item| (item.text.as_str(), item.key.digest())).collect();
            let framed = !parsed.frame.is_empty();
            let imported = true;
            let version =
                NewVersion { hash, texts, at_us: now_us, last_record, held_back, imported, framed, secret };
            versions::remember(tx, view.number, &version, &self.writing.shelf)?;
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

    /// Obeys what is held here, and a guarded file that nothing followed.
    fn confirm_held(&mut self) -> Result<()> {
        let (view, book) = (self.view.number, self.book());
        let newest = self.writing.read(|tx| versions::newest(tx, view))?.map_or(0, |newest| newest.number);
        let why = format!("confirmed for {}", self.view.name());
        let mut draft = Draft::default();
        let mut position = self.writing.read(|tx| next_position(tx, book))?;
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
            let parsed = self.parsed(&guarded.text)?;
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

/// Why a text, with what its file says of it, cannot be an entry of this home.
pub(super) fn refusal(store: &Store, item: &Item) -> Option<Error> {
    clean_text(&item.text)
        .map_err(Error::from)
        .and_then(|text| store.check_entry(&text))
        .and_then(|()| store.check_beside(None, &item.labels))
        .err()
}

/// The beginning of a text, for a warning.
pub(super) fn short(text: &str) -> String {
    const MOST: usize = 60;
    let mut line: String = text.chars().take(MOST).map(|c| if c == '\n' { ' ' } else { c }).collect();
    if text.chars().count() > MOST {
        line.push('…');
    }
    line
}

/// Takes in a file that is no view: what it holds is added to the book `memory`; it removes nothing.
pub(crate) fn import_file(
    store: &Store,
    path: &std::path::Path,
    trust: Trust,
) -> Result<crate::answer::Answered<Imported>> {
    let same = |view: &crate::config::ViewConfig| {
        let ours = store.open.home.join(&view.path).canonicalize();
        matches!((ours, path.canonicalize()), (Ok(ours), Ok(named)) if ours == named)
    };
    if let Some(view) = store.all_views()?.iter().find(|view| same(view)) {
        return store.bring_views_up_to_date(crate::operate::Books::One(&view.book), trust);
    }
    let failed = |source| Error::File { what: "read", path: path.to_owned(), source };
    let gone = || failed(std::io::ErrorKind::NotFound.into());
    let bytes = file::read(path).map_err(failed)?.bytes.ok_or_else(gone)?;
    let dialect = store.config.dialect;
    let book = BookName::memory();
    store
        .operate(crate::operate::Books::One(&book), |writing, _| {
            let mut imported = Imported::default();
            let text = match read_bytes(dialect, Some(&bytes), &[]) {
                Reading::Text(text) => text,
                Reading::Guarded(guard) => {
                    return Ok((imported, vec![format!("{}: {guard}", path.display())]));
                }
            };
            let mut warnings = Vec::new();
            let mut draft = Draft::default();
            let mut position = writing.read(|tx| next_position(tx, &book))?;
            for item in parse(dialect, &text).items {
                if let Some(error) = refusal(writing.store, &item) {
                    warnings.push(format!("a text of {} is not taken over: {error}", path.display()));
                    continue;
                }
                let text = clean_text(&item.text)?;
                if !writing.read(|tx| live_with_key(tx, item.key.digest(), Some(&book)))?.is_empty() {
                    continue;
                }
                let name =
                    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                let entry = NewEntry::plain(book.clone(), text, position.clone());
                draft.add(entry.said_by(dialect, &item, name));
                position = Position::after(Some(&position));
                imported.added += 1;
            }
            draft.record(writing)?;
            Ok((imported, warnings))
        })
        .map(|answered| {
            let (answer, mut warnings) = answered.answer;
            warnings.extend(answered.warnings);
            crate::answer::Answered { answer, warnings }
        })
}
