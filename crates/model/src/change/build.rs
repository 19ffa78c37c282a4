//! Building a change from a few numbers and its puts.

use super::{BuiltChange, ChangeProblem, LAST_OP, NextChange, Put, read};
use automerge::legacy::{Key, ObjectId, Op, OpType, SortedVec};
use automerge::{ActorId, Change, ExpandedChange, ScalarValue};
use std::num::NonZeroU64;

/// Builds the change that makes these puts, and reads it back before it is returned.
///
/// # Errors
/// Returns [`ChangeProblem::TooFar`] when the operation numbers are used up. Any other problem would be a
/// fault of this function: the bytes are parsed again so that nothing unreadable is ever recorded.
pub fn build(next: &NextChange, puts: &[Put]) -> Result<BuiltChange, ChangeProblem> {
    let max_op = next.start_op + puts.len() as u64 - u64::from(!puts.is_empty());
    let start_op =
        NonZeroU64::new(next.start_op).filter(|_| max_op <= LAST_OP).ok_or(ChangeProblem::TooFar)?;
    let mut deps: Vec<_> = next.dependencies.iter().map(|hash| automerge::ChangeHash(hash.0)).collect();
    deps.sort_unstable();
    deps.dedup();
    let expanded = ExpandedChange {
        operations: puts.iter().map(operation).collect(),
        actor_id: ActorId::from(next.actor.0),
        hash: None,
        seq: next.seq,
        start_op,
        // Times stand in the values, where they cost no second field of each change.
        time: 0,
        message: None,
        deps,
        extra_bytes: Vec::new(),
        author: None,
    };
    let change = Change::from(expanded);
    let bytes = change.raw_bytes().to_vec();
    let back = read(&bytes)?;
    Ok(BuiltChange { hash: back.hash, max_op: back.max_op, bytes })
}

fn operation(put: &Put) -> Op {
    let (key, value) = match put {
        Put::Add(id, entry) => (format!("+{id}"), entry.to_json()),
        Put::Remove(id, tombstone) => (format!("-{id}"), tombstone.to_json()),
    };
    Op {
        action: OpType::Put(ScalarValue::Str(value.into())),
        obj: ObjectId::Root,
        key: Key::Map(key.into()),
        pred: SortedVec::new(),
        insert: false,
    }
}
