//! The one Automerge document that all changes form.

use automerge::{Automerge, Change, ReadDoc as _, ScalarValue, Value};
use memlore_model::change::{self, ReadChange};
use memlore_model::{ChangeHash, NextChange, ReplicaId};
use rusqlite::Connection;
use std::collections::{BTreeMap, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Builds the document of every change that counts here; returns it, and how many changes it could not take.
///
/// Its cost grows with history, so only `doctor --deep` and the export ask for it.
pub(super) fn build(db: &Connection) -> rusqlite::Result<(Automerge, usize)> {
    let forked: bool =
        db.query_row("select exists (select 1 from replicas where written is not null)", [], |row| {
            row.get(0)
        })?;
    let recorded = recorded(db)?;
    let count = recorded.len();
    let payloads = if forked { retold(recorded) } else { recorded.into_iter().map(|r| r.payload).collect() };
    let changes: Vec<Change> =
        payloads.into_iter().filter_map(|payload| Change::from_bytes(payload).ok()).collect();
    let mut document = Automerge::new();
    // These changes were checked when they came in; a panic here would still be somebody else's to explain.
    let applied = catch_unwind(AssertUnwindSafe(|| document.apply_changes(changes)));
    if !matches!(applied, Ok(Ok(()))) {
        return Ok((Automerge::new(), count));
    }
    let taken = document.get_changes(&[]).len();
    Ok((document, count.saturating_sub(taken)))
}

/// A change as it was recorded, and the replica or branch under which it stands.
struct Recorded {
    under: ReplicaId,
    is_branch: bool,
    payload: Vec<u8>,
}

fn recorded(db: &Connection) -> rusqlite::Result<Vec<Recorded>> {
    db.prepare(
        "select id, written is not null, payload from records join replicas on replicas.num = replica
         where change_hash is not null and payload is not null order by records.num",
    )?
    .query_map([], |row| {
        Ok(Recorded { under: ReplicaId(row.get(0)?), is_branch: row.get(1)?, payload: row.get(2)? })
    })?
    .collect()
}

/// Tells changes again, for a document in which every branch is an actor of its own.
///
/// In causal order: what a branch wrote, and whatever follows it, gets new names, and the dependencies are mapped to
/// them. A change whose dependencies are not here is left out.
fn retold(recorded: Vec<Recorded>) -> Vec<Vec<u8>> {
    let mut changes: Vec<(Recorded, ReadChange)> = recorded
        .into_iter()
        .filter_map(|recorded| change::read(&recorded.payload).ok().map(|read| (recorded, read)))
        .collect();
    let mut names: HashMap<ChangeHash, ChangeHash> = HashMap::new();
    let mut next: HashMap<ReplicaId, u64> = HashMap::new();
    let mut told = Vec::new();
    loop {
        let before = told.len();
        let mut later = Vec::new();
        for (recorded, read) in changes {
            let dependencies: Option<Vec<ChangeHash>> =
                read.dependencies.iter().map(|hash| names.get(hash).copied()).collect();
            let Some(dependencies) = dependencies else {
                later.push((recorded, read));
                continue;
            };
            let seq = next.entry(recorded.under).or_insert(1);
            let as_it_is = !recorded.is_branch && dependencies == read.dependencies && *seq == read.seq;
            let again = || {
                let start_op = read.start_op;
                change::build(
                    &NextChange { actor: recorded.under, seq: *seq, start_op, dependencies },
                    &read.puts,
                )
            };
            let (name, bytes) = if as_it_is {
                (read.hash, recorded.payload)
            } else {
                let Ok(built) = again() else { continue };
                (built.hash, built.bytes)
            };
            *seq += 1;
            names.insert(read.hash, name);
            told.push(bytes);
        }
        if told.len() == before {
            return told;
        }
        changes = later;
    }
}

/// Every key of the document, with all the values that were put there.
pub(super) fn puts(document: &Automerge) -> BTreeMap<String, Vec<String>> {
    let mut puts = BTreeMap::new();
    for key in document.keys(automerge::ROOT) {
        let all = document.get_all(automerge::ROOT, &key).unwrap_or_default();
        let mut values: Vec<String> = all
            .into_iter()
            .filter_map(|(value, _)| match value {
                Value::Scalar(scalar) => match scalar.as_ref() {
                    ScalarValue::Str(text) => Some(text.to_string()),
                    _ => None,
                },
                Value::Object(_) => None,
            })
            .collect();
        values.sort_unstable();
        puts.insert(key, values);
    }
    puts
}
