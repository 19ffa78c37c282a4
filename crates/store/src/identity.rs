//! Whose store this is: the replica's ids, and noticing that the state was copied.

use crate::writing::{head, replica_number};
use crate::{Open, Result, Store};
use memlore_model::{ReplicaId, Stream};
use rusqlite::{Connection, OptionalExtension as _, params};
use std::path::Path;

/// The replica that this store is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Me {
    /// Its id.
    pub(crate) id: ReplicaId,
    /// Its number in the tables.
    pub(crate) number: i64,
    /// A random key that stays here: what is hashed with it tells nobody else anything.
    pub(crate) key: [u8; 32],
}

/// An id we used before, and how far its streams are ours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FormerId {
    pub(crate) id: ReplicaId,
    /// The id that is written in its records: another one, when this is a branch.
    pub(crate) written: ReplicaId,
    pub(crate) number: i64,
    pub(crate) memory_last: u64,
    pub(crate) sessions_last: u64,
}

impl FormerId {
    /// The last record of a stream that is ours.
    pub(crate) fn last(&self, stream: Stream) -> u64 {
        match stream {
            Stream::Memory => self.memory_last,
            Stream::Sessions => self.sessions_last,
        }
    }
}

/// Reads who we are.
pub(crate) fn me(db: &Connection) -> rusqlite::Result<Me> {
    db.prepare_cached("select own, id, key from replica join replicas on num = own where one = 1")?
        .query_row([], |row| Ok(Me { number: row.get(0)?, id: ReplicaId(row.get(1)?), key: row.get(2)? }))
}

/// The ids we used before.
pub(crate) fn former_ids(db: &Connection) -> rusqlite::Result<Vec<FormerId>> {
    db.prepare_cached(
        "select replica, id, memory_last, sessions_last, coalesce(written, id)
         from own_ids join replicas on num = replica",
    )?
    .query_map([], |row| {
        Ok(FormerId {
            number: row.get(0)?,
            id: ReplicaId(row.get(1)?),
            memory_last: row.get(2)?,
            sessions_last: row.get(3)?,
            written: ReplicaId(row.get(4)?),
        })
    })?
    .collect()
}

/// Writes the first rows of a new database.
pub(crate) fn found(db: &Connection, open: &Open, inode: u64) -> rusqlite::Result<()> {
    let own = replica_number(db, new_id(open))?;
    let mut key = [0; 32];
    (open.random)(&mut key);
    db.execute("update replicas set device = ?2 where num = ?1", params![own, open.device])?;
    db.execute(
        "insert into replica (one, own, machine, path, inode, clock_us, clock_logical, generation, key)
         values (1, ?1, ?2, ?3, ?4, 0, 0, 0, ?5)",
        params![own, open.machine, path_text(&open.state), inode as i64, key],
    )?;
    Ok(())
}

/// Gives the replica a new id: from now on it writes streams of its own again.
///
/// Nothing is written again under the new id. How far the old streams are ours is kept.
pub(crate) fn mint(db: &Connection, open: &Open) -> rusqlite::Result<()> {
    let old = me(db)?;
    let memory = head(db, old.number, Stream::Memory)?;
    let sessions = head(db, old.number, Stream::Sessions)?;
    db.execute(
        "insert or replace into own_ids (replica, memory_last, sessions_last) values (?1, ?2, ?3)",
        params![old.number, memory.seq_last, sessions.seq_last],
    )?;
    let new = replica_number(db, new_id(open))?;
    db.execute("update replicas set device = ?2 where num = ?1", params![new, open.device])?;
    db.execute("update replica set own = ?1", [new])?;
    Ok(())
}

/// Compares the fingerprint that the state is bound to with what is here, and mints a new id when two of machine,
/// path and inode differ: then this is a copy, and its original may be alive.
pub(crate) fn check_fingerprint(db: &crate::database::Database, open: &Open) -> Result<()> {
    let here =
        Fingerprint { machine: open.machine.clone(), path: path_text(&open.state), inode: db.inode() as i64 };
    if db.read(Fingerprint::read)? == here {
        return Ok(());
    }
    let tx = db.begin()?;
    let renew = || {
        // Another process may have seen the same and been faster.
        let bound = Fingerprint::read(&tx)?;
        if bound.is_elsewhere(&here) {
            mint(&tx, open)?;
        }
        tx.execute(
            "update replica set machine = coalesce(?1, machine), path = ?2, inode = ?3",
            params![here.machine, here.path, here.inode],
        )
    };
    renew().and_then(|_| tx.commit()).map_err(|error| db.trouble(error))
}

#[derive(Debug, PartialEq, Eq)]
struct Fingerprint {
    machine: Option<String>,
    path: String,
    inode: i64,
}

impl Fingerprint {
    fn read(db: &Connection) -> rusqlite::Result<Self> {
        db.prepare_cached("select machine, path, inode from replica")?
            .query_row([], |row| Ok(Self { machine: row.get(0)?, path: row.get(1)?, inode: row.get(2)? }))
    }

    /// One difference alone is a moved folder, or a container that started again.
    fn is_elsewhere(&self, here: &Self) -> bool {
        let machine = self.machine.is_some() && here.machine.is_some() && self.machine != here.machine;
        [machine, self.path != here.path, self.inode != here.inode]
            .into_iter()
            .filter(|differs| *differs)
            .count()
            >= 2
    }
}

fn path_text(state: &Path) -> String {
    let absolute = state.canonicalize().unwrap_or_else(|_| state.to_owned());
    absolute.to_string_lossy().into_owned()
}

fn new_id(open: &Open) -> ReplicaId {
    let mut id = [0; 16];
    (open.random)(&mut id);
    ReplicaId(id)
}

impl Store {
    /// Whether a replica of the tables is this one, now or before.
    pub(crate) fn owns(&self, db: &Connection, replica: i64) -> rusqlite::Result<bool> {
        if replica == self.me.number {
            return Ok(true);
        }
        db.prepare_cached("select exists (select 1 from own_ids where replica = ?1)")?
            .query_row([replica], |row| row.get(0))
    }

    /// Whether this replica has, or had, that id.
    pub(crate) fn was_ever_us(&self, id: ReplicaId) -> bool {
        let known = self.db.read(|db| {
            db.prepare_cached("select 1 from own_ids join replicas on num = replica where id = ?1")?
                .query_row([id.0], |_| Ok(()))
                .optional()
        });
        id == self.me.id || matches!(known, Ok(Some(())))
    }
}
