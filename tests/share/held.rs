//! Files that are there and cannot be read for a while.

use memlore_exchange::{Folder, Found, Share, ShareProblem, Written};
use memlore_model::BookName;
use memlore_store::ask::{Add, Init, ListQuery};
use memlore_store::{Open, Store};
use memlore_testing::Network;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A folder whose segments cannot be read while it is held.
struct Holding {
    folder: Folder,
    held: Arc<AtomicBool>,
}

impl Share for Holding {
    fn title(&self) -> String {
        self.folder.title()
    }

    fn walk(
        &self,
        under: &str,
        depth: usize,
        visit: &mut dyn FnMut(Found) -> ControlFlow<()>,
    ) -> Result<(), ShareProblem> {
        self.folder.walk(under, depth, visit)
    }

    fn read(&self, path: &str, bytes_most: usize) -> Result<Vec<u8>, ShareProblem> {
        if path.ends_with(".seg") && self.held.load(Ordering::Relaxed) {
            let source = io::ErrorKind::ResourceBusy.into();
            return Err(ShareProblem::Read { path: path.to_owned(), source });
        }
        self.folder.read(path, bytes_most)
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> Result<Written, ShareProblem> {
        self.folder.write_new(path, bytes)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), ShareProblem> {
        self.folder.replace(path, bytes)
    }

    fn delete(&self, path: &str) -> Result<(), ShareProblem> {
        self.folder.delete(path)
    }
}

fn open(net: &Network, name: &str, place: &Path, held: &Arc<AtomicBool>) -> Open {
    let open = net.open_at(name, &place.join(name).join("home"), &place.join(name).join("state"));
    let (share, staging, held) = (place.join("share"), place.to_owned(), Arc::clone(held));
    let holding = move |_: &str| {
        let folder = Folder::new(&share, &staging);
        Some(Ok(Box::new(Holding { folder, held: Arc::clone(&held) }) as Box<dyn Share>))
    };
    Open { shares: Box::new(holding), ..open }
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
