//! One conversation's row, and its messages as they are added.

use super::project::Place;
use memlore_model::message::{Hidden, MessageRecord};
use memlore_model::{Digest, ReplicaId, Stamp};
use rusqlite::{Connection, OptionalExtension as _, params};

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
            None => self.insert(db, place, record, told, digest),
            Some(number) => another_record(db, number, place, record),
        }
    }

    fn insert(
        &mut self,
        db: &Connection,
        place: Place,
        record: i64,
        told: &MessageRecord,
        digest: Digest,
    ) -> rusqlite::Result<()> {
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

/// Puts the messages out of sight that have another name by which they are here; returns how many more are in sight.
pub(super) fn merge_around(
    db: &Connection,
    session: i64,
    flush_us: i64,
    digest: Digest,
) -> rusqlite::Result<i64> {
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
