//! How much of the share an exchange touches, and what it does about files that come and go meanwhile.

use memlore_exchange::ShareProblem;
use memlore_model::BookName;
use memlore_store::ask::{Add, Init, ListQuery};
use memlore_store::{Open, Store};
use memlore_testing::Network;
use memlore_testing::share::{Touch, Watcher, watched};
use std::panic::{AssertUnwindSafe, catch_unwind};
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
    /// The process ends there.
    End,
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
        let (touched, times) = (Arc::clone(&self.touched), Arc::clone(&self.times));
        let share = self.path("share");
        let watcher: Watcher = Arc::new(move |touch, path| {
            touched.fetch_add(1, Ordering::Relaxed);
            let makes_trouble = touch == Touch::Read && trouble != Trouble::None && path.ends_with(".seg");
            let one_less = |times: usize| times.checked_sub(1);
            if !makes_trouble || times.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_err() {
                return Ok(());
            }
            assert!(trouble != Trouble::End || times.load(Ordering::Relaxed) > 0, "here the process ends");
            if trouble == Trouble::End {
                return Ok(());
            }
            if trouble == Trouble::Moved {
                let from = share.join(path);
                fs::rename(&from, from.with_file_name("larger.seg")).unwrap();
                return Err(ShareProblem::Gone { path: path.to_owned() });
            }
            let source = io::Error::from(io::ErrorKind::TimedOut);
            Err(ShareProblem::Read { path: path.to_owned(), source })
        });
        open.shares = watched(self.path("share"), state.join("staging"), watcher);
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

#[test]
fn a_new_device_that_was_stopped_on_its_way_goes_on_where_it_was() {
    let place = Place::new();
    let mut laptop = place.device("laptop", Trouble::None);
    let desktop = place.device("desktop", Trouble::End);
    drop(desktop);
    for turn in 0..5 {
        add(&mut laptop, &format!("text {turn}"));
    }
    let files = place.path("share").join(format!("r/{}/m", laptop.status().unwrap().replica));
    assert_eq!(fs::read_dir(files).unwrap().count(), 5);

    place.times.store(3, Ordering::Relaxed);
    let stopped = catch_unwind(AssertUnwindSafe(|| {
        Store::open(place.open("desktop", Trouble::End)).unwrap().sync(None).map(drop)
    }));
    assert!(stopped.is_err(), "it ends while reading");
    let mut desktop = Store::open(place.open("desktop", Trouble::None)).unwrap();
    assert_eq!(desktop.list(&ListQuery::default()).unwrap().entries.len(), 2);
    assert_eq!(desktop.sync(None).unwrap().answer.records, 3);
    assert_eq!(desktop.list(&ListQuery::default()).unwrap().entries.len(), 5);
}
