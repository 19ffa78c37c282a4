//! Laws of segments, their names, and squeezed changes.

use memlore_exchange::{Effort, SegmentName, decode, encode, fit};
use memlore_model::{
    BookName, BuiltChange, ChangeHash, Entry, EntryId, Kind, Link, NextChange, Payload, Position, Put,
    Record, RecordHash, RecordName, ReplicaId, Scope, Stamp, Stream, change, squeeze,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// What one record of a run holds.
#[derive(Clone, Debug)]
enum Content {
    Bytes(u32, Vec<u8>),
    Erased(u32),
    /// An add with this text; whether it depends on the change before it, and how far the operations jump.
    Add(String, bool, u64),
}

fn any_content() -> impl Strategy<Value = Content> {
    let kind = prop_oneof![Just(1), Just(2), Just(16), any::<u32>()];
    prop_oneof![
        1 => (kind.clone(), vec(any::<u8>(), 0..80)).prop_map(|(kind, bytes)| Content::Bytes(kind, bytes)),
        1 => kind.prop_map(Content::Erased),
        4 => ("[a-zé ]{1,20}x", prop::bool::weighted(0.9), 1..300u64)
            .prop_map(|(text, follows, jump)| Content::Add(text, follows, jump)),
    ]
}

fn added(replica: ReplicaId, next: &NextChange, text: &str) -> BuiltChange {
    let entry = Entry {
        text: text.trim().into(),
        book: BookName::memory(),
        written: Stamp::at(next.seq),
        by: String::new(),
        device: "laptop".into(),
        source: None,
        labels: Default::default(),
        position: Position::default(),
        replaces: Vec::new(),
        scope: Scope::Profile,
        more: Default::default(),
    };
    let id = EntryId { replica, counter: next.start_op as u32, nonce: 5 };
    change::build(next, &[Put::Add(id, entry)]).expect("a change of one small entry can be built")
}

/// A gapless run of one replica's stream that begins at 1.
fn run(replica: ReplicaId, stream: Stream, contents: &[Content]) -> Vec<Record> {
    let (mut previous, mut seq, mut start_op, mut last) = (RecordHash::NONE, 0, 0, None);
    let records = contents.iter().zip(1..).map(|(content, number)| {
        let (kind, payload) = match content {
            Content::Bytes(kind, bytes) => (Kind(*kind), Payload::Present(bytes.clone())),
            Content::Erased(kind) => (Kind(*kind), Payload::Erased([3; 32])),
            Content::Add(text, follows, jump) => {
                (seq, start_op) = (seq + 1, start_op + jump);
                let foreign = ChangeHash([*jump as u8; 32]);
                let dependencies = last.filter(|_| *follows).into_iter().chain([foreign]).collect();
                let built = added(replica, &NextChange { actor: replica, seq, start_op, dependencies }, text);
                last = Some(built.hash);
                (Kind::CHANGE, Payload::Present(built.bytes))
            }
        };
        let name = RecordName { replica, stream, seq: number };
        let record = Record { name, previous, kind, payload };
        previous = record.hash();
        record
    });
    records.collect()
}

fn any_run() -> impl Strategy<Value = Vec<Record>> {
    let stream = prop::sample::select(&Stream::ALL[..]);
    (any::<[u8; 16]>(), stream, vec(any_content(), 1..40))
        .prop_map(|(replica, stream, contents)| run(ReplicaId(replica), stream, &contents))
}

proptest! {
    #[test]
    fn a_run_reads_back_from_its_segment(records in any_run()) {
        prop_assert_eq!(fit(&records), records.len());
        for effort in [Effort::Quick, Effort::Thorough] {
            let segment = decode(&encode(&records, effort).unwrap()).unwrap();
            prop_assert_eq!(&segment.records, &records);
        }
    }

    #[test]
    fn a_run_cut_into_segments_is_the_same_run(records in any_run(), cut in any::<prop::sample::Index>()) {
        let (front, back) = records.split_at(cut.index(records.len()));
        let mut read = Vec::new();
        for part in [front, back] {
            if !part.is_empty() {
                read.extend(decode(&encode(part, Effort::Quick).unwrap()).unwrap().records);
            }
        }
        prop_assert_eq!(read, records);
    }

    #[test]
    fn a_changed_segment_is_never_another_run(
        records in any_run(),
        at in any::<prop::sample::Index>(),
        change in 1..=255u8,
    ) {
        let mut bytes = encode(&records, Effort::Quick).unwrap();
        let at = at.index(bytes.len());
        bytes[at] ^= change;
        prop_assert!(decode(&bytes).is_err());
    }

    #[test]
    fn names_are_injective(first in 1..u64::MAX, more in any::<u64>(), hash in any::<[u8; 32]>()) {
        let name = SegmentName::new(first, first.saturating_add(more), &hash);
        prop_assert_eq!(name.to_string().parse(), Ok(name));
    }

    #[test]
    fn a_name_has_one_spelling(text in "[0-9]{1,3}to[0-9]{1,3}h[a-z2-7]{14,17}\\.seg") {
        if let Ok(name) = text.parse::<SegmentName>() {
            prop_assert_eq!(name.to_string(), text);
        }
    }

    #[test]
    fn unsqueezing_anything_panics_nobody_and_squeezing_undoes_it(
        form in 0..3u8,
        mut rest in vec(any::<u8>(), 0..100),
        hash in any::<[u8; 32]>(),
    ) {
        let replica = ReplicaId([7; 16]);
        let link = Link { hash: ChangeHash(hash), seq: 4, start_op: 9 };
        rest.insert(0, form);
        if let Some((chunk, next)) = squeeze::unsqueeze(&rest, Some(&link), replica)
            && let Some((squeezed, again)) = squeeze::squeeze(&chunk, Some(&link), replica)
        {
            prop_assert_eq!(again, next);
            prop_assert_eq!(squeeze::unsqueeze(&squeezed, Some(&link), replica), Some((chunk, next)));
        }
    }

    #[test]
    fn any_bytes_are_a_segment_or_a_problem(bytes in vec(any::<u8>(), 0..300)) {
        memlore_testing::check_segment(&[&b"memlore\x1a\x01\0"[..], &bytes].concat());
        memlore_testing::check_change(&bytes);
    }
}
