//! Whether the tables of conversations are what the records say, and making them again when they are not.

use super::project::{Place, Projector, SessionRecord};
use crate::{Result, Store, search};
use memlore_model::{Kind, ReplicaId, Stream};
use rusqlite::{Connection, params};

/// What is compared: every table that follows from the records, with names instead of numbers.
const COMPARED: [(&str, &str); 7] = [
    ("sessions", "select name, shown, clock_us, clock_logical, names from sessions order by name"),
    (
        "messages",
        "select name, flush_us, digest, m.clock_us, m.clock_logical, replica, seq, record, copies, hidden, merged
         from messages m join sessions s on s.num = session order by name, flush_us, digest",
    ),
    (
        "other records of messages",
        "select name, flush_us, digest, c.record from message_copies c join messages m on m.num = c.message
         join sessions s on s.num = m.session order by name, flush_us, digest, c.record",
    ),
    (
        "names of messages",
        "select name, digest, low_us, high_us from message_names n join sessions s on s.num = session
         order by name, digest, low_us, high_us",
    ),
    (
        "hidden messages",
        "select name, flush_us, digest, hidden, h.clock_us, h.clock_logical, replica, seq
         from hidings h join sessions s on s.num = session order by name, flush_us, digest",
    ),
    (
        "facts",
        "select name, field, value, f.clock_us, f.clock_logical, replica, seq
         from session_facts f join sessions s on s.num = session order by name, field",
    ),
    (
        "tool calls",
        "select name, call, result, flush_us, digest from tool_links t join messages m on m.num = t.message
         join sessions s on s.num = m.session order by name, call, result, flush_us, digest",
    ),
];

/// The tables that are made again.
const TABLES: [&str; 8] = [
    "sessions",
    "messages",
    "message_copies",
    "message_names",
    "hidings",
    "tool_links",
    "session_facts",
    "session_devices",
];

/// Which tables are not what the records say.
pub(crate) fn differing(store: &Store) -> Result<Vec<&'static str>> {
    store.db.read(|db| {
        let scratch = Connection::open_in_memory()?;
        scratch.execute_batch(include_str!("../database/schema.sql"))?;
        let mut replicas = db.prepare("select num, id from replicas")?;
        let mut rows = replicas.query([])?;
        while let Some(row) = rows.next()? {
            scratch.execute(
                "insert into replicas (num, id) values (?1, ?2)",
                params![row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?],
            )?;
        }
        project_all(db, &scratch)?;
        let mut differing = Vec::new();
        for (what, query) in COMPARED {
            if digest(db, query)? != digest(&scratch, query)? {
                differing.push(what);
            }
        }
        Ok(differing)
    })
}

/// Makes the tables again from the records.
pub(crate) fn rebuild(store: &Store) -> Result<()> {
    let tx = store.db.begin()?;
    rebuild_within(&tx).and_then(|()| tx.commit()).map_err(|error| store.db.trouble(error))?;
    search::forget(store);
    Ok(())
}

/// Makes the tables again from the records, inside a transaction.
pub(crate) fn rebuild_within(tx: &Connection) -> rusqlite::Result<()> {
    // What was stamped here is no projection: a stamp is never made twice.
    tx.execute_batch("create temp table stamped as select name, stamped_us from sessions")?;
    for table in TABLES {
        tx.execute(&format!("delete from {table}"), [])?;
    }
    project_all(tx, tx)?;
    tx.execute_batch(
        "update sessions set stamped_us = ifnull((select stamped_us from stamped where stamped.name = sessions.name), 0);
         drop table stamped",
    )
}

fn project_all(from: &Connection, to: &Connection) -> rusqlite::Result<()> {
    let mut query = from.prepare(
        "select r.num, r.kind, r.replica, p.id, r.seq, r.payload from records r join replicas p on p.num = r.replica
         where r.stream = ?1 and r.payload is not null order by r.num",
    )?;
    let mut rows = query.query([Stream::Sessions.number()])?;
    let mut projector = Projector::default();
    while let Some(row) = rows.next()? {
        let payload = row.get_ref(5)?.as_blob()?;
        let Some(told) = SessionRecord::of(Kind(row.get(1)?), payload) else { continue };
        let place = Place {
            clock: told.clock().unwrap_or_default(),
            replica: ReplicaId(row.get(3)?),
            number: row.get(2)?,
            seq: row.get(4)?,
        };
        projector.project(to, place, row.get(0)?, &told)?;
    }
    projector.finish(to)
}

fn digest(db: &Connection, query: &str) -> rusqlite::Result<blake3::Hash> {
    let mut hasher = blake3::Hasher::new();
    let mut query = db.prepare(query)?;
    let columns = query.column_count();
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            hasher.update(format!("{:?}\0", row.get_ref(column)?).as_bytes());
        }
    }
    Ok(hasher.finalize())
}
