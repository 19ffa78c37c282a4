//! What the records of the sessions stream make of the tables that reading uses.
//!
//! Everything here gives the same tables in whatever order the records of different replicas arrive.

use super::session::{Session, merge_around};
use memlore_model::message::{FactsRecord, HidingRecord, MessageRecord, SameRecord};
use memlore_model::{Kind, Record, ReplicaId, Stamp};
use rusqlite::{Connection, OptionalExtension as _, params};

/// The place of a record in the total order: clock, replica, seq.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) clock: Stamp,
    pub(crate) replica: ReplicaId,
    /// The replica's number in the tables.
    pub(crate) number: i64,
    pub(crate) seq: u64,
}

impl Place {
    pub(super) fn order(&self) -> (Stamp, ReplicaId, u64) {
        (self.clock, self.replica, self.seq)
    }
}

/// A record of the sessions stream, read.
#[derive(Debug)]
pub(crate) enum SessionRecord {
    Message(MessageRecord),
    Facts(FactsRecord),
    Hiding(HidingRecord),
    Same(SameRecord),
}

impl SessionRecord {
    /// Reads a record; nothing when this version does not know what it holds.
    pub(crate) fn read(record: &Record) -> Option<Self> {
        Self::of(record.kind, record.payload.bytes()?)
    }

    /// Reads a payload of a kind.
    pub(crate) fn of(kind: Kind, payload: &[u8]) -> Option<Self> {
        match kind {
            Kind::MESSAGE => MessageRecord::from_payload(payload).map(Self::Message),
            Kind::FACTS => FactsRecord::from_payload(payload).map(Self::Facts),
            Kind::HIDING => HidingRecord::from_payload(payload).map(Self::Hiding),
            Kind::SAME => SameRecord::from_payload(payload).map(Self::Same),
            _ => None,
        }
    }

    /// The clock that it carries.
    pub(crate) fn clock(&self) -> Option<Stamp> {
        match self {
            Self::Message(message) => Some(message.clock),
            Self::Facts(facts) => Some(facts.clock),
            Self::Hiding(hiding) => Some(hiding.clock),
            Self::Same(_) => None,
        }
    }
}

/// Projects records of the sessions stream, with the row of the last conversation at hand: messages come in runs.
#[derive(Debug, Default)]
pub(crate) struct Projector {
    open: Option<(String, Session)>,
}

impl Projector {
    /// Projects a record.
    pub(crate) fn project(
        &mut self,
        db: &Connection,
        place: Place,
        record: i64,
        told: &SessionRecord,
    ) -> rusqlite::Result<()> {
        if let SessionRecord::Message(message) = told {
            if self.open.as_ref().is_none_or(|(name, _)| *name != message.session) {
                self.finish(db)?;
                self.open = Some((message.session.clone(), Session::open(db, &message.session)?));
            }
            let (_, session) = self.open.as_mut().expect("it was just opened");
            return session.add(db, place, record, message);
        }
        self.finish(db)?;
        match told {
            SessionRecord::Message(_) => Ok(()),
            SessionRecord::Facts(facts) => state_facts(db, place, facts),
            SessionRecord::Hiding(hiding) => hide(db, place, hiding),
            SessionRecord::Same(same) => join(db, same),
        }
    }

    /// Writes back what is at hand.
    pub(crate) fn finish(&mut self, db: &Connection) -> rusqlite::Result<()> {
        match self.open.take() {
            Some((_, session)) => session.save(db),
            None => Ok(()),
        }
    }
}

/// Projects one record of the sessions stream.
pub(crate) fn project(
    db: &Connection,
    place: Place,
    record: i64,
    told: &SessionRecord,
) -> rusqlite::Result<()> {
    let mut projector = Projector::default();
    projector.project(db, place, record, told)?;
    projector.finish(db)
}

/// Counts again what is in sight.
fn count_shown(db: &Connection, session: i64) -> rusqlite::Result<()> {
    db.prepare_cached(
        "update sessions set shown =
             (select count(*) from messages where session = ?1 and hidden <= 1 and merged = 0)
         where num = ?1",
    )?
    .execute([session])?;
    Ok(())
}

fn hide(db: &Connection, place: Place, hiding: &HidingRecord) -> rusqlite::Result<()> {
    let session = Session::open(db, &hiding.session)?;
    for (flush_us, digest) in &hiding.messages {
        let is_later = is_last_word(
            db,
            place,
            "select clock_us, clock_logical, id, seq from hidings join replicas on num = replica
             where session = ?1 and flush_us = ?2 and digest = ?3",
            params![session.number, flush_us, digest.0],
        )?;
        if !is_later {
            continue;
        }
        db.prepare_cached(
            "insert or replace into hidings
                 (session, flush_us, digest, hidden, clock_us, clock_logical, replica, seq)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            session.number,
            flush_us,
            digest.0,
            hiding.hidden.number(),
            place.clock.us,
            place.clock.logical,
            place.number,
            place.seq
        ])?;
        db.prepare_cached(
            "update messages set hidden = ?4 where session = ?1 and flush_us = ?2 and digest = ?3",
        )?
        .execute(params![session.number, flush_us, digest.0, hiding.hidden.number()])?;
    }
    count_shown(db, session.number)
}

fn state_facts(db: &Connection, place: Place, facts: &FactsRecord) -> rusqlite::Result<()> {
    let session = Session::open(db, &facts.session)?;
    for (field, value) in &facts.facts {
        let is_later = is_last_word(
            db,
            place,
            "select clock_us, clock_logical, id, seq from session_facts join replicas on num = replica
             where session = ?1 and field = ?2",
            params![session.number, field],
        )?;
        if is_later {
            db.prepare_cached(
                "insert or replace into session_facts
                     (session, field, value, clock_us, clock_logical, replica, seq)
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                session.number,
                field,
                value,
                place.clock.us,
                place.clock.logical,
                place.number,
                place.seq
            ])?;
        }
    }
    Ok(())
}

/// Whether a record comes after the one that had the last word until now, which `query` finds.
fn is_last_word(
    db: &Connection,
    place: Place,
    query: &str,
    of: &[&dyn rusqlite::ToSql],
) -> rusqlite::Result<bool> {
    let word = db
        .prepare_cached(query)?
        .query_row(of, |row| {
            let clock = Stamp { us: row.get(0)?, logical: row.get(1)? };
            Ok((clock, ReplicaId(row.get(2)?), row.get(3)?))
        })
        .optional()?;
    Ok(word.is_none_or(|word| word < place.order()))
}

/// Takes note that messages are known under two stamps: the one with the lesser stamp is out of sight as long as the
/// other is here.
fn join(db: &Connection, same: &SameRecord) -> rusqlite::Result<()> {
    let session = Session::open(db, &same.session)?;
    for (one, other, digest) in &same.same {
        if one == other {
            continue;
        }
        db.prepare_cached(
            "insert or ignore into message_names (session, digest, low_us, high_us) values (?1, ?2, ?3, ?4)",
        )?
        .execute(params![session.number, digest.0, one.min(other), one.max(other)])?;
        merge_around(db, session.number, *one, *digest)?;
        merge_around(db, session.number, *other, *digest)?;
    }
    db.prepare_cached("update sessions set names = 1 where num = ?1")?.execute([session.number])?;
    count_shown(db, session.number)
}
