//! Records of a version that does not exist yet travel through this one unharmed.

use memlore_exchange::{Effort, Folder, Take, list, publish, take};
use memlore_model::{Kind, Payload, Record, RecordHash, RecordName, ReplicaId, Stream};
use memlore_testing::Network;
use std::fs;

/// A change of automerge's own making: a key of an unknown kind, an entry with unknown fields, and a list.
fn change_of_a_later_version(actor: ReplicaId) -> Vec<u8> {
    use automerge::transaction::Transactable as _;
    let mut document = automerge::AutoCommit::new().with_actor(automerge::ActorId::from(actor.0));
    document.put(automerge::ROOT, "~something", "new").unwrap();
    let list = document.put_object(automerge::ROOT, "list", automerge::ObjType::List).unwrap();
    document.insert(&list, 0, 7).unwrap();
    document.get_last_local_change().unwrap().raw_bytes().to_vec()
}

fn later_records(replica: ReplicaId, stream: Stream) -> Vec<Record> {
    let mut previous = RecordHash::NONE;
    let payloads: [(u32, Payload); 5] = [
        (900, Payload::Present(vec![0, 255, 10, 13])),
        (1, Payload::Present(change_of_a_later_version(replica))),
        (16, Payload::Present(br#"{"session": "s", "message": 7, "at": "soon"}"#.to_vec())),
        (901, Payload::Erased([3; 32])),
        (u32::MAX, Payload::Present(Vec::new())),
    ];
    let records = payloads.into_iter().enumerate().map(|(index, (kind, payload))| {
        let name = RecordName { replica, stream, seq: index as u64 + 1 };
        let record = Record { name, previous, kind: Kind(kind), payload };
        previous = record.hash();
        record
    });
    records.collect()
}

#[test]
fn unknown_kinds_and_shapes_are_kept_counted_and_forwarded_byte_for_byte() {
    let mut net = Network::default();
    let [between, far] = net.devices(["between", "far"]);
    let replica = ReplicaId([5; 16]);
    let share = Folder::new(net.at(between).share(), net.at(between).home());
    let all = Stream::ALL.map(|stream| later_records(replica, stream));
    for records in &all {
        publish(&share, records, Effort::Quick).unwrap();
    }
    net.exchange(between);
    assert!(net.store(between).status().unwrap().unknown_records >= 8);
    // Only what this version kept of them is left to travel on.
    fs::remove_dir_all(net.at(between).share().join("r")).unwrap();
    let named = net.at(between).share().to_str().unwrap().to_owned();
    net.store(between).sync(Some(&named)).unwrap();
    net.deliver(between, far);
    let share = Folder::new(net.at(far).share(), net.at(far).home());
    let mut forwarded = Vec::new();
    for file in list(&share).unwrap().files {
        let Take::Taken(segment) = take(&share, &file) else { panic!("{}", file.path) };
        if segment.replica == replica {
            forwarded.push(segment.records);
        }
    }
    forwarded.sort_by_key(|records| records[0].name.stream.number());
    assert_eq!(forwarded, all);
    let unknown = net.store(between).status().unwrap().unknown_records;
    assert_eq!(net.store(far).status().unwrap().unknown_records, unknown);
}
