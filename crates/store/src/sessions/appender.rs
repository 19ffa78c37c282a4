//! Taking messages, whatever state the database is in.

use super::append::{Incoming, Stored, store_messages};
use super::pending;
use super::spool::{self, Floor};
use crate::answer::{AppendStatus, Appended, Warning};
use crate::database::Patience;
use crate::writing::Writing;
use crate::{Error, Open, Result, Store};
use memlore_model::Message;
use std::time::Duration;

/// Takes messages: into the database, or else into the spool, or else it says that they are nowhere.
///
/// Every call tries the database first, however often that failed before.
pub struct Appender<'a> {
    place: Box<dyn Fn() -> Open + 'a>,
    store: Option<Store>,
    deadline: Duration,
    damage: Option<String>,
    warnings: Vec<Warning>,
}

impl<'a> Appender<'a> {
    /// An appender for the replica at a place; `deadline` bounds how long one call waits for the database.
    pub fn new(place: impl Fn() -> Open + 'a, deadline: Duration) -> Self {
        Self { place: Box::new(place), store: None, deadline, damage: None, warnings: Vec::new() }
    }

    /// What was found damaged on the way, and put right by starting anew.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Takes what is worth telling since it was last asked for.
    pub fn take_warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Appends messages to a conversation, in one transaction; each gets its answer, in their order.
    ///
    /// # Durability
    /// What is answered `stored`, `duplicate` or `pending` survives a crash.
    pub fn append(&mut self, session: &str, messages: &[Message]) -> Vec<Appended> {
        let mut patience = Patience::of(self.deadline);
        let mut attempt = Attempt { made: vec![None; messages.len()] };
        loop {
            let error = match self.try_once(session, messages, &mut attempt) {
                Ok(answers) => return answers,
                Err(error) => error,
            };
            // Nothing is trusted after a failure: the file may be another one by now.
            self.store = None;
            if error.may_pass() && patience.wait() {
                continue;
            }
            return self.put_aside(session, messages, &attempt, &error);
        }
    }

    fn try_once(
        &mut self,
        session: &str,
        messages: &[Message],
        attempt: &mut Attempt,
    ) -> Result<Vec<Appended>> {
        let store = self.open()?;
        store.append_within(session, messages, attempt)
    }

    fn open(&mut self) -> Result<&mut Store> {
        if self.store.is_none() {
            let opened = Store::open_or_create((self.place)())?;
            self.warnings.extend(opened.warnings);
            let mut store = opened.answer;
            self.warnings.append(&mut store.notices);
            if let Some(damage) = store.damage() {
                self.damage.get_or_insert_with(|| damage.to_owned());
            }
            store.db.be_patient_for(self.deadline.min(Duration::from_millis(250)))?;
            self.store = Some(store);
        }
        Ok(self.store.as_mut().expect("it was just opened"))
    }

    fn put_aside(
        &mut self,
        session: &str,
        messages: &[Message],
        attempt: &Attempt,
        error: &Error,
    ) -> Vec<Appended> {
        let reason = told(error);
        let open = (self.place)();
        let known = Floor::read(&open.state, session);
        let spooled = spool::write(&open, session, messages, &attempt.made, &known);
        let answer = |spooled: std::result::Result<i64, String>| match spooled {
            Ok(flush_us) => Appended {
                flush_us: Some(flush_us),
                status: AppendStatus::Pending,
                reason: Some(reason.clone()),
            },
            Err(problem) => Appended {
                flush_us: None,
                status: AppendStatus::Failed,
                reason: Some(format!("{reason}; {problem}")),
            },
        };
        spooled.into_iter().map(answer).collect()
    }
}

/// What is kept from one attempt to the next.
#[derive(Debug)]
pub(crate) struct Attempt {
    /// Stamps that were made, and may be in the database: a commit that failed may have succeeded.
    made: Vec<Option<i64>>,
}

impl Store {
    /// Appends messages to a conversation in one transaction, waiting for others as every operation does.
    ///
    /// # Errors
    /// The database cannot be written; nothing was stored, and nothing was put aside: [`Appender`] does that.
    pub fn append(&mut self, session: &str, messages: &[Message]) -> Result<Vec<Appended>> {
        self.append_within(session, messages, &mut Attempt { made: vec![None; messages.len()] })
    }

    fn append_within(
        &mut self,
        session: &str,
        messages: &[Message],
        attempt: &mut Attempt,
    ) -> Result<Vec<Appended>> {
        self.look_again()?;
        // The order of locks: the pending file's, then the transaction.
        let unread = pending::unread_of(self, session);
        let mut writing = Writing::begin(self)?;
        let taken = match &unread {
            Some(unread) => unread.take_in(&mut writing)?,
            None => None,
        };
        let incoming: Vec<Incoming<'_>> =
            messages.iter().zip(&attempt.made).map(|(message, made)| Incoming::new(message, *made)).collect();
        let stored = store_messages(&mut writing, session, &incoming)?;
        let retried: Vec<bool> = attempt.made.iter().map(Option::is_some).collect();
        for (made, (stored, incoming)) in attempt.made.iter_mut().zip(stored.iter().zip(&incoming)) {
            if let (Stored::New(flush_us), None) = (stored, incoming.flush_us) {
                *made = Some(*flush_us);
            }
        }
        writing.commit()?;
        if let (Some(unread), Some(taken)) = (unread, taken) {
            self.notices.extend(unread.finish(self, &taken));
        }
        Ok(stored.iter().zip(retried).map(|(stored, retried)| answer(*stored, retried)).collect())
    }
}

fn answer(stored: Stored, retried: bool) -> Appended {
    let (status, flush_us, reason) = match stored {
        Stored::New(flush_us) => (AppendStatus::Stored, Some(flush_us), None),
        Stored::Known(flush_us) if retried => (AppendStatus::Stored, Some(flush_us), None),
        Stored::Known(flush_us) => (AppendStatus::Duplicate, Some(flush_us), None),
        Stored::TooLong(bytes) => {
            let limit = memlore_model::message::MAX_MESSAGE_BYTES;
            let reason = format!("the message has {bytes} bytes; one may have {limit}");
            (AppendStatus::Failed, None, Some(reason))
        }
    };
    Appended { flush_us, status, reason }
}

/// An error with its causes, in one sentence.
pub(crate) fn told(error: &Error) -> String {
    let mut told = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(inner) = cause {
        told.push_str(&format!(": {inner}"));
        cause = inner.source();
    }
    told
}
