use super::*;
use crate::{BookName, NextChange, Position, Scope, Stamp, change};
use serde_json::Map;

const ACTOR: ReplicaId = ReplicaId([5; 16]);

fn id(counter: u32) -> EntryId {
    EntryId { replica: ACTOR, counter, nonce: 77 }
}

fn add(counter: u32, text: &str) -> Put {
    let entry = Entry {
        text: text.into(),
        book: BookName::memory(),
        written: Stamp::at(1_764_511_200_000_000),
        by: "test".into(),
        device: "laptop".into(),
        source: None,
        labels: Default::default(),
        position: Position::after(None),
        replaces: Vec::new(),
        scope: Scope::Profile,
        more: Map::new(),
    };
    Put::Add(id(counter), entry)
}

fn next(seq: u64, start_op: u64, dependencies: Vec<ChangeHash>) -> NextChange {
    NextChange { actor: ACTOR, seq, start_op, dependencies }
}

#[test]
fn a_built_change_reads_back() {
    let puts = vec![add(1, "tea"), add(2, "记忆")];
    let built = change::build(&next(1, 1, Vec::new()), &puts).unwrap();
    let back = read(&built.bytes).unwrap();
    assert_eq!((back.actor, back.seq, back.start_op, back.max_op), (ACTOR, 1, 1, 2));
    assert_eq!((back.hash, back.puts, back.unknown), (built.hash, puts, 0));
}

#[test]
fn a_built_change_is_what_a_document_would_have_written() {
    use automerge::transaction::Transactable as _;
    let Put::Add(id, entry) = add(1, "tea") else { unreachable!() };
    let mut document = automerge::AutoCommit::new().with_actor(automerge::ActorId::from(ACTOR.0));
    document.put(automerge::ROOT, format!("+{id}"), entry.to_json()).unwrap();
    document.commit_with(automerge::transaction::CommitOptions::default().with_time(0));
    let mut theirs = document.get_last_local_change().unwrap();
    let ours = change::build(&next(1, 1, Vec::new()), &[add(1, "tea")]).unwrap();
    assert_eq!(theirs.raw_bytes(), ours.bytes);
    assert_eq!(theirs.hash().0, ours.hash.0);
    drop(theirs.bytes());
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let built = change::build(&next(1, 1, Vec::new()), &[add(1, "tea")]).unwrap();
    for at in 0..built.bytes.len() {
        assert_eq!(read(&built.bytes[..at]), Err(ChangeProblem::NoChange));
        let mut flipped = built.bytes.clone();
        flipped[at] ^= 1;
        assert_eq!(read(&flipped), Err(ChangeProblem::NoChange));
    }
}

#[test]
fn a_repaired_checksum_never_panics_out() {
    let built = change::build(&next(1, 1, Vec::new()), &[add(1, "tea"), add(2, "coffee")]).unwrap();
    for at in 8..built.bytes.len() {
        for bit in 0..8 {
            let mut forged = built.bytes.clone();
            forged[at] ^= 1 << bit;
            let digest: [u8; 32] = Sha256::digest(&forged[8..]).into();
            forged[4..8].copy_from_slice(&digest[..4]);
            drop(read(&forged));
        }
    }
}

#[test]
fn keys_of_a_newer_version_are_counted_and_not_projected() {
    use automerge::transaction::Transactable as _;
    let mut document = automerge::AutoCommit::new().with_actor(automerge::ActorId::from(ACTOR.0));
    document.put(automerge::ROOT, "*mood", "happy").unwrap();
    document.put(automerge::ROOT, format!("+{}", id(2)), 7).unwrap();
    document.commit();
    let read = read(document.get_last_local_change().unwrap().raw_bytes()).unwrap();
    assert_eq!((read.puts, read.unknown), (Vec::new(), 2));
}

#[test]
fn anything_but_a_plain_put_is_refused() {
    use automerge::transaction::Transactable as _;
    let mut document = automerge::AutoCommit::new().with_actor(automerge::ActorId::from(ACTOR.0));
    document.put(automerge::ROOT, "+x", "one").unwrap();
    document.commit();
    document.put(automerge::ROOT, "+x", "two").unwrap();
    document.commit();
    let overwriting = document.get_last_local_change().unwrap();
    assert_eq!(read(overwriting.raw_bytes()), Err(ChangeProblem::Shape(2)));
}

#[test]
fn operation_numbers_end_where_automerge_ends() {
    let last = next(1, LAST_OP, Vec::new());
    assert!(change::build(&last, &[add(1, "tea")]).is_ok());
    assert_eq!(change::build(&last, &[add(1, "tea"), add(2, "x")]).unwrap_err(), ChangeProblem::TooFar);
}
