//! What is not here yet, and what was passed over, in words.

use crate::branch::{family, hash_at};
use crate::writing::{head, replica_number};
use crate::{Result, Store};
use memlore_exchange::SegmentName;
use memlore_model::{RecordHash, ReplicaId, Stream};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::collections::BTreeMap;

/// What is not here yet, in sentences for people.
pub(crate) fn waiting(store: &Store) -> Result<Vec<String>> {
    store.db.read(|db| {
        let mut waiting = problems(db, false)?;
        waiting.extend(records_waiting(db)?);
        Ok(waiting)
    })
}

/// Files that were passed over for good, and why.
pub(crate) fn ignored(store: &Store) -> Result<Vec<String>> {
    store.db.read(|db| problems(db, true))
}

fn problems(db: &Connection, ignored: bool) -> rusqlite::Result<Vec<String>> {
    db.prepare(
        "select problem from taken_files where problem is not null and ignored = ?1 order by path limit 100",
    )?
    .query_map([ignored], |row| row.get(0))?
    .collect()
}

/// Which records wait for which: a run of them for the one before its first.
fn records_waiting(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let streams: Vec<(ReplicaId, u8, u64, u64)> = db
        .prepare(
            "select replica, stream, count(*), min(seq) from waiting group by replica, stream
             order by replica, stream limit 100",
        )?
        .query_map([], |row| Ok((ReplicaId(row.get(0)?), row.get(1)?, row.get(2)?, row.get(3)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut told = Vec::new();
    for (replica, stream, count, first) in streams {
        let Some(stream) = Stream::from_number(stream) else { continue };
        let what = match stream {
            Stream::Memory => "memory",
            Stream::Sessions => "conversations",
        };
        let name = name_of(db, replica)?;
        let before = first.saturating_sub(1);
        told.push(match known_before(db, replica, stream, before)? {
            true => format!(
                "{count} records of {name} ({what}, from {first} on) follow another record {before} than the one here"
            ),
            false => format!("{count} records of {name} ({what}, from {first} on) wait for record {before}"),
        });
    }
    Ok(told)
}

/// Whether some record of this number is here.
fn known_before(db: &Connection, replica: ReplicaId, stream: Stream, seq: u64) -> rusqlite::Result<bool> {
    for number in family(db, replica)? {
        if hash_at(db, number, stream, seq)?.is_some_and(|hash| hash != RecordHash::NONE) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A replica as people know it.
fn name_of(db: &Connection, replica: ReplicaId) -> rusqlite::Result<String> {
    let device: Option<Option<String>> = db
        .query_row("select device from replicas where id = ?1", [replica.0], |row| row.get(0))
        .optional()?;
    Ok(match device.flatten() {
        Some(device) => format!("{device} ({replica})"),
        None => replica.to_string(),
    })
}

/// Records that no file of the share carries, in sentences for people.
pub(crate) fn lacking(store: &Store) -> Result<Vec<String>> {
    store.db.read(|db| {
        let lacking: Vec<(ReplicaId, u64)> = db
            .prepare(
                "select id, sum(records) from (
                     select coalesce(p.written, p.id) as id, l.last - l.first + 1 as records from lacking l
                     join replicas p on p.num = l.replica
                     union all select replica, 1 from waiting where lacking_us is not null)
                 group by id order by id limit 100",
            )?
            .query_map([], |row| Ok((ReplicaId(row.get(0)?), row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        lacking
            .into_iter()
            .map(|(replica, count)| {
                let name = name_of(db, replica)?;
                Ok(format!(
                    "no file in the share carries {count} records of {name} that are here; they are published again \
                     when that lasts for 7 days, and at once by `memlore sync --share`"
                ))
            })
            .collect()
    })
}

/// How many records of a replica the share tells of that are not here: those that wait, and those of files that could
/// not be taken, by their names.
pub(crate) fn behind(db: &Connection, replica: ReplicaId) -> rusqlite::Result<u64> {
    let mut behind: u64 = db
        .prepare_cached("select count(*) from waiting where replica = ?1")?
        .query_row([replica.0], |row| row.get(0))?;
    let mut announced: BTreeMap<u8, u64> = BTreeMap::new();
    let folder = memlore_exchange::folder_of(replica);
    let mut query = db.prepare_cached(
        "select path from taken_files where problem is not null and substr(path, 1, ?2) = ?1 limit 1000",
    )?;
    let mut rows = query.query(params![folder, folder.len() as i64])?;
    while let Some(row) = rows.next()? {
        let path: String = row.get(0)?;
        for stream in Stream::ALL {
            let name = path.strip_prefix(&format!("{}/", memlore_exchange::stream_folder(replica, stream)));
            if let Some(name) = name.and_then(|name| name.parse::<SegmentName>().ok()) {
                let last = announced.entry(stream.number()).or_default();
                *last = name.last.max(*last);
            }
        }
    }
    for (stream, last) in announced {
        let Some(stream) = Stream::from_number(stream) else { continue };
        let here = head(db, replica_number(db, replica)?, stream)?.seq_last;
        behind = behind.saturating_add(last.saturating_sub(here));
    }
    Ok(behind)
}
