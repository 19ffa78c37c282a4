//! What the records of the sessions stream make of the tables that reading uses.
//!
//! Everything here gives the same tables in whatever order the records of different replicas arrive.

use memlore_model::message::{FactsRecord, Hidden, HidingRecord, MessageRecord, SameRecord};
use memlore_model::{Digest, Kind, Record, ReplicaId, Stamp};
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
    fn order(&self) -> (Stamp, ReplicaId, u64) {
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

/// A conversation's row, while messages are added to it.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) number: i64,
    shown: i64,
    /// The greatest clock of its messages.
    pub(crate) clock: Stamp,
    /// The last flush timestamp that we made for it.
    pub(crate) stamped_us: i64,
    names: bool,
    devices: Vec<String>,
}

impl Session {
    /// Reads a conversation's row, when there is one.
    pub(crate) fn find(db: &Connection, name: &str) -> rusqlite::Result<Option<Self>> {
        db.prepare_cached(
            "select num, shown, clock_us, clock_logical, stamped_us, names from sessions where name = ?1",
        )?
        .query_row([name], |row| {
            Ok(Self {
                number: row.get(0)?,
                shown: row.get(1)?,
                clock: Stamp { us: row.get(2)?, logical: row.get(3)? },
                stamped_us: row.get(4)?,
                names: row.get(5)?,
                devices: Vec::new(),
            })
        })
        .optional()
    }

    /// Reads a conversation's row, and makes one when there is none.
    pub(crate) fn open(db: &Connection, name: &str) -> rusqlite::Result<Self> {
        if let Some(session) = Self::find(db, name)? {
            return Ok(session);
        }
        let number = db.prepare_cached("insert into sessions (name) values (?1)")?.insert([name])?;
        let devices = Vec::new();
        Ok(Self { number, shown: 0, clock: Stamp::default(), stamped_us: 0, names: false, devices })
    }

    /// Writes the row back.
    pub(crate) fn save(&self, db: &Connection) -> rusqlite::Result<()> {
        db.prepare_cached(
            "update sessions set shown = ?2, clock_us = ?3, clock_logical = ?4, stamped_us = ?5 where num = ?1",
        )?
        .execute(params![
            self.number,
            self.shown,
            self.clock.us,
            self.clock.logical,
            self.stamped_us
        ])?;
        Ok(())
    }

    /// The number of the message with this identity.
    pub(crate) fn message(
        &self,
        db: &Connection,
        flush_us: i64,
        digest: Digest,
    ) -> rusqlite::Result<Option<i64>> {
        db.prepare_cached("select num from messages where session = ?1 and flush_us = ?2 and digest = ?3")?
            .query_row(params![self.number, flush_us, digest.0], |row| row.get(0))
            .optional()
    }

    /// The clock of a message, under this stamp or another name of it.
    pub(crate) fn clock_of(
        &self,
        db: &Connection,
        flush_us: i64,
        digest: Digest,
    ) -> rusqlite::Result<Option<Stamp>> {
        let clock = |query: &str| {
            db.prepare_cached(query)?
                .query_row(params![self.number, flush_us, digest.0], |row| {
                    Ok(Stamp { us: row.get(0)?, logical: row.get(1)? })
                })
                .optional()
        };
        let own = clock(
            "select clock_us, clock_logical from messages where session = ?1 and flush_us = ?2 and digest = ?3",
        )?;
        if !self.names {
            return Ok(own);
        }
        let other = clock(
            "select m.clock_us, m.clock_logical from message_names n join messages m
                 on m.session = ?1 and m.flush_us = n.high_us and m.digest = ?3
             where n.session = ?1 and n.digest = ?3 and n.low_us = ?2
             order by m.clock_us desc, m.clock_logical desc limit 1",
        )?;
        Ok(own.max(other))
    }

    /// The identities of the last messages in sight, in their order.
    pub(crate) fn last_identities(
        &self,
        db: &Connection,
        most: usize,
    ) -> rusqlite::Result<Vec<(i64, Digest)>> {
        let mut last: Vec<(i64, Digest)> = db
            .prepare_cached(
                "select flush_us, digest from messages join replicas on replicas.num = replica
                 where session = ?1 and hidden <= 1 and merged = 0
                 order by clock_us desc, clock_logical desc, id desc, seq desc limit ?2",
            )?
            .query_map(params![self.number, most as i64], |row| Ok((row.get(0)?, Digest(row.get(1)?))))?
            .collect::<rusqlite::Result<_>>()?;
        last.reverse();
        Ok(last)
    }

    /// Whether a message is here, under this stamp or another name of it.
    pub(crate) fn knows(&self, db: &Connection, flush_us: i64, digest: Digest) -> rusqlite::Result<bool> {
        if self.message(db, flush_us, digest)?.is_some() {
            return Ok(true);
        }
        if !self.names {
            return Ok(false);
        }
        db.prepare_cached(
            "select exists (select 1 from message_names n join messages m
                 on m.session = ?1 and m.flush_us = n.high_us and m.digest = ?3
                 where n.session = ?1 and n.digest = ?3 and n.low_us = ?2)",
        )?
        .query_row(params![self.number, flush_us, digest.0], |row| row.get(0))
    }

    /// Adds a message's record: a new message, or another record of one that is here.
    pub(crate) fn add(
        &mut self,
        db: &Connection,
        place: Place,
        record: i64,
        told: &MessageRecord,
    ) -> rusqlite::Result<()> {
        self.clock = self.clock.max(place.clock);
        if !self.devices.contains(&told.device) {
            db.prepare_cached("insert or ignore into session_devices (session, device) values (?1, ?2)")?
                .execute(params![self.number, told.device])?;
            self.devices.push(told.device.clone());
        }
        let digest = told.message.digest();
        match self.message(db, told.flush_us, digest)? {
            None => self.insert(db, place, record, told),
            Some(number) => another_record(db, number, place, record),
        }
    }

    fn insert(
        &mut self,
        db: &Connection,
        place: Place,
        record: i64,
        told: &MessageRecord,
    ) -> rusqlite::Result<()> {
        let digest = told.message.digest();
        let hidden = hidden_state(db, self.number, told.flush_us, digest)?;
        let number = db
            .prepare_cached(
                "insert into messages
                     (session, flush_us, digest, clock_us, clock_logical, replica, seq, record, hidden)
                 values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .insert(params![
                self.number,
                told.flush_us,
                digest.0,
                place.clock.us,
                place.clock.logical,
                place.number,
                place.seq,
                record,
                hidden.number(),
            ])?;
        self.shown += i64::from(hidden <= Hidden::Compacted);
        for (ids, result) in [(told.message.calls(), false), (told.message.answers(), true)] {
            for call in ids {
                db.prepare_cached(
                    "insert or ignore into tool_links (session, call, result, message) values (?1, ?2, ?3, ?4)",
                )?
                .execute(params![self.number, call, result, number])?;
            }
        }
        if self.names {
            self.shown += merge_around(db, self.number, told.flush_us, digest)?;
        }
        Ok(())
    }
}

fn another_record(db: &Connection, number: i64, place: Place, record: i64) -> rusqlite::Result<()> {
    let (first, first_record) = db
        .prepare_cached(
            "select clock_us, clock_logical, id, replica, seq, record from messages join replicas
             on replicas.num = replica where messages.num = ?1",
        )?
        .query_row([number], |row| {
            let clock = Stamp { us: row.get(0)?, logical: row.get(1)? };
            let place =
                Place { clock, replica: ReplicaId(row.get(2)?), number: row.get(3)?, seq: row.get(4)? };
            Ok((place, row.get::<_, i64>(5)?))
        })?;
    let earlier = place.order() < first.order();
    if earlier {
        db.prepare_cached(
            "update messages set clock_us = ?2, clock_logical = ?3, replica = ?4, seq = ?5, record = ?6
             where num = ?1",
        )?
        .execute(params![
            number,
            place.clock.us,
            place.clock.logical,
            place.number,
            place.seq,
            record
        ])?;
    }
    db.prepare_cached("insert or ignore into message_copies (message, record) values (?1, ?2)")?
        .execute(params![number, if earlier { first_record } else { record }])?;
    db.prepare_cached("update messages set copies = copies + 1 where num = ?1")?.execute([number])?;
    Ok(())
}

fn hidden_state(db: &Connection, session: i64, flush_us: i64, digest: Digest) -> rusqlite::Result<Hidden> {
    let found: Option<u8> = db
        .prepare_cached("select hidden from hidings where session = ?1 and flush_us = ?2 and digest = ?3")?
        .query_row(params![session, flush_us, digest.0], |row| row.get(0))
        .optional()?;
    Ok(found.map_or(Hidden::No, Hidden::from_number))
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
        let later = last_word(
            db,
            "select clock_us, clock_logical, id, seq from hidings join replicas on num = replica
             where session = ?1 and flush_us = ?2 and digest = ?3",
            params![session.number, flush_us, digest.0],
        )?
        .is_none_or(|word| word < place.order());
        if !later {
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
        let later = last_word(
            db,
            "select clock_us, clock_logical, id, seq from session_facts join replicas on num = replica
             where session = ?1 and field = ?2",
            params![session.number, field],
        )?
        .is_none_or(|word| word < place.order());
        if later {
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

fn last_word(
    db: &Connection,
    query: &str,
    of: &[&dyn rusqlite::ToSql],
) -> rusqlite::Result<Option<(Stamp, ReplicaId, u64)>> {
    db.prepare_cached(query)?
        .query_row(of, |row| {
            let clock = Stamp { us: row.get(0)?, logical: row.get(1)? };
            Ok((clock, ReplicaId(row.get(2)?), row.get(3)?))
        })
        .optional()
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

/// Puts the messages out of sight that have another name by which they are here; returns how many more are in sight.
fn merge_around(db: &Connection, session: i64, flush_us: i64, digest: Digest) -> rusqlite::Result<i64> {
    let merged = db
        .prepare_cached(
            "update messages set merged = 1
             where session = ?1 and digest = ?3 and merged = 0 and flush_us in (
                 select low_us from message_names n
                 where n.session = ?1 and n.digest = ?3 and (n.low_us = ?2 or n.high_us = ?2)
                     and exists (select 1 from messages m
                         where m.session = ?1 and m.flush_us = n.high_us and m.digest = ?3))
             returning hidden <= 1",
        )?
        .query_map(params![session, flush_us, digest.0], |row| row.get::<_, i64>(0))?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(-merged.iter().sum::<i64>())
}
