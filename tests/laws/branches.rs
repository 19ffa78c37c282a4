//! Copies of one replica wrote under one id: whatever order their records arrive in, all branches live everywhere.

use memlore_exchange::{Effort, Folder, decode, publish};
use memlore_model::change::{NextChange, build};
use memlore_model::{
    BookName, ChangeHash, Entry, EntryId, Kind, Payload, Position, Put, Record, RecordHash, RecordName,
    ReplicaId, Scope, Stamp, Stream,
};
use memlore_testing::{At, Network};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The end of a chain of records that copies of one replica may go on from.
#[derive(Clone)]
struct Chain {
    stream: Stream,
    records: Vec<Record>,
    change: Option<ChangeHash>,
    changes: u64,
    max_op: u64,
}

impl Chain {
    fn new(stream: Stream) -> Self {
        Self { stream, records: Vec::new(), change: None, changes: 0, max_op: 0 }
    }

    fn hash(&self) -> RecordHash {
        self.records.last().map_or(RecordHash::NONE, Record::hash)
    }

    fn append(&mut self, replica: ReplicaId, kind: Kind, payload: Vec<u8>) {
        let name = RecordName { replica, stream: self.stream, seq: self.records.len() as u64 + 1 };
        let record = Record { name, previous: self.hash(), kind, payload: Payload::Present(payload) };
        self.records.push(record);
    }

    fn say(&mut self, replica: ReplicaId, number: usize) {
        // Some copies say the same at the same time.
        let (flush, text) = (number / 2, format!("word {}", number / 2));
        let told = json!({
            "session": "talk", "at": 1_796_047_200_000_000_u64 + self.records.len() as u64, "flush": flush,
            "device": "copied", "message": {"role": "user", "content": text},
        });
        self.append(replica, Kind::MESSAGE, told.to_string().into_bytes());
    }

    fn add(&mut self, replica: ReplicaId, text: &str, nonce: u32) {
        let start_op = self.max_op + 1;
        let id = EntryId { replica, counter: start_op as u32, nonce };
        let entry = Entry {
            text: text.to_owned(),
            book: BookName::memory(),
            written: Stamp { us: 1_796_047_200_000_000 + start_op, logical: 0 },
            by: String::new(),
            device: "copied".to_owned(),
            source: None,
            labels: BTreeMap::new(),
            position: Position::default(),
            replaces: Vec::new(),
            scope: Scope::Profile,
            more: serde_json::Map::new(),
        };
        let dependencies = self.change.into_iter().collect();
        let next = NextChange { actor: replica, seq: self.changes + 1, start_op, dependencies };
        let built = build(&next, &[Put::Add(id, entry)]).unwrap();
        self.append(replica, Kind::CHANGE, built.bytes);
        (self.change, self.max_op) = (Some(built.hash), built.max_op);
        self.changes += 1;
    }
}

/// Every chain that copies of one replica ended with, forked anywhere; and how many texts or messages there are.
fn chains(net: &Network, replica: ReplicaId, stream: Stream) -> (Vec<Chain>, usize) {
    let mut chains = vec![Chain::new(stream)];
    let mut texts = 0;
    for _ in 0..2 + net.random(12) {
        let mut chain = chains[net.random(chains.len())].clone();
        if net.random(3) > 0 {
            // A copy of an older state.
            let kept = net.random(chain.records.len() + 1);
            let mut older = Chain::new(stream);
            for record in &chain.records[..kept] {
                older.records.push(record.clone());
                if record.kind == Kind::CHANGE {
                    let change = memlore_model::change::read(record.payload.bytes().unwrap()).unwrap();
                    (older.change, older.max_op) = (Some(change.hash), change.max_op);
                    older.changes += 1;
                }
            }
            chain = older;
        }
        for _ in 0..=net.random(4) {
            texts += 1;
            if net.random(5) == 0 {
                chain.append(replica, Kind(77), format!("unknown {texts}").into_bytes());
                texts -= 1;
            } else if stream == Stream::Sessions {
                chain.say(replica, texts);
            } else {
                chain.add(replica, &format!("text {texts}"), texts as u32);
            }
        }
        chains.push(chain);
    }
    (chains, texts)
}

/// Lets random runs of random chains arrive in a replica's share, with exchanges in between; in the end all of them.
fn arrive(net: &mut Network, at: At, chains: &[Chain]) {
    let share = Folder::new(net.at(at).share(), net.at(at).home());
    for round in 0..40 {
        let chain = &chains[net.random(chains.len())].records;
        if chain.is_empty() {
            continue;
        }
        let first = net.random(chain.len());
        let last = first + 1 + net.random(chain.len() - first);
        publish(&share, &chain[first..last], Effort::Quick).unwrap();
        if round % 3 == 0 {
            net.exchange(at);
        }
    }
    for chain in chains.iter().filter(|chain| !chain.records.is_empty()) {
        publish(&share, &chain.records, Effort::Quick).unwrap();
    }
    net.exchange(at);
}

/// The one conversation, as a replica shows it.
fn talk(net: &mut Network, at: At) -> Vec<String> {
    let mut lines = Vec::new();
    let mut take = |line: &str| {
        lines.push(line.to_owned());
        Ok(())
    };
    // Nobody may have said anything.
    net.store(at).export_session("talk", &mut take).ok();
    lines
}

/// How many histories are played.
fn histories() -> u64 {
    std::env::var("MEMLORE_HISTORIES").ok().and_then(|count| count.parse().ok()).unwrap_or(8)
}

#[test]
fn branches_follow_from_the_records_whatever_order_they_came_in() {
    for seed in 0..histories() {
        let mut net = Network::new(seed);
        let all = net.devices(["one", "two", "three"]);
        let copied = ReplicaId([9; 16]);
        let (mut chains, texts) = (Vec::new(), Stream::ALL.map(|stream| chains(&net, copied, stream)));
        let [texts, words] = texts.map(|(of_stream, count)| {
            chains.extend(of_stream);
            count
        });
        for at in all {
            arrive(&mut net, at, &chains);
        }
        for at in all {
            assert_eq!(net.texts(at).len(), texts, "seed {seed}: nothing is lost");
            assert_eq!(net.texts(at), net.texts(all[0]), "seed {seed}");
            assert_eq!(net.context(at), net.context(all[0]), "seed {seed}: the same branches");
            assert_eq!(talk(&mut net, at), talk(&mut net, all[0]), "seed {seed}");
            assert_eq!(
                talk(&mut net, at).len(),
                (1..=words).map(|number| number / 2).collect::<BTreeSet<_>>().len()
            );
            assert_eq!(net.store(at).status().unwrap().share.unwrap().waiting, Vec::<String>::new());
            for check in net.store(at).doctor(false, true).unwrap() {
                assert!(check.ok, "seed {seed}: {}: {}", check.name, check.detail);
            }
        }
        net.settle();
        // What nobody carries any more goes out again, branch by branch, and is whole for a new device.
        let share = net.at(all[0]).share();
        fs::remove_dir_all(share.join("r")).unwrap();
        let named = share.to_str().unwrap().to_owned();
        net.store(all[0]).sync(Some(&named)).unwrap();
        let new = net.replica("new");
        net.deliver(all[0], new);
        assert_eq!(net.texts(new), net.texts(all[0]), "seed {seed}: rescued");
        assert_eq!(talk(&mut net, new), talk(&mut net, all[0]), "seed {seed}: rescued");
        assert_eq!(net.exchange(all[0]).published_records, 0, "seed {seed}: once is enough");
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    fs::set_permissions(to, fs::metadata(from).unwrap().permissions()).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A laptop whose state and home are set back, unnoticed, after it wrote on: what was written before and after.
fn set_back(net: &mut Network, laptop: At, phone: At, desk: At) {
    let place = net.at(laptop).home().parent().unwrap().to_owned();
    net.add(laptop, "common");
    net.deliver(laptop, phone);
    net.deliver(laptop, desk);
    net.add(laptop, "gone everywhere");
    net.deliver(laptop, phone);
    copy_folder(&place, &place.with_extension("backup"));
    net.add(laptop, "before 1");
    net.replace(laptop, "common", "common, told again");
    net.deliver(laptop, phone);
    net.add(laptop, "never shared");
    net.close(laptop);
    fs::remove_dir_all(&place).unwrap();
    copy_folder(&place.with_extension("backup"), &place);
    net.add(laptop, "after 1");
    net.remove(laptop, "gone everywhere");
    net.add(laptop, "after 2");
    net.deliver(laptop, desk);
}

#[test]
fn a_replica_that_was_set_back_and_wrote_on_loses_neither_branch() {
    let mut net = Network::new(7);
    let [laptop, phone, desk] = net.devices(["laptop", "phone", "desk"]);
    set_back(&mut net, laptop, phone, desk);
    let id = net.store(laptop).status().unwrap().replica;
    // The two that each know one branch meet first; the laptop learns of it last.
    net.meet(phone, desk);
    let expected = ["after 1", "after 2", "before 1", "common, told again"];
    for at in [phone, desk] {
        let mut texts = net.texts(at);
        texts.sort();
        assert_eq!(texts, expected);
    }
    net.add(laptop, "after 3");
    net.run_until_quiet();
    assert_ne!(net.store(laptop).status().unwrap().replica, id, "it goes on under a new id");
    for at in net.all() {
        let mut texts = net.texts(at);
        texts.sort();
        assert_eq!(texts, ["after 1", "after 2", "after 3", "before 1", "common, told again"]);
    }
    net.add(laptop, "under the new id");
    net.run_until_quiet();
    for at in net.all() {
        assert_eq!(net.context(at), net.context(laptop));
        assert_eq!(net.texts(at), net.texts(laptop));
        assert_eq!(net.texts(at).len(), 6);
        for check in net.store(at).doctor(false, true).unwrap() {
            assert!(check.ok, "{}: {}", check.name, check.detail);
        }
    }
}

#[test]
fn a_replica_that_was_set_back_learns_of_it_from_records_that_wait() {
    let mut net = Network::new(9);
    let [laptop, phone] = net.devices(["laptop", "phone"]);
    let place = net.at(laptop).home().parent().unwrap().to_owned();
    net.add(laptop, "kept");
    net.exchange(laptop);
    net.close(laptop);
    copy_folder(&place, &place.with_extension("backup"));
    for text in ["lost on the way", "published"] {
        net.add(laptop, text);
        net.exchange(laptop);
    }
    let id = net.store(laptop).status().unwrap().replica;
    let missing = segment_of(net.at(laptop).share(), id, 2);
    let published = segment_of(net.at(laptop).share(), id, 3);
    let [late, early] = [&missing, &published].map(|path| fs::read(path).unwrap());
    net.close(laptop);
    fs::remove_dir_all(&place).unwrap();
    copy_folder(&place.with_extension("backup"), &place);
    fs::write(&published, early).unwrap();
    assert_eq!(net.exchange(laptop).waiting.len(), 1);
    assert_ne!(net.store(laptop).status().unwrap().replica, id, "it goes on under a new id");
    net.add(laptop, "after");
    fs::write(&missing, late).unwrap();
    net.run_until_quiet();
    assert_eq!(net.texts(phone).len(), 4);
    for at in net.all() {
        let mut texts = net.texts(at);
        texts.sort();
        assert_eq!(texts, ["after", "kept", "lost on the way", "published"]);
    }
}

#[test]
fn a_context_still_means_what_was_seen_when_the_stream_forks_later() {
    let mut net = Network::new(8);
    let [laptop, phone, desk] = net.devices(["laptop", "phone", "desk"]);
    set_back(&mut net, laptop, phone, desk);
    let (seen_by_phone, seen_by_desk) = (net.context(phone), net.context(desk));
    net.run_until_quiet();
    for at in [phone, desk, laptop] {
        let not_seen = net.try_remove(at, "after 1", Some(seen_by_phone.clone()));
        assert!(not_seen.is_err(), "the phone had not seen what the laptop wrote after it was set back");
        let not_seen = net.try_remove(at, "before 1", Some(seen_by_desk.clone()));
        assert!(not_seen.is_err(), "nor the desk what it wrote before");
    }
    net.try_remove(phone, "before 1", Some(seen_by_phone)).unwrap();
    net.try_remove(phone, "after 1", Some(seen_by_desk)).unwrap();
    net.run_until_quiet();
    for at in net.all() {
        let mut texts = net.texts(at);
        texts.sort();
        assert_eq!(texts, ["after 2", "common, told again"]);
    }
}

/// The segment of a replica's memory that begins with a record.
fn segment_of(share: PathBuf, replica: ReplicaId, first: u64) -> PathBuf {
    let folder = share.join(format!("r/{replica}/m"));
    let mut paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let begins = |path: &PathBuf| {
        let segment = decode(&fs::read(path).unwrap()).unwrap();
        segment.first() == first
    };
    paths.find(begins).unwrap()
}
