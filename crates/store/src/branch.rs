//! Branches: what becomes of a stream that several copies of a replica wrote to.

use crate::{Result, Store};
use memlore_exchange::{MAX_RECORDS, MAX_RUN_BYTES, Run};
use memlore_model::{Kind, Payload, Record, RecordHash, RecordName, ReplicaId, Stream};
use rusqlite::{Connection, OptionalExtension as _, params};

/// The records of a stream that stand under one number of the tables, and the id written in them.
///
/// The records of one stream form a tree when copies of a replica wrote under one id. Where it forks, every branch
/// gets an id of its own, see [`ReplicaId::of_branch`], and the old one ends at the last common record. So the
/// branches follow from the records alone, whatever order they came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Branch {
    pub(crate) number: i64,
    pub(crate) written: ReplicaId,
    pub(crate) stream: Stream,
}

/// Every branch of which there are records here, and which.
pub(crate) fn branches(db: &Connection) -> rusqlite::Result<Vec<(Branch, Run)>> {
    db.prepare_cached(
        "select s.replica, coalesce(p.written, p.id), s.stream, s.begins, s.seq
         from streams s join replicas p on p.num = s.replica where s.seq >= s.begins
         order by s.replica, s.stream",
    )?
    .query_map([], |row| {
        let Some(stream) = Stream::from_number(row.get(2)?) else { return Ok(None) };
        let branch = Branch { number: row.get(0)?, written: ReplicaId(row.get(1)?), stream };
        Ok(Some((branch, Run { first: row.get(3)?, last: row.get(4)? })))
    })?
    .filter_map(rusqlite::Result::transpose)
    .collect()
}

/// Reads a run of a branch's records: as many as were asked for, or as one segment can carry and one more.
pub(crate) fn run(store: &Store, branch: Branch, first: u64, last: u64) -> Result<Vec<Record>> {
    let Branch { number, written, stream } = branch;
    store.db.read(|db| {
        let mut previous = match hash_at(db, number, stream, first.saturating_sub(1))? {
            Some(hash) => hash,
            None => beginning(db, number, stream)?.1,
        };
        let mut query = db.prepare_cached(
            "select seq, kind, payload, erased, hash from records
             where replica = ?1 and stream = ?2 and seq between ?3 and ?4 order by seq",
        )?;
        let mut rows = query.query(params![number, stream.number(), first, last])?;
        let (mut records, mut bytes) = (Vec::new(), 0);
        while let Some(row) = rows.next()? {
            let name = RecordName { replica: written, stream, seq: row.get(0)? };
            let payload = payload_of(row.get(2)?, row.get(3)?);
            let record = Record { name, previous, kind: Kind(row.get(1)?), payload };
            previous = RecordHash(row.get(4)?);
            bytes += record.payload.bytes().map_or(0, <[u8]>::len);
            records.push(record);
            if bytes > MAX_RUN_BYTES || records.len() > MAX_RECORDS {
                break;
            }
        }
        Ok(records)
    })
}

/// The hash of the record at a place.
pub(crate) fn hash_at(
    db: &Connection,
    replica: i64,
    stream: Stream,
    seq: u64,
) -> rusqlite::Result<Option<RecordHash>> {
    db.prepare_cached("select hash from records where replica = ?1 and stream = ?2 and seq = ?3")?
        .query_row(params![replica, stream.number(), seq], |row| row.get(0).map(RecordHash))
        .optional()
}

/// Where a branch begins: the number of its first record, and the hash which that follows.
pub(crate) fn beginning(db: &Connection, number: i64, stream: Stream) -> rusqlite::Result<(u64, RecordHash)> {
    let found = db
        .prepare_cached("select begins, follows from streams where replica = ?1 and stream = ?2")?
        .query_row(params![number, stream.number()], |row| {
            let follows: Option<[u8; 32]> = row.get(1)?;
            Ok((row.get(0)?, follows.map_or(RecordHash::NONE, RecordHash)))
        })
        .optional()?;
    Ok(found.unwrap_or((1, RecordHash::NONE)))
}

/// The numbers under which records stand that have this id written in them: the id's own, and those of its branches.
pub(crate) fn family(db: &Connection, written: ReplicaId) -> rusqlite::Result<Vec<i64>> {
    db.prepare_cached("select num from replicas where id = ?1 or written = ?1 order by num")?
        .query_map([written.0], |row| row.get(0))?
        .collect()
}

/// The id that is written in the records under a number.
pub(crate) fn written_under(db: &Connection, number: i64) -> rusqlite::Result<ReplicaId> {
    db.prepare_cached("select coalesce(written, id) from replicas where num = ?1")?
        .query_row([number], |row| row.get(0).map(ReplicaId))
}

/// The member of a family under which a record stands.
pub(crate) fn find(
    db: &Connection,
    family: &[i64],
    stream: Stream,
    seq: u64,
    is_it: impl Fn(RecordHash) -> bool,
) -> rusqlite::Result<Option<i64>> {
    for number in family {
        if hash_at(db, *number, stream, seq)?.is_some_and(&is_it) {
            return Ok(Some(*number));
        }
    }
    Ok(None)
}

/// The branch that a branch goes on from.
pub(crate) fn parent(db: &Connection, number: i64, stream: Stream) -> rusqlite::Result<Option<i64>> {
    let written = written_under(db, number)?;
    let family = family(db, written)?;
    if family.len() == 1 {
        return Ok(None);
    }
    let (begins, follows) = beginning(db, number, stream)?;
    if begins > 1 {
        return find(db, &family, stream, begins - 1, |hash| hash == follows);
    }
    // The first record of all was written twice: both branches go on from the id itself, which has none.
    let root = db
        .prepare_cached("select num from replicas where id = ?1")?
        .query_row([written.0], |row| row.get(0))
        .optional()?;
    Ok(root.filter(|root| *root != number))
}

/// A branch, and those that it goes on from: everything that a record under it follows.
pub(crate) fn lineage(db: &Connection, number: i64, stream: Stream) -> rusqlite::Result<Vec<i64>> {
    let mut lineage = vec![number];
    while let Some(parent) = parent(db, lineage[lineage.len() - 1], stream)? {
        lineage.push(parent);
    }
    Ok(lineage)
}

/// A payload from the two columns it is stored in.
pub(crate) fn payload_of(bytes: Option<Vec<u8>>, erased: Option<[u8; 32]>) -> Payload {
    match (bytes, erased) {
        (Some(bytes), _) => Payload::Present(bytes),
        (None, erased) => Payload::Erased(erased.unwrap_or_default()),
    }
}
