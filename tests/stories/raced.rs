//! Somebody writes the file between our last look at it and our rename.

use memlore_model::BookName;
use memlore_store::ask::{Add, Init, ListQuery, Removal};
use memlore_store::{Open, Store};
use memlore_testing::Network;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How somebody else writes.
#[derive(Clone, Copy, Debug)]
enum Writes {
    IntoTheFile,
    AnotherFileInItsPlace,
}

/// Dialect, view, and what is put behind `E1` there.
const DIALECTS: [(&str, &str, &str); 4] = [
    ("hermes", "memories/MEMORY.md", "E1\n§\nE2\n§\nE3"),
    ("bullets", "MEMORY.md", "E1\n- E2\nA line of theirs.\n* E3"),
    ("section", "AGENTS.md", "E1\n- E2\n\n- E3"),
    ("gemini", "GEMINI.md", "E1\n- E2\n- E3"),
];

fn write(view: &Path, content: &str, writes: Writes) {
    match writes {
        Writes::IntoTheFile => fs::write(view, content).unwrap(),
        Writes::AnotherFileInItsPlace => {
            let new = view.with_extension("new");
            fs::write(&new, content).unwrap();
            fs::rename(&new, view).unwrap();
        }
    }
}

/// A place in which somebody else writes, once `armed`, at the moment when an operation draws an entry's nonce: it has
/// read the file by then, and has not replaced it.
fn raced(open: Open, view: PathBuf, with: &'static str, writes: Writes, armed: &Arc<AtomicU32>) -> Open {
    let (random, armed) = (open.random, Arc::clone(armed));
    let random = Box::new(move |bytes: &mut [u8]| {
        if armed.compare_exchange(1, 2, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            let content = fs::read_to_string(&view).unwrap();
            write(&view, &content.replacen("E1", with, 1), writes);
        }
        random(bytes);
    });
    Open { random, ..open }
}

#[test]
fn what_was_written_since_our_last_look_is_taken_in_and_not_overwritten() {
    for (dialect, view, with) in DIALECTS {
        for writes in [Writes::IntoTheFile, Writes::AnotherFileInItsPlace] {
            let net = Network::default();
            let folder = tempfile::tempdir().unwrap();
            let (home, state) = (folder.path().join("home"), folder.path().join("state"));
            let view = home.join(view);
            let init = Init { dialect: Some(dialect.to_owned()), ..Init::default() };
            drop(Store::init(net.open_at("desk", &home, &state), &init).unwrap());
            let armed = Arc::new(AtomicU32::new(0));
            let open = raced(net.open_at("desk", &home, &state), view.clone(), with, writes, &armed);
            let mut store = Store::open(open).unwrap();
            store.add(&Add::new(BookName::memory(), "E1")).unwrap();
            armed.store(1, Ordering::Relaxed);
            store.replace("E1", "E1b", &Removal::default()).unwrap();
            assert_eq!(armed.load(Ordering::Relaxed), 2, "somebody wrote meanwhile");
            let listed = store.list(&ListQuery::default()).unwrap();
            let texts: Vec<_> = listed.entries.iter().map(|entry| entry.entry.text.as_str()).collect();
            let shown = fs::read_to_string(&view).unwrap();
            for text in ["E1b", "E2", "E3"] {
                assert!(texts.contains(&text), "{dialect} {writes:?} {texts:?}");
                assert!(shown.contains(text), "{dialect} {writes:?} {shown:?}");
            }
            assert_eq!(shown.contains("A line of theirs."), with.contains("A line of theirs."));
            let before = shown;
            assert_eq!(store.import(None, false).unwrap().answer.added, 0);
            assert_eq!(fs::read_to_string(&view).unwrap(), before);
        }
    }
}
