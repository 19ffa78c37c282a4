//! How much of the share an exchange touches, and what it does about files that come and go meanwhile.

use memlore_exchange::{Folder, Found, Share, ShareProblem, Written};
use memlore_model::BookName;
use memlore_store::ask::{Add, Init, ListQuery};
use memlore_store::{Open, Store};
use memlore_testing::Network;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, io};
use tempfile::TempDir;

/// What goes wrong with the next file of others that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trouble {
    None,
    /// It cannot be read.
    Unreadable,
    /// Its writer put the records into another file.
    Moved,
}

/// A folder that counts the files which are read, written or deleted, and makes trouble as often as it is told.
struct Watched {
    folder: Folder,
    touched: Arc<AtomicUsize>,
    trouble: Trouble,
    times: Arc<AtomicUsize>,
}

impl Watched {
    fn count(&self) {
        self.touched.fetch_add(1, Ordering::Relaxed);
    }

    fn makes_trouble(&self, path: &str) -> bool {
        let one_less = |times: usize| times.checked_sub(1);
        self.trouble != Trouble::None
            && path.ends_with(".seg")
            && self.times.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }
}

impl Share for Watched {
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
        self.count();
        if self.makes_trouble(path) {
            if self.trouble == Trouble::Moved {
                let from = self.folder.path().join(path);
                fs::rename(&from, from.with_file_name("larger.seg")).unwrap();
                return Err(ShareProblem::Gone { path: path.to_owned() });
            }
            let source = io::Error::from(io::ErrorKind::TimedOut);
            return Err(ShareProblem::Read { path: path.to_owned(), source });
        }
        self.folder.read(path, bytes_most)
    }

    fn write_new(&self, path: &str, bytes: &[u8]) -> Result<Written, ShareProblem> {
        self.count();
        self.folder.write_new(path, bytes)
    }

    fn replace(&self, path: &str, bytes: &[u8]) -> Result<(), ShareProblem> {
        self.count();
        self.folder.replace(path, bytes)
    }

    fn delete(&self, path: &str) -> Result<(), ShareProblem> {
        self.count();
        self.folder.delete(path)
    }
}

/// Devices over one watched folder.
struct Place {
    net: Network,
    folder: TempDir,
    touched: Arc<AtomicUsize>,
    times: Arc<AtomicUsize>,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        fs::create_dir(folder.path().join("share")).unwrap();
        Self { net: Network::default(), folder, touched: Arc::default(), times: Arc::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn open(&self, device: &str, trouble: Trouble) -> Open {
        let state = self.path(&format!("state of {device}"));
        let mut open = self.net.open_at(device, &self.path(device), &state);
        let (share, staging) = (self.path("share"), state.join("staging"));
        let (touched, times) = (Arc::clone(&self.touched), Arc::clone(&self.times));
        open.shares = Box::new(move |_| {
            let folder = Folder::new(&share, &staging);
            let (touched, times) = (Arc::clone(&touched), Arc::clone(&times));
            Some(Ok(Box::new(Watched { folder, touched, trouble, times }) as Box<dyn Share>))
        });
        open
    }

    fn device(&self, name: &str, trouble: Trouble) -> Store {
        let init = Init { share: Some("watched://share".to_owned()), ..Init::default() };
        assert_eq!(Store::init(self.open(name, trouble), &init).unwrap().answer.share_problem, None);
        Store::open(self.open(name, trouble)).unwrap()
    }
}

fn add(store: &mut Store, text: &str) {
    store.add(&Add::new(BookName::memory(), text)).unwrap();
    assert_eq!(store.sync(None).unwrap().answer.share_problem, None);
}

#[test]
fn an_exchange_of_one_entry_touches_a_handful_of_files_on_average_whatever_came_before() {
    let place = Place::new();
    let mut store = place.device("laptop", Trouble::None);
    let mut per_sixty = Vec::new();
    for turn in 0..240 {
        place.net.wait(1_800);
        add(&mut store, &format!("text {turn}"));
        if turn % 60 == 59 {
            per_sixty.push(place.touched.swap(0, Ordering::Relaxed));
        }
    }
    // The marker, what was published last and what now, the page about us; now and then a merge, and two for each file
    // that goes.
    assert!(per_sixty.iter().sum::<usize>() <= 240 * 8, "{per_sixty:?}");
    assert!(per_sixty.iter().filter(|touched| **touched > 60 * 6).count() <= 1, "{per_sixty:?}");
}

#[test]
fn a_file_that_cannot_be_read_for_a_while_is_tried_again_and_told_of_once() {
    let place = Place::new();
    add(&mut place.device("laptop", Trouble::None), "likes tea");
    place.times.store(2, Ordering::Relaxed);
    let mut desktop = place.device("desktop", Trouble::Unreadable);
    assert_eq!(desktop.status().unwrap().share.unwrap().waiting.len(), 1);
    let synced = desktop.sync(None).unwrap();
    assert_eq!((synced.answer.records, synced.warnings), (0, Vec::new()), "it was told of already");
    assert_eq!(desktop.sync(None).unwrap().answer.records, 1);
    assert_eq!(desktop.status().unwrap().share.unwrap().waiting, Vec::<String>::new());
}

#[test]
fn what_was_merged_away_since_the_listing_is_found_in_the_next_one() {
    let place = Place::new();
    let mut laptop = place.device("laptop", Trouble::None);
    let mut desktop = place.device("desktop", Trouble::Moved);
    add(&mut laptop, "likes tea");
    place.times.store(1, Ordering::Relaxed);
    let synced = desktop.sync(None).unwrap();
    assert_eq!((synced.answer.records, synced.warnings), (1, Vec::new()));
    assert_eq!(desktop.list(&ListQuery::default()).unwrap().entries.len(), 1);
}
