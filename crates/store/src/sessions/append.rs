//! Storing messages in a transaction.

use super::project::Place;
use super::session::Session;
use crate::Result;
use crate::writing::Writing;
use memlore_model::message::{MAX_MESSAGE_BYTES, MessageRecord};
use memlore_model::{FAR_AHEAD_US, Kind, Message, Stamp};

/// A message on its way into the database.
#[derive(Clone, Debug)]
pub(crate) struct Incoming<'a> {
    pub(crate) message: &'a Message,
    /// Its flush timestamp; none when it is to be made now.
    pub(crate) flush_us: Option<i64>,
    /// Its clock, when that follows from where it was read.
    pub(crate) clock: Option<Stamp>,
    /// The device on which it was handed over, when that is another one.
    pub(crate) device: Option<&'a str>,
}

impl<'a> Incoming<'a> {
    /// A message as a caller hands it over, with the stamp that it brings or that it was given before.
    pub(crate) fn new(message: &'a Message, made_us: Option<i64>) -> Self {
        Self { message, flush_us: made_us.or(message.given_us()), clock: None, device: None }
    }
}

/// What became of a message; each names its flush timestamp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stored {
    /// It is new.
    New(i64),
    /// It was here already.
    Known(i64),
    /// It has this many bytes, more than a message may have.
    TooLong(usize),
}

/// Stores messages of one conversation, in order.
pub(crate) fn store_messages(
    writing: &mut Writing<'_>,
    name: &str,
    messages: &[Incoming<'_>],
) -> Result<Vec<Stored>> {
    let mut session = writing.read(|tx| Session::open(tx, name))?;
    let mut stored = Vec::with_capacity(messages.len());
    for incoming in messages {
        stored.push(store_one(writing, name, &mut session, incoming)?);
    }
    writing.read(|tx| session.save(tx))?;
    Ok(stored)
}

fn store_one(
    writing: &mut Writing<'_>,
    name: &str,
    session: &mut Session,
    incoming: &Incoming<'_>,
) -> Result<Stored> {
    let size = incoming.message.text().len();
    if size > MAX_MESSAGE_BYTES {
        return Ok(Stored::TooLong(size));
    }
    let digest = incoming.message.digest();
    let flush_us = match incoming.flush_us {
        Some(given) => {
            if writing.read(|tx| session.knows(tx, given, digest))? {
                return Ok(Stored::Known(given));
            }
            given
        }
        None => {
            let mut made = whole(writing.now_us).max(session.stamped_us.saturating_add(1));
            // A caller may have given this very stamp to this very text; ours is another message.
            while writing.read(|tx| session.knows(tx, made, digest))? {
                made += 1;
            }
            session.stamped_us = made;
            made
        }
    };
    let clock = incoming.clock.unwrap_or_else(|| {
        let ticked = writing.tick();
        if ticked > session.clock { ticked } else { after(session.clock) }
    });
    if clock.us <= writing.now_us.saturating_add(FAR_AHEAD_US) {
        writing.observe(clock);
    }
    let told = MessageRecord {
        session: name.to_owned(),
        flush_us,
        clock,
        by: writing.store.open.agent.clone(),
        device: incoming.device.unwrap_or(&writing.store.open.device).to_owned(),
        message: incoming.message.clone(),
    };
    let (record, seq) = writing.append_session(Kind::MESSAGE, told.to_payload())?;
    let place = Place { clock, replica: writing.id, number: writing.own, seq };
    writing.read(|tx| session.add(tx, place, record, &told))?;
    Ok(Stored::New(flush_us))
}

/// The least clock after another, within what tables can sort.
pub(crate) fn after(clock: Stamp) -> Stamp {
    if clock.logical < i64::MAX as u64 {
        clock.next()
    } else {
        Stamp { us: (clock.us + 1).min(memlore_model::LAST_US), logical: 0 }
    }
}

/// Microseconds as tables keep them.
pub(crate) fn whole(us: u64) -> i64 {
    i64::try_from(us).unwrap_or(i64::MAX)
}
