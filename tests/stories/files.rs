//! What other programs do to a view's file, and what they leave beside it.

use memlore_testing::{At, Network};
use std::fs::OpenOptions;
use std::io::Write as _;

/// What becomes of a file's bytes; nothing when the file goes too.
type Damage = fn(Vec<u8>) -> Option<Vec<u8>>;

/// Appends to the view as a shell redirect does.
fn append(net: &Network, at: At, bytes: &str) {
    let mut file = OpenOptions::new().append(true).create(true).open(net.at(at).view_path()).unwrap();
    file.write_all(bytes.as_bytes()).unwrap();
}

#[test]
fn what_a_shell_appends_is_there_after_the_next_replace() {
    for tail in ["\n§\nE2\n§\nE3\n", "\n§\nE2\n§\nE3"] {
        let mut net = Network::default();
        let [ada, bob] = net.devices(["ada", "bob"]);
        net.add(ada, "E1");
        append(&net, ada, tail);
        net.replace(ada, "E1", "E1b");
        net.settle();
        assert_eq!(net.texts(bob), ["E1b", "E2", "E3"]);
    }
}

#[test]
fn a_file_that_lost_its_content_removes_nothing() {
    let texts: Vec<String> = (0..12).map(|n| format!("entry number {n} about café")).collect();
    let damages: [(&str, Damage); 6] = [
        ("empty", |_| Some(Vec::new())),
        ("missing", |_| None),
        ("all NUL", |view| Some(vec![0; view.len()])),
        ("cut inside a letter", |view| {
            let cut = view.windows(2).rposition(|pair| pair == "é".as_bytes()).unwrap() + 1;
            Some(view[..cut].to_vec())
        }),
        ("cut at six tenths", |view| Some(view[..view.len() * 6 / 10].to_vec())),
        ("padded with NUL", |mut view| {
            view.extend([0; 50]);
            Some(view)
        }),
    ];
    for (name, damage) in damages {
        let mut net = Network::default();
        let [ada, bob] = net.devices(["ada", "bob"]);
        for text in &texts {
            net.add(ada, text);
        }
        net.meet(ada, bob);
        let happened = net.happened().clone();
        let view = net.at(ada).view();
        let path = net.at(ada).view_path();
        match damage(view.clone()) {
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
            None => std::fs::remove_file(&path).unwrap(),
        }
        let warnings = net.import(ada);
        assert_eq!(*net.happened(), happened, "{name}");
        assert_eq!(warnings.is_empty(), name == "padded with NUL", "{name}: {warnings:?}");
        assert_eq!(net.at(ada).view(), view, "{name}");
        net.deliver(ada, bob);
        assert_eq!(net.texts(bob), texts, "{name}");
        texts.iter().for_each(|text| net.remove(ada, text));
        net.settle();
        assert!(net.texts(bob).is_empty());
    }
}

#[test]
fn a_home_that_is_gone_for_a_while_removes_nothing() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    net.add(ada, "tea");
    net.meet(ada, bob);
    let home = net.at(ada).home();
    let away = home.with_file_name("unmounted");
    std::fs::rename(&home, &away).unwrap();
    net.add(ada, "coffee");
    assert!(!home.exists(), "a folder that is not mounted must not be made");
    std::fs::rename(&away, &home).unwrap();
    net.settle();
    assert_eq!(net.texts(bob), ["tea", "coffee"]);
}

/// Names that sync programs give to the second of two files that met.
const COPIES: [&str; 9] = [
    "MEMORY-LAPTOP7.md",
    "MEMORY-LAPTOP7-LAPTOP7.md",
    "MEMORY-LAPTOP7-2.md",
    "MEMORY (someone's conflicted copy 2026-01-02).md",
    "MEMORY.sync-conflict-20260102-101010-ABCDEF7.md",
    "MEMORY (1).md",
    "MEMORY (conflicted copy 2026-01-02 101010).md",
    "MEMORY 2.md",
    "MEMORY.conflict1.md",
];

#[test]
fn a_conflict_copy_adds_what_it_has_once_and_removes_nothing() {
    for name in COPIES {
        let mut net = Network::default();
        let [ada, bob] = net.devices(["ada", "bob"]);
        for text in ["a", "b", "c", "d"] {
            net.add(ada, text);
        }
        let copy = net.at(ada).view_path().with_file_name(name);
        let lay = || std::fs::write(&copy, "a\n§\nb\n§\ne").unwrap();
        lay();
        net.import(ada);
        assert_eq!(net.texts(ada), ["a", "b", "c", "d", "e"], "{name}");
        let happened = net.happened().clone();
        lay();
        net.import(ada);
        assert_eq!(*net.happened(), happened, "{name}");
        net.remove(ada, "e");
        lay();
        net.import(ada);
        net.settle();
        assert_eq!(net.texts(bob), ["a", "b", "c", "d"], "{name}");
    }
}

#[test]
fn two_devices_that_see_one_copy_make_one_entry_of_it() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    net.add(ada, "a");
    net.meet(ada, bob);
    for at in [ada, bob] {
        std::fs::write(net.at(at).view_path().with_file_name("MEMORY-PC2.md"), "a\n§\ne").unwrap();
        net.import(at);
    }
    net.settle();
    assert_eq!(net.texts(ada), ["a", "e"]);
    assert_eq!(net.try_remove(bob, "e", None).unwrap().len(), 1);
    net.settle();
    assert_eq!(net.texts(ada), ["a"]);
}

#[test]
fn somebody_elses_file_beside_the_view_is_left_alone() {
    let mut net = Network::default();
    let [ada, _bob] = net.devices(["ada", "bob"]);
    net.add(ada, "a");
    for (name, content) in [("MEMORY-notes.md", "# My own notes\n"), ("MEMORY.md.bak.1", "a\n§\nz")] {
        let path = net.at(ada).view_path().with_file_name(name);
        std::fs::write(&path, content).unwrap();
        net.import(ada);
        assert_eq!(std::fs::read_to_string(path).unwrap(), content);
    }
    assert_eq!(net.texts(ada), ["a"]);
}

#[test]
fn damaged_and_empty_files_in_the_share_hurt_nobody() {
    let mut net = Network::default();
    let [ada, bob] = net.devices(["ada", "bob"]);
    for n in 0..6 {
        net.add(ada, &format!("entry {n}"));
        net.exchange(ada);
    }
    net.carry(ada, bob, memlore_testing::Carelessness::None);
    let segments = segments_below(&net.at(bob).share());
    assert!(segments.len() >= 6);
    for (number, path) in segments.iter().enumerate() {
        let whole = std::fs::read(path).unwrap();
        let broken = match number % 4 {
            0 => Vec::new(),
            1 => whole[..whole.len() * 6 / 10].to_vec(),
            2 => vec![0; whole.len()],
            _ => [whole.clone(), vec![0; 50]].concat(),
        };
        std::fs::write(path, broken).unwrap();
    }
    net.exchange(bob);
    assert!(net.texts(bob).len() < 6);
    net.settle();
    assert_eq!(net.texts(bob).len(), 6);
}

fn segments_below(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten().map(|entry| entry.path());
    let mut segments: Vec<_> = entries
        .flat_map(|path| match path.is_dir() {
            true => segments_below(&path),
            false => vec![path],
        })
        .filter(|path| path.extension().is_some_and(|ending| ending == "seg"))
        .collect();
    segments.sort();
    segments
}
