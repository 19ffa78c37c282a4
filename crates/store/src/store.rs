//! The front door.

use crate::answer::{
    Added, Answered, BatchResult, Changed, Check, Compacted, Conflict, Event, Hit, Imported, Initialised,
    Listed, NumberedList, Recovered, Reviewed, SessionReport, SessionsImported, ShownMessage, Status, Synced,
    ViewReport, Warning,
};
use crate::ask::{Add, BatchOp, Id, Init, ListQuery, Removal, Review};
use crate::config::Config;
use crate::database::{Database, create_private_folder};
use crate::identity::{self, Me};
use crate::operate::Books;
use crate::shelf::Kept;
use crate::sync::Follow;
use crate::views::{self, Trust};
use crate::{Error, Open, Result, care, memory, recall, reviews, search, sessions, sync};
use memlore_model::BookName;
use std::path::Path;
use std::time::Duration;

pub use crate::care::Export;

/// How long pending files wait for a busy database when a store is opened.
const OPENING_WAIT: Duration = Duration::from_millis(100);

/// A replica, open.
///
/// Any number of processes may have the same replica open; nothing that one of them keeps in memory is needed by
/// another. An operation that answered without an error is durable.
pub struct Store {
    pub(crate) open: Open,
    pub(crate) config: Config,
    pub(crate) db: Database,
    pub(crate) me: Me,
    /// What the operations of this store have read, for the next one.
    pub(crate) shelf: Kept,
    /// What was found damaged at opening, and put right by starting anew.
    damage: Option<String>,
    /// What is worth telling of what was taken in along the way.
    pub(crate) notices: Vec<Warning>,
    /// What was taken in from pending files at opening.
    recovered: Recovered,
}

impl Store {
    /// Opens a replica that is there.
    ///
    /// # Errors
    /// There is none ([`Error::NoStore`]), or its database cannot be used.
    pub fn open(open: Open) -> Result<Self> {
        let path = Database::path_in(&open.state);
        match path.try_exists() {
            Ok(true) => {}
            Ok(false) if Config::load(&open.state)?.is_none() => {
                return Err(Error::NoStore { home: open.home });
            }
            Ok(false) => {
                let what =
                    "it is gone; whatever writes next begins it anew from the share and the views".to_owned();
                return Err(Error::Damaged { path, what });
            }
            Err(source) => return Err(Error::File { what: "look for the database", path, source }),
        }
        let db = Database::open(&open.state)?;
        Self::over(db, open)
    }

    fn over(db: Database, open: Open) -> Result<Self> {
        let config = Config::load(&open.state)?.unwrap_or_else(|| Config::for_home(&open.home));
        identity::check_fingerprint(&db, &open)?;
        let me = db.read(identity::me)?;
        let mut store = Self::new(open, config, db, me);
        store.recover_pending();
        Ok(store)
    }

    fn new(open: Open, config: Config, db: Database, me: Me) -> Self {
        let (notices, recovered) = (Vec::new(), Recovered::default());
        Self { open, config, db, me, shelf: Kept::default(), damage: None, notices, recovered }
    }

    /// Opens a replica, and makes it when there is none.
    ///
    /// A damaged database is moved aside whole and begun anew from the share and the views; [`Self::damage`] tells.
    ///
    /// # Errors
    /// The replica can neither be opened nor made.
    pub fn open_or_create(open: Open) -> Result<Answered<Self>> {
        let path = Database::path_in(&open.state);
        let mut damage = None;
        if path.exists() {
            match Database::open(&open.state) {
                Ok(db) => {
                    let mut store = Self::over(db, open)?;
                    let warnings = std::mem::take(&mut store.notices);
                    return Ok(Answered { answer: store, warnings });
                }
                Err(Error::Damaged { what, .. }) => damage = Some(care::move_aside(&open, &what)?),
                Err(error) => return Err(error),
            }
        }
        let mut store = Self::create(open, &Init::default())?;
        store.damage = damage;
        let warnings = store.first_look()?;
        Ok(Answered { answer: store, warnings })
    }

    /// Makes a replica or changes its settings.
    ///
    /// # Errors
    /// A setting makes no sense, or the replica can neither be opened nor made.
    pub fn init(open: Open, init: &Init) -> Result<Answered<Initialised>> {
        let known = Database::path_in(&open.state).exists();
        let mut store = if known {
            let mut store = Self::open(open)?;
            let home = store.open.home.clone();
            // A share is remembered when it proved to be one.
            store.config.change(&home, &Init { share: None, ..init.clone() }, false)?;
            store.config.save(&store.open.state)?;
            store
        } else {
            Self::create(open, init)?
        };
        let synced = sync::sync(&mut store, init.share.as_deref(), Follow::Yes)?;
        views::announce(&store);
        let answer = Initialised {
            replica: store.me.id,
            device: store.open.device.clone(),
            home: store.open.home.clone(),
            state: store.open.state.clone(),
            share: store.config.share.clone(),
            books: store.books()?,
            share_problem: synced.answer.share_problem,
        };
        Ok(Answered { answer, warnings: synced.warnings })
    }

    fn create(open: Open, init: &Init) -> Result<Self> {
        let known = Config::load(&open.state)?;
        let new = known.is_none();
        let mut config = known.unwrap_or_else(|| Config::for_home(&open.home));
        config.change(&open.home, &Init { share: None, ..init.clone() }, new)?;
        std::fs::create_dir_all(&open.home).map_err(|source| Error::File {
            what: "create the home",
            path: open.home.clone(),
            source,
        })?;
        create_private_folder(&open.state)?;
        config.save(&open.state)?;
        let db = Database::create(&open.state, |tx, inode| identity::found(tx, &open, inode))?;
        let me = db.read(identity::me)?;
        Ok(Self::new(open, config, db, me))
    }

    /// Takes in what is there when a replica begins: others' records first, then the files.
    fn first_look(&mut self) -> Result<Vec<String>> {
        self.recover_pending();
        // The settings outlived the database: their share is one that somebody named.
        let share = self.config.share.clone();
        let synced = sync::sync(self, share.as_deref(), Follow::No)?;
        views::announce(self);
        Ok(synced.warnings)
    }

    /// What was found damaged when this store was opened, once; it was moved aside and begun anew.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Remembers a text.
    ///
    /// # Errors
    /// The text can be no entry, or the book is full.
    pub fn add(&mut self, add: &Add) -> Result<Answered<Added>> {
        self.look_again()?;
        memory::add(self, add)
    }

    /// Puts a text in another's place. `old`: an id, else the exact text, else the only entry containing it.
    ///
    /// # Errors
    /// Nothing or too much matches, or the new text is refused.
    pub fn replace(&mut self, old: &str, new: &str, removal: &Removal) -> Result<Answered<Changed>> {
        self.look_again()?;
        memory::replace(self, old, new, removal)
    }

    /// Removes an entry: by id, by its exact text, or as the only entry containing it.
    ///
    /// # Errors
    /// Nothing or too much matches.
    pub fn remove(&mut self, what: &str, removal: &Removal) -> Result<Answered<Changed>> {
        self.look_again()?;
        memory::remove(self, what, removal)
    }

    /// Does several things to a book in one transaction; limits are judged on the final state.
    ///
    /// # Errors
    /// The database cannot be written. What is unfit is left out alone and told in its result.
    pub fn batch(&mut self, book: &BookName, ops: &[BatchOp]) -> Result<Answered<Vec<BatchResult>>> {
        self.look_again()?;
        memory::batch(self, book, ops)
    }

    /// Lists entries with numbers, to show a model; no books means all of them.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn review_list(&self, books: &[BookName]) -> Result<NumberedList> {
        reviews::list(self, books)
    }

    /// Applies a model's answer: its changes and the conversation's cursor in one transaction.
    ///
    /// # Errors
    /// The whole answer fails, and the cursor stays: it is malformed, names an entry that was not listed or a bad topic,
    /// fills a book, or is about lines that were read before.
    pub fn review_apply(&mut self, review: &Review) -> Result<Answered<Reviewed>> {
        self.look_again()?;
        reviews::apply(self, review)
    }

    /// Tells how far a conversation was read here; `reset` sets it, backwards too.
    ///
    /// # Errors
    /// The database cannot be used.
    pub fn review_cursor(&mut self, conversation: &str, reset: Option<u64>) -> Result<Option<u64>> {
        self.look_again()?;
        reviews::cursor(self, conversation, reset)
    }

    /// Lists entries.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn list(&self, query: &ListQuery) -> Result<Listed> {
        recall::list(self, query)
    }

    /// Tells one entry's whole story: itself, what it replaced and what replaced it, oldest first.
    ///
    /// # Errors
    /// There is no such entry.
    pub fn show(&self, id: Id) -> Result<Vec<Event>> {
        recall::show(self, id)
    }

    /// Tells what happened, newest first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn log(&self, book: Option<&BookName>, limit: Option<usize>) -> Result<Vec<Event>> {
        recall::log(self, book, limit)
    }

    /// Lists live entries that replaced the same one.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn conflicts(&self) -> Result<Vec<Conflict>> {
        recall::conflicts(self)
    }

    /// Adds a removed entry again.
    ///
    /// # Errors
    /// There is no such entry, it was not removed, or the book is full.
    pub fn restore(&mut self, id: Id) -> Result<Answered<Added>> {
        self.look_again()?;
        memory::restore(self, id)
    }

    /// Reverses this replica's last operation.
    ///
    /// # Errors
    /// There is none, or nothing of it is left to reverse.
    pub fn undo(&mut self) -> Result<Answered<Changed>> {
        self.look_again()?;
        memory::undo(self)
    }

    /// Writes the views, after taking in what was edited.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn render(&mut self) -> Result<Answered<Vec<ViewReport>>> {
        self.look_again()?;
        let warnings = self.bring_views_up_to_date(Books::All, Trust::Evidence)?.warnings;
        Ok(Answered { answer: self.views()?, warnings })
    }

    /// Tells the state of the views and writes nothing.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn views(&self) -> Result<Vec<ViewReport>> {
        views::report(self)
    }

    /// Takes hand edits in, from the views or from one file; `confirm` obeys what is held or guarded.
    ///
    /// # Errors
    /// The file cannot be read, or the database cannot be written.
    pub fn import(&mut self, file: Option<&Path>, confirm: bool) -> Result<Answered<Imported>> {
        self.look_again()?;
        let trust = if confirm { Trust::Confirmed } else { Trust::Evidence };
        match file {
            Some(file) => views::import_file(self, file, trust),
            None => {
                let copies = views::take_conflict_copies(self)?;
                let mut edits = self.bring_views_up_to_date(Books::All, trust)?;
                edits.answer.added += copies.answer;
                edits.warnings.splice(0..0, copies.warnings);
                Ok(edits)
            }
        }
    }

    /// Exchanges with the share once; a share named here is remembered.
    ///
    /// # Errors
    /// The database cannot be written. What is wrong with the share is told in the answer.
    pub fn sync(&mut self, share: Option<&str>) -> Result<Answered<Synced>> {
        self.look_again()?;
        sync::sync(self, share, Follow::Yes)
    }

    /// Merges this replica's own segments in the share; those that larger ones have carried for `grace` are deleted.
    ///
    /// # Errors
    /// There is no share, or the database cannot be written. What is wrong with the share is told in the answer.
    pub fn compact(&mut self, grace: Duration) -> Result<Answered<Compacted>> {
        self.look_again()?;
        if self.config.share.is_none() {
            return Err(Error::Usage("this memory has no share, so there is nothing to compact".to_owned()));
        }
        sync::compact_now(self, u64::try_from(grace.as_micros()).unwrap_or(u64::MAX))
    }

    /// Tells how the replica is doing.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn status(&self) -> Result<Status> {
        care::status(self)
    }

    /// Checks every invariant; `repair` mends what it can, `deep` builds the Automerge document too.
    ///
    /// # Errors
    /// The database cannot be read at all.
    pub fn doctor(&mut self, repair: bool, deep: bool) -> Result<Vec<Check>> {
        care::doctor(self, repair, deep)
    }

    /// Writes the store out for other programs; the warnings say what an export cannot carry.
    ///
    /// # Errors
    /// The database cannot be read, or `out` not be written.
    pub fn export(&self, format: Export, out: &mut dyn std::io::Write) -> Result<Vec<String>> {
        care::export(self, format, out)
    }

    /// Finds entries, and messages too when they are wanted, that hold every word; the best first.
    ///
    /// Words in quotes have to stand together, a star ends the beginning of a word. Chinese and Japanese are found
    /// by two characters and more; one is taken as a beginning.
    ///
    /// # Errors
    /// The database or its index cannot be used.
    pub fn search(&self, query: &str, with_sessions: bool, limit: usize) -> Result<Vec<Hit>> {
        search::search(self, query, with_sessions, limit)
    }

    /// Lists conversations, the one with the newest message first.
    ///
    /// # Errors
    /// The database cannot be read.
    pub fn sessions(&self) -> Result<Vec<SessionReport>> {
        sessions::list(self)
    }

    /// Hands over the messages of a conversation in order, the last few or all.
    ///
    /// Messages that were taken back are left out. One message is in memory at a time.
    ///
    /// # Errors
    /// There is no such conversation, the database cannot be read, or `with` fails.
    pub fn session(
        &self,
        session: &str,
        last: Option<usize>,
        with: &mut dyn FnMut(ShownMessage) -> std::io::Result<()>,
    ) -> Result<()> {
        sessions::show(self, session, last, with)
    }

    /// Hands over a conversation as lines that [`Self::import_lines`] takes, each with its end.
    ///
    /// # Errors
    /// As [`Self::session`].
    pub fn export_session(
        &self,
        session: &str,
        with: &mut dyn FnMut(&str) -> std::io::Result<()>,
    ) -> Result<()> {
        sessions::export(self, session, with)
    }

    /// Takes in the conversations of a `state.db` of hermes-agent; what is new since the last time, when it is known.
    ///
    /// # Errors
    /// It is none or cannot be read, or the database cannot be written.
    pub fn import_hermes(&mut self, state_db: &Path) -> Result<SessionsImported> {
        self.look_again()?;
        sessions::import_hermes(self, state_db)
    }

    /// Takes in a file of messages, one JSON object a line, wrapped or plain.
    ///
    /// # Errors
    /// The file cannot be read, or the database cannot be written. Lines that cannot be read are told in warnings.
    pub fn import_lines(&mut self, file: &Path) -> Result<Answered<SessionsImported>> {
        self.look_again()?;
        sessions::import_lines(self, file)
    }

    /// Takes in every pending file; the answer includes what opening the store took in already.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn recover(&mut self) -> Result<Answered<Recovered>> {
        self.look_again()?;
        let (now, mut warnings) = sessions::recover(self)?;
        let before = std::mem::take(&mut self.recovered);
        warnings.splice(0..0, std::mem::take(&mut self.notices));
        let answer = Recovered {
            files: before.files + now.files,
            recovered: before.recovered + now.recovered,
            duplicates: before.duplicates + now.duplicates,
            damaged: sessions::report_damaged(self)?,
        };
        Ok(Answered { answer, warnings })
    }

    /// Takes what is worth telling of what was taken in along the way.
    pub fn take_notices(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.notices)
    }

    fn recover_pending(&mut self) {
        // Whatever stands in the way of it, the store can be used; the next opening tries again.
        let patience = self.db.be_patient_for(OPENING_WAIT);
        if patience.is_ok()
            && let Ok((recovered, notices)) = sessions::recover(self)
        {
            self.recovered = recovered;
            self.notices = notices;
        }
        self.db.be_patient_for(crate::database::DEADLINE).ok();
    }

    /// Opens the database again when another file stands in its place.
    pub(crate) fn look_again(&mut self) -> Result<()> {
        if !self.db.still_there() {
            self.db = Database::open(&self.open.state)?;
            self.shelf = Kept::default();
            identity::check_fingerprint(&self.db, &self.open)?;
            self.me = self.db.read(identity::me)?;
        }
        Ok(())
    }

    /// The books that have a view, or ever had an entry.
    pub(crate) fn books(&self) -> Result<Vec<BookName>> {
        let mut books = self.db.read(crate::books::names)?;
        books.extend(self.config.views.iter().map(|view| view.book.clone()));
        books.sort_unstable();
        books.dedup();
        Ok(books)
    }
}
