//! Reading a change that somebody else may have made.

use super::{ChangeHash, ChangeProblem, LAST_OP, Put, ReadChange};
use crate::{Entry, EntryId, ReplicaId, Tombstone, leb128};
use automerge::legacy::{Key, ObjectId, Op, OpType};
use automerge::{Change, ScalarValue};
use sha2::{Digest as _, Sha256};
use std::panic::catch_unwind;

const MAGIC: [u8; 4] = [0x85, 0x6f, 0x4a, 0x83];
const CHANGE_CHUNK: u8 = 1;

/// Reads one change.
///
/// The chunk is checked before automerge sees it: automerge does not check a change's checksum, some chunk
/// types can hang it, and a compressed one can inflate a thousandfold. What is left runs under `catch_unwind`,
/// because a hostile peer can repair the checksum.
///
/// # Errors
/// Returns why it cannot be projected.
pub fn read(bytes: &[u8]) -> Result<ReadChange, ChangeProblem> {
    let hash = check_chunk(bytes).ok_or(ChangeProblem::NoChange)?;
    let decoded = catch_unwind(|| {
        let change = Change::from_bytes(bytes.to_vec())
            .map_err(|error| ChangeProblem::Unreadable(error.to_string()))?;
        if change.start_op().get() > LAST_OP || change.max_op() > LAST_OP {
            return Err(ChangeProblem::TooFar);
        }
        Ok((change.max_op(), change.decode()))
    });
    let panicked = |_| ChangeProblem::Unreadable("it panicked".to_owned());
    let (max_op, decoded) = decoded.map_err(panicked)??;
    let actor = decoded.actor_id.to_bytes().try_into().map_err(|_| ChangeProblem::Actor)?;
    let start_op = decoded.start_op.get();
    let mut puts = Vec::with_capacity(decoded.operations.len());
    let mut unknown = 0;
    for (at, operation) in decoded.operations.iter().enumerate() {
        let (key, value) = plain_put(operation).ok_or(ChangeProblem::Shape(start_op + at as u64))?;
        match known_put(key, value) {
            Some(put) => puts.push(put),
            None => unknown += 1,
        }
    }
    Ok(ReadChange {
        actor: ReplicaId(actor),
        seq: decoded.seq,
        start_op,
        max_op,
        dependencies: decoded.deps.iter().map(|hash| ChangeHash(hash.0)).collect(),
        hash,
        puts,
        unknown,
    })
}

/// Returns the change's hash when the bytes are exactly one change chunk whose checksum is right.
fn check_chunk(bytes: &[u8]) -> Option<ChangeHash> {
    let rest = bytes.strip_prefix(&MAGIC)?;
    let (checksum, body) = rest.split_at_checked(4)?;
    let (kind, rest) = body.split_first()?;
    let mut content = rest;
    let length = leb128::take(&mut content)?;
    if *kind != CHANGE_CHUNK || length != content.len() as u64 {
        return None;
    }
    let hash: [u8; 32] = Sha256::digest(body).into();
    (hash[..4] == *checksum).then_some(ChangeHash(hash))
}

fn plain_put(operation: &Op) -> Option<(&str, Option<&str>)> {
    let plain = operation.obj == ObjectId::Root && operation.pred.is_empty() && !operation.insert;
    match (&operation.key, &operation.action) {
        (Key::Map(key), OpType::Put(ScalarValue::Str(value))) if plain => Some((key, Some(value))),
        // A newer version may put other scalars under prefixes of its own.
        (Key::Map(key), OpType::Put(_)) if plain => Some((key, None)),
        _ => None,
    }
}

fn known_put(key: &str, value: Option<&str>) -> Option<Put> {
    let value = value?;
    let (prefix, id) = key.split_at_checked(1)?;
    let id: EntryId = id.parse().ok()?;
    match prefix {
        "+" => Some(Put::Add(id, Entry::from_json(value).ok()?)),
        "-" => Some(Put::Remove(id, Tombstone::from_json(value).ok()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
