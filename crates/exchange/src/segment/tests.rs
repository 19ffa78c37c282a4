use super::*;
use memlore_model::{
    BookName, Entry, EntryId, Kind, NextChange, Payload, Position, Put, RecordName, Scope, Stamp, change,
};

const REPLICA: ReplicaId = ReplicaId([7; 16]);

/// A gapless run that begins at 1, of these kinds and payloads.
fn run(stream: Stream, payloads: impl IntoIterator<Item = (Kind, Payload)>) -> Vec<Record> {
    let mut previous = RecordHash::NONE;
    let named = payloads.into_iter().zip(1..);
    let records = named.map(|((kind, payload), seq)| {
        let name = RecordName { replica: REPLICA, stream, seq };
        let record = Record { name, previous, kind, payload };
        previous = record.hash();
        record
    });
    records.collect()
}

fn messages(count: usize) -> Vec<Record> {
    let message = |at| format!(r#"{{"role":"user","content":"message {at}"}}"#).into_bytes();
    run(Stream::Sessions, (0..count).map(|at| (Kind::MESSAGE, Payload::Present(message(at)))))
}

/// A chain of adds, as a replica writes them.
fn adds(count: u64) -> Vec<Record> {
    adds_of((1..=count).map(|seq| (format!("entry number {seq}"), 1_000_000 * seq, 77)))
}

/// A chain of adds of these texts, at these times, with these nonces.
fn adds_of(entries: impl Iterator<Item = (String, u64, u32)>) -> Vec<Record> {
    let (mut dependencies, mut position) = (Vec::new(), None);
    let changes = entries.zip(1..).map(|((text, us, nonce), seq)| {
        position = Some(Position::after(position.as_ref()));
        let entry = Entry {
            text,
            book: BookName::memory(),
            written: Stamp::at(1_764_511_200_000_000 + us),
            by: "hermes".into(),
            device: "laptop".into(),
            source: None,
            labels: Default::default(),
            position: position.clone().unwrap(),
            replaces: Vec::new(),
            scope: Scope::Profile,
            more: Default::default(),
        };
        let id = EntryId { replica: REPLICA, counter: seq as u32, nonce };
        let next = NextChange { actor: REPLICA, seq, start_op: seq, dependencies: dependencies.clone() };
        let built = change::build(&next, &[Put::Add(id, entry)]).unwrap();
        dependencies = vec![built.hash];
        (Kind::CHANGE, Payload::Present(built.bytes))
    });
    run(Stream::Memory, changes.collect::<Vec<_>>())
}

/// Entries of 60 characters that say little twice: words drawn from 4,000, times seconds to an hour apart.
fn varied_adds(count: u64) -> Vec<Record> {
    let mut us = 0;
    adds_of((0..count).map(|at| {
        let noise = blake3::hash(&at.to_le_bytes());
        let word = |pair: &[u8]| {
            let number = u16::from_le_bytes([pair[0], pair[1]]) % 4_000;
            blake3::hash(&number.to_le_bytes()).to_hex()[..5].to_owned()
        };
        let text: Vec<String> = noise.as_bytes()[..20].chunks(2).map(word).collect();
        let [nonce, step] =
            [20, 24].map(|at| u32::from_le_bytes(noise.as_bytes()[at..at + 4].try_into().unwrap()));
        us += u64::from(step);
        (format!("{:.60}", text.join(" ") + "."), us, nonce)
    }))
}

/// The bytes with the hash at their end made right again, as a hostile writer would.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let body_end = bytes.len() - header::HASH_BYTES;
    bytes.truncate(body_end);
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes
}

/// A segment with this body, made by hand; the header speaks of `count` records.
fn forged(body: &[u8], count: u64, flags: u16, body_bytes: u32) -> Vec<u8> {
    let header = header::Header {
        flags,
        stream: Stream::Memory,
        replica: REPLICA,
        previous: RecordHash::NONE,
        first: 1,
        last: count,
        body_bytes,
        stored_bytes: body.len() as u32,
    };
    let mut file = Vec::new();
    header.write(&mut file);
    file.extend_from_slice(body);
    file.extend_from_slice(&[0; header::HASH_BYTES]);
    sealed(file)
}

#[track_caller]
fn check_round_trip(records: &[Record]) {
    for effort in [Effort::Quick, Effort::Thorough] {
        let segment = decode(&encode(records, effort).unwrap()).unwrap();
        assert_eq!((segment.replica, segment.stream), (REPLICA, records[0].name.stream));
        assert_eq!(segment.records, records);
    }
}

#[test]
fn what_is_written_reads_back() {
    check_round_trip(&messages(1));
    check_round_trip(&messages(300));
    check_round_trip(&messages(300)[100..200]);
    check_round_trip(&adds(200));
    check_round_trip(&adds(200)[100..]);
}

#[test]
fn erased_unknown_and_damaged_payloads_travel_too() {
    let mut records = adds(12);
    let digest = records[3].payload.digest();
    records[3].payload = Payload::Erased(digest);
    check_round_trip(&records);

    let payload = |at: usize| adds(12)[at].payload.clone();
    let odd = [
        (Kind::CHANGE, payload(0)),
        (Kind::CURSOR, Payload::Present(b"{}".to_vec())),
        (Kind::CHANGE, payload(1)),
        (Kind(9_999), Payload::Present(vec![0xff; 300])),
        (Kind::CHANGE, Payload::Present(b"no change at all".to_vec())),
        (Kind::CHANGE, payload(2)),
        (Kind::CURSOR, Payload::Erased([4; 32])),
        (Kind::CHANGE, payload(3)),
        (Kind::CHANGE, Payload::Present(Vec::new())),
    ];
    check_round_trip(&run(Stream::Memory, odd));
}

#[test]
fn an_entry_of_60_characters_takes_less_than_100_bytes() {
    let records = varied_adds(1_000);
    for effort in [Effort::Quick, Effort::Thorough] {
        let bytes = encode(&records, effort).unwrap().len() / records.len();
        assert!(bytes < 100, "{effort:?}: {bytes} bytes an entry");
    }
}

#[test]
fn equal_records_make_equal_bytes() {
    assert_eq!(encode(&adds(50), Effort::Quick), encode(&adds(50), Effort::Quick));
}

#[test]
fn every_cut_and_every_flipped_bit_is_noticed() {
    let whole = encode(&adds(3), Effort::Quick).unwrap();
    for at in 0..whole.len() {
        assert!(decode(&whole[..at]).is_err(), "cut at {at}");
        for bit in 0..8 {
            let mut flipped = whole.clone();
            flipped[at] ^= 1 << bit;
            let problem = decode(&flipped).unwrap_err();
            let wanted = if at < 8 { SegmentProblem::NotSegment } else { SegmentProblem::Incomplete };
            assert_eq!(problem, wanted, "bit {bit} of byte {at}");
        }
    }
    let padded = [&whole[..], &[0; 50]].concat();
    assert_eq!(decode(&padded), Err(SegmentProblem::Incomplete));
}

#[test]
fn a_flipped_bit_under_a_right_hash_panics_nobody() {
    for records in [adds(3), messages(3)] {
        let whole = encode(&records, Effort::Quick).unwrap();
        for at in 8..whole.len() - header::HASH_BYTES {
            for bit in 0..8 {
                let mut flipped = whole.clone();
                flipped[at] ^= 1 << bit;
                if let Ok(segment) = decode(&sealed(flipped)) {
                    assert_eq!(segment.records.len(), records.len());
                }
            }
        }
    }
}

#[test]
fn the_fields_stand_where_the_format_says() {
    let records = adds(5);
    let bytes = encode(&records[2..], Effort::Quick).unwrap();
    assert_eq!(&bytes[..8], b"memlore\x1a");
    assert_eq!(bytes[8..16], [1, 0, 88, 0, 1, 0, 1, 0]);
    assert_eq!(bytes[16..32], REPLICA.0);
    assert_eq!(bytes[32..64], records[1].hash().0);
    assert_eq!(bytes[64..72], 3u64.to_le_bytes());
    assert_eq!(bytes[72..80], 5u64.to_le_bytes());
    assert_eq!(bytes[84..88], ((bytes.len() - 120) as u32).to_le_bytes());
    assert_eq!(bytes[bytes.len() - 32..], *blake3::hash(&bytes[..bytes.len() - 32]).as_bytes());
}

#[test]
fn a_plain_body_is_laid_out_as_the_format_says() {
    // Three records: a message, an erased message, one of a kind of the future.
    let body = [&[16, 0, 2][..], b"{}", &[16, 2, 32], &[9; 32], &[0xff, 0x01, 0, 0]].concat();
    let records = decode(&forged(&body, 3, 0, body.len() as u32)).unwrap().records;
    let payloads: Vec<_> = records.into_iter().map(|record| (record.kind, record.payload)).collect();
    let wanted = [
        (Kind::MESSAGE, Payload::Present(b"{}".to_vec())),
        (Kind::MESSAGE, Payload::Erased([9; 32])),
        (Kind(255), Payload::Present(Vec::new())),
    ];
    assert_eq!(payloads, wanted);
}

#[test]
fn a_longer_header_of_a_later_minor_version_is_passed_over() {
    let records = messages(4);
    let mut bytes = encode(&records, Effort::Quick).unwrap();
    bytes[9] = 7;
    bytes[10] = 92;
    bytes.splice(88..88, [1, 2, 3, 4]);
    assert_eq!(decode(&sealed(bytes)).unwrap().records, records);
}

#[test]
fn whatever_a_later_version_changed_says_so() {
    let newer = |at: usize, value: u8| {
        let mut bytes = encode(&messages(4), Effort::Quick).unwrap();
        bytes[at] = value;
        decode(&sealed(bytes))
    };
    for (at, value) in [(8, 2), (12, 3), (12, 5), (13, 0x80), (14, 3)] {
        assert!(matches!(newer(at, value), Err(SegmentProblem::Newer { .. })), "byte {at}");
    }
    let encoding = forged(&[1, 9, 0], 1, 0, 3);
    assert!(matches!(decode(&encoding), Err(SegmentProblem::Newer { .. })));
}

#[test]
fn forged_lengths_are_refused() {
    let malformed = |bytes: Vec<u8>| {
        let problem = decode(&bytes);
        assert!(matches!(problem, Err(SegmentProblem::Malformed(_))), "{problem:?}");
    };
    let long = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    malformed(forged(&[&[16, 0][..], &long].concat(), 1, 0, 12));
    malformed(forged(&[&long[..], &[0, 0]].concat(), 1, 0, 12));
    malformed(forged(&[16, 0, 5, 1], 1, 0, 4));
    malformed(forged(&[16, 2, 5, 1, 2, 3, 4, 5], 1, 0, 8));
    malformed(forged(&[16, 0, 0], MAX_RECORDS as u64, 0, 3));
    malformed(forged(&[16, 0, 0], MAX_RECORDS as u64 + 1, 0, 3));
    malformed(forged(&[16, 0, 0], u64::MAX, 0, 3));
    malformed(forged(&[16, 0, 0], 0, 0, 3));
    malformed(forged(&[16, 0, 0, 0], 1, 0, 4));
    malformed(forged(&[16, 0, 0], 1, 0, 4));
    malformed(forged(&[16, 0, 0], 1, 0, u32::MAX));
    malformed(forged(&[16, 0, 0], 1, header::COMPRESSED, 3));
}

#[test]
fn a_bomb_does_not_go_off() {
    let bomb = zstd::bulk::compress(&vec![0; 200 << 20], 1).unwrap();
    for body_bytes in [0, 1 << 20, MAX_RUN_BYTES as u32, u32::MAX] {
        let bytes = forged(&bomb, 1, header::COMPRESSED, body_bytes);
        assert!(matches!(decode(&bytes), Err(SegmentProblem::Malformed(_))));
    }
}

#[test]
fn squeezed_changes_cannot_grow_without_bound() {
    // Each squeezed change of four bytes becomes a chunk of more than thirty.
    let count = MAX_RECORDS as u64;
    let mut body = Vec::new();
    for _ in 0..count {
        body.extend_from_slice(&[1, 1, 4, 0, 0, 1, 1]);
    }
    let segment = decode(&forged(&body, count, 0, body.len() as u32)).unwrap();
    let bytes: usize =
        segment.records.iter().filter_map(|record| record.payload.bytes()).map(<[u8]>::len).sum();
    assert!(bytes <= MAX_RUN_BYTES);
}

#[test]
fn only_a_run_makes_a_segment() {
    let records = messages(5);
    assert_eq!(encode(&[], Effort::Quick), Err(EncodeProblem::Empty));
    let without_the_third = [&records[..2], &records[3..]].concat();
    assert_eq!(encode(&without_the_third, Effort::Quick), Err(EncodeProblem::NoRun { seq: 4 }));
    let twice = [&records[..2], &records[1..]].concat();
    assert_eq!(encode(&twice, Effort::Quick), Err(EncodeProblem::NoRun { seq: 2 }));
    let mut other_chain = records.clone();
    other_chain[2].previous = RecordHash([1; 32]);
    assert_eq!(encode(&other_chain, Effort::Quick), Err(EncodeProblem::NoRun { seq: 3 }));
    let mut other_stream = records.clone();
    other_stream[2].name.stream = Stream::Memory;
    assert_eq!(encode(&other_stream, Effort::Quick), Err(EncodeProblem::NoRun { seq: 3 }));
    let mut no_beginning = records;
    no_beginning[0].previous = RecordHash([1; 32]);
    assert_eq!(encode(&no_beginning, Effort::Quick), Err(EncodeProblem::NoRun { seq: 1 }));
}

#[test]
fn a_run_too_large_is_cut_where_fit_says() {
    let large = |bytes: usize| (Kind::MESSAGE, Payload::Present(vec![b'x'; bytes]));
    let records = run(Stream::Sessions, [large(MAX_PAYLOAD_BYTES), large(MAX_PAYLOAD_BYTES), large(1)]);
    assert_eq!((fit(&records), fit(&records[1..]), fit(&[])), (1, 2, 0));
    assert!(matches!(encode(&records, Effort::Quick), Err(EncodeProblem::TooMuch { .. })));
    assert_eq!(decode(&encode(&records[1..], Effort::Quick).unwrap()).unwrap().records, records[1..]);

    let beyond = run(Stream::Sessions, [large(MAX_PAYLOAD_BYTES + 1)]);
    let problem = EncodeProblem::Payload { seq: 1, bytes: MAX_PAYLOAD_BYTES + 1 };
    assert_eq!(encode(&beyond, Effort::Quick), Err(problem));
}

#[test]
fn a_payload_that_does_not_compress_stands_as_it_is() {
    let mut noise = vec![0; 100_000];
    blake3::Hasher::new().finalize_xof().fill(&mut noise);
    let records = run(Stream::Sessions, [(Kind::MESSAGE, Payload::Present(noise))]);
    let bytes = encode(&records, Effort::Thorough).unwrap();
    assert_eq!(bytes[12], 0);
    assert_eq!(decode(&bytes).unwrap().records, records);
}

#[test]
fn a_change_leans_on_the_one_before_it_across_other_records() {
    let change = |at: usize| (Kind::CHANGE, adds(2)[at].payload.clone());
    let cursor = (Kind::CURSOR, Payload::Present(vec![b'{']));
    let apart = run(Stream::Memory, [change(0), cursor, change(1)]);
    let cursor_bytes = 4;
    assert_eq!(body::write(&apart).len(), body::write(&adds(2)).len() + cursor_bytes);
    check_round_trip(&apart);
}
