//! Whatever somebody puts into a share: it is reported at most, and what honest replicas wrote comes in beside it.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

use memlore_exchange::{Effort, Folder, SegmentName, decode, encode, publish};
use memlore_model::{BookName, Kind, Payload, Record, RecordHash, RecordName, ReplicaId, Stream};
use memlore_store::Store;
use memlore_store::answer::{Answered, Synced};
use memlore_store::ask::{Add, Init, ListQuery};
use memlore_testing::{Network, repair_change, seal_segment};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MALLORY: ReplicaId = ReplicaId([0x66; 16]);

/// More than any of these takes, even on a busy machine, and far less than what would be a fault.
const LONGEST: Duration = Duration::from_secs(60);
const MOST_MEMORY_KB: u64 = 400 * 1024;

/// A share with one honest replica's entry in it, and a replica that has not seen it yet.
struct Share {
    place: tempfile::TempDir,
    bob: Store,
}

impl Share {
    fn new() -> Self {
        let place = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let (net, share) = (Network::new(1), place.path().join("share"));
        fs::create_dir(&share).unwrap();
        let init = Init { share: share.to_str().map(str::to_owned), ..Init::default() };
        let [mut ada, bob] = ["ada", "bob"].map(|name| {
            let folder = |part: &str| place.path().join(name).join(part);
            let open = || net.open_at(name, &folder("home"), &folder("state"));
            drop(Store::init(open(), &init).unwrap());
            Store::open(open()).unwrap()
        });
        drop(ada.add(&Add::new(BookName::memory(), "tea over coffee")).unwrap());
        drop(ada.sync(None).unwrap());
        Self { place, bob }
    }

    fn folder(&self) -> PathBuf {
        self.place.path().join("share")
    }

    /// The folder in which Mallory's memory stream would lie.
    fn mallorys(&self) -> PathBuf {
        let folder = self.folder().join(format!("r/{MALLORY}/m"));
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    /// The payload of the entry that the honest replica wrote.
    fn honest_change(&self) -> Vec<u8> {
        let mut changes = segments_below(&self.folder()).into_iter().filter_map(|path| {
            let segment = decode(&fs::read(path).unwrap()).ok()?;
            segment.records[0].payload.bytes().map(<[u8]>::to_vec)
        });
        changes.next().unwrap()
    }

    /// Exchanges, within bounds; what the honest replica wrote has to be here then, and nothing else.
    fn take_in(&mut self) -> Answered<Synced> {
        let begun = Instant::now();
        let synced = self.bob.sync(None).unwrap();
        assert!(begun.elapsed() < LONGEST, "{:?}", begun.elapsed());
        assert!(most_memory_kb() < MOST_MEMORY_KB, "{} kB", most_memory_kb());
        assert_eq!(synced.answer.share_problem, None);
        let listed = self.bob.list(&ListQuery::default()).unwrap();
        let texts: Vec<&str> = listed.entries.iter().map(|recalled| recalled.entry.text.as_str()).collect();
        assert_eq!(texts, ["tea over coffee"]);
        for check in self.bob.doctor(false, true).unwrap() {
            assert!(check.ok, "{}: {}", check.name, check.detail);
        }
        synced
    }
}

fn segments_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => found.extend(segments_below(&path)),
            path if path.extension().is_some_and(|ending| ending == "seg") => found.push(path),
            _ => {}
        }
    }
    found.sort();
    found
}

/// The most memory that this process ever had; nothing where the system does not say.
fn most_memory_kb() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// A hash that differs for each number.
fn hash_like(number: u64) -> [u8; 32] {
    let mut hash = [0; 32];
    hash[..8].copy_from_slice(&number.to_be_bytes());
    hash[24..].copy_from_slice(&number.to_be_bytes());
    hash
}

/// A run of Mallory's with these payloads.
fn run(stream: Stream, payloads: impl IntoIterator<Item = (Kind, Vec<u8>)>) -> Vec<Record> {
    let mut previous = RecordHash::NONE;
    let numbered = payloads.into_iter().zip(1..);
    let records = numbered.map(|((kind, payload), seq)| {
        let name = RecordName { replica: MALLORY, stream, seq };
        let record = Record { name, previous, kind, payload: Payload::Present(payload) };
        previous = record.hash();
        record
    });
    records.collect()
}

#[test]
fn bombs_and_forged_lengths_are_refused_and_told() {
    let mut share = Share::new();
    let whole = encode(&run(Stream::Memory, [(Kind(77), vec![0; 4_000_000])]), Effort::Quick).unwrap();
    // The header ends with the last record's number and the two lengths of the body, inflated and stored.
    for (number, forged) in [0, 1, 17, 1 << 20, 1 << 24, u32::MAX].into_iter().enumerate() {
        for place in [80, 84] {
            let mut file = whole[..whole.len() - 32].to_vec();
            file[place..place + 4].copy_from_slice(&forged.to_le_bytes());
            let name = SegmentName::new(1, 1 + number as u64, &[place as u8; 32]);
            fs::write(share.mallorys().join(name.to_string()), seal_segment(&file)).unwrap();
        }
    }
    for (number, last) in [2, 1_000, 65_536, u64::MAX].into_iter().enumerate() {
        let mut file = whole[..whole.len() - 32].to_vec();
        file[72..80].copy_from_slice(&last.to_le_bytes());
        let name = SegmentName::new(2, 2 + number as u64, &[9; 32]);
        fs::write(share.mallorys().join(name.to_string()), seal_segment(&file)).unwrap();
    }
    let told = share.take_in();
    assert!(told.warnings.len() >= 15, "{:?}", told.warnings);
    assert_eq!(share.take_in().warnings, Vec::<String>::new());
}

#[test]
fn a_file_larger_than_any_segment_is_not_read() {
    let mut share = Share::new();
    let path = share.mallorys().join(SegmentName::new(1, 1, &[1; 32]).to_string());
    fs::write(&path, b"memlore\x1a").unwrap();
    // Sparse: it takes no room, and whoever reads it needs four gigabytes.
    fs::File::options().append(true).open(&path).unwrap().set_len(4 << 30).unwrap();
    assert_eq!(share.take_in().warnings.len(), 1);
}

#[test]
fn changes_whose_checksums_were_made_right_are_kept_and_shown_to_nobody() {
    let mut share = Share::new();
    let honest = share.honest_change();
    let mut payloads = Vec::new();
    for at in 8..honest.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut broken = honest.clone();
            broken[at] ^= flip;
            payloads.push((Kind::CHANGE, repair_change(&broken)));
        }
    }
    let count = payloads.len();
    let mallorys = Folder::new(share.folder(), share.place.path());
    publish(&mallorys, &run(Stream::Memory, payloads.clone()), Effort::Quick).unwrap();
    publish(&mallorys, &run(Stream::Sessions, payloads), Effort::Quick).unwrap();
    assert_eq!(share.take_in().answer.records, 2 * count + 1);
}

#[test]
fn a_hundred_thousand_files_that_are_none_of_ours_stop_nobody() {
    let mut share = Share::new();
    let folder = share.mallorys();
    for number in 1..=50_000_u64 {
        fs::write(folder.join(format!("{number}.txt")), b"x").unwrap();
        let name = SegmentName::new(number, number, &hash_like(number));
        fs::write(folder.join(name.to_string()), b"x").unwrap();
    }
    assert_eq!(share.take_in().warnings.len(), 101);
    assert_eq!(share.take_in().warnings.len(), 0);
}
