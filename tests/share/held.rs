//! Files that are there and cannot be read for a while.

use memlore_exchange::ShareProblem;
use memlore_model::{BookName, Message};
use memlore_store::ask::{Add, Init, ListQuery};
use memlore_store::{Open, Store};
use memlore_testing::Network;
use memlore_testing::share::{Touch, Watcher, watched};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A device whose folder's segments cannot be read while it is held.
fn open(net: &Network, name: &str, place: &Path, held: &Arc<AtomicBool>) -> Open {
    let held = Arc::clone(held);
    let watcher: Watcher = Arc::new(move |touch, path| {
        if touch == Touch::Read && path.ends_with(".seg") && held.load(Ordering::Relaxed) {
            let source = io::ErrorKind::ResourceBusy.into();
            return Err(ShareProblem::Read { path: path.to_owned(), source });
        }
        Ok(())
    });
    let open = net.open_at(name, &place.join(name).join("home"), &place.join(name).join("state"));
    Open { shares: watched(place.join("share"), place.to_owned(), watcher), ..open }
}

/// Two devices of one share, and what holds its segments.
fn two(place: &Path) -> ([Store; 2], Arc<AtomicBool>) {
    std::fs::create_dir(place.join("share")).expect("an empty share");
    let (net, held) = (Network::new(1), Arc::new(AtomicBool::new(false)));
    let init = Init { share: Some("sim://held".to_owned()), ..Init::default() };
    let devices = ["ada", "bob"].map(|name| {
        drop(Store::init(open(&net, name, place, &held), &init).expect("a new replica"));
        Store::open(open(&net, name, place, &held)).expect("it opens")
    });
    (devices, held)
}

#[test]
fn a_file_that_could_not_be_read_is_tried_again_though_it_looks_the_same() {
    let place = tempfile::tempdir().unwrap();
    let ([mut ada, mut bob], held) = two(place.path());
    drop(ada.add(&Add::new(BookName::memory(), "tea over coffee")).unwrap());
    drop(ada.sync(None).unwrap());

    held.store(true, Ordering::Relaxed);
    let told = bob.sync(None).unwrap();
    assert_eq!((told.answer.records, told.answer.waiting.len(), told.warnings.len()), (0, 1, 1));

    held.store(false, Ordering::Relaxed);
    let told = bob.sync(None).unwrap();
    assert_eq!((told.answer.records, told.answer.waiting.len(), told.warnings.len()), (1, 0, 0));
    assert_eq!(bob.list(&ListQuery::default()).unwrap().entries.len(), 1);
}

#[test]
fn an_own_file_that_cannot_be_read_keeps_nothing_else_from_being_published() {
    let place = tempfile::tempdir().unwrap();
    let ([mut ada, mut bob], held) = two(place.path());
    drop(ada.add(&Add::new(BookName::memory(), "tea over coffee")).unwrap());
    drop(ada.sync(None).unwrap());

    // A sync program touches the file, and holds it.
    let own = ada.status().unwrap().replica;
    let folder = place.path().join(format!("share/r/{own}/m"));
    let segment = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let touched = std::fs::File::options().append(true).open(&segment).unwrap();
    let written = touched.metadata().unwrap().modified().unwrap();
    touched.set_modified(written + Duration::from_secs(60)).unwrap();
    held.store(true, Ordering::Relaxed);
    let said = Message::parse(br#"{"role":"user","content":"good morning"}"#).unwrap();
    drop(ada.append("talk", &[said]).unwrap());
    let told = ada.sync(None).unwrap().answer;
    let problem = told.share_problem.expect("it is told which file cannot be read").what;
    assert!(problem.contains(segment.file_name().unwrap().to_str().unwrap()), "{problem}");
    assert_eq!(told.published_records, 1);

    held.store(false, Ordering::Relaxed);
    assert_eq!(bob.sync(None).unwrap().answer.records, 2);
    let told = ada.sync(None).unwrap().answer;
    assert_eq!((told.share_problem, told.published_records), (None, 0));
}
