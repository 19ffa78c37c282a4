//! Files that are there and cannot be read for a while.

use memlore_exchange::ShareProblem;
use memlore_model::BookName;
use memlore_store::ask::{Add, Init, ListQuery};
use memlore_store::{Open, Store};
use memlore_testing::Network;
use memlore_testing::share::{Touch, Watcher, watched};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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

#[test]
fn a_file_that_could_not_be_read_is_tried_again_though_it_looks_the_same() {
    let place = tempfile::tempdir().unwrap();
    std::fs::create_dir(place.path().join("share")).unwrap();
    let (net, held) = (Network::new(1), Arc::new(AtomicBool::new(false)));
    let init = Init { share: Some("sim://held".to_owned()), ..Init::default() };
    let [mut ada, mut bob] = ["ada", "bob"].map(|name| {
        drop(Store::init(open(&net, name, place.path(), &held), &init).unwrap());
        Store::open(open(&net, name, place.path(), &held)).unwrap()
    });
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
