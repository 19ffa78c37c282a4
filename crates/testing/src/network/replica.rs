//! One device: a home, a state, its own copy of the share, and the store over them.

use crate::Oracle;
use memlore_model::BookName;
use memlore_store::ask::{Init, ListQuery};
use memlore_store::{Export, Open, Store};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// 2026-11-30T14:00:00Z, when every story begins.
const BEGIN_US: u64 = 1_796_047_200_000_000;

/// The clock and the random source that all devices of a network share.
#[derive(Clone)]
pub(crate) struct World {
    now_us: Arc<AtomicU64>,
    random: Arc<Mutex<blake3::OutputReader>>,
}

impl World {
    pub(crate) fn new(seed: u64) -> Self {
        let random = blake3::Hasher::new().update(&seed.to_le_bytes()).finalize_xof();
        Self { now_us: Arc::new(BEGIN_US.into()), random: Arc::new(random.into()) }
    }

    pub(crate) fn tick(&self) {
        self.now_us.fetch_add(1_000, Ordering::Relaxed);
    }

    pub(crate) fn wait(&self, seconds: u64) {
        self.now_us.fetch_add(seconds * 1_000_000, Ordering::Relaxed);
    }

    /// A number below `end`, which must be above zero.
    pub(super) fn below(&self, end: usize) -> usize {
        let mut bytes = [0; 8];
        self.random.lock().expect("no test goes on after a panic").fill(&mut bytes);
        (u64::from_le_bytes(bytes) % end as u64) as usize
    }

    pub(crate) fn open(&self, device: &str, home: &Path, state: &Path, off_us: i64) -> Open {
        self.open_off(device, home, state, Arc::new(off_us.into()))
    }

    pub(crate) fn open_off(&self, device: &str, home: &Path, state: &Path, off_us: Arc<AtomicI64>) -> Open {
        let (now_us, random) = (Arc::clone(&self.now_us), Arc::clone(&self.random));
        Open {
            home: home.to_owned(),
            state: state.to_owned(),
            agent: "tester".to_owned(),
            device: device.to_owned(),
            machine: Some(format!("machine of {device}")),
            now: Box::new(move || {
                now_us.load(Ordering::Relaxed).saturating_add_signed(off_us.load(Ordering::Relaxed))
            }),
            random: Box::new(move |bytes| {
                random.lock().expect("no test goes on after a panic").fill(bytes);
            }),
            shares: Box::new(memlore_store::only_folders),
            on_taking_in: Box::new(drop),
        }
    }
}

/// A replica on a device of its own.
pub struct Replica {
    world: World,
    device: String,
    place: PathBuf,
    off_us: Arc<AtomicI64>,
    store: Option<Store>,
    /// What the document said, and the context of that moment: building it is what takes longest in a story.
    document: (String, Oracle),
}

impl Replica {
    /// Makes a replica whose copy of the share holds this marker; without one the share is begun.
    pub(super) fn new(world: &World, device: &str, place: &Path, marker: Option<&Path>) -> Self {
        let replica = Self {
            world: world.clone(),
            device: device.to_owned(),
            place: place.to_owned(),
            off_us: Arc::new(0.into()),
            store: None,
            document: Default::default(),
        };
        fs::create_dir_all(replica.share()).expect("a folder for the share");
        if let Some(marker) = marker {
            fs::copy(marker, replica.share().join("memlore.json")).expect("the marker is copied");
        }
        let share = replica.share().to_str().map(str::to_owned);
        let made = Store::init(replica.open(), &Init { share, ..Init::default() }).expect("a new replica");
        assert_eq!(made.answer.share_problem, None);
        replica
    }

    fn open(&self) -> Open {
        let (home, state) = (self.home(), self.place.join("state"));
        self.world.open_off(&self.device, &home, &state, Arc::clone(&self.off_us))
    }

    /// The profile's folder.
    pub fn home(&self) -> PathBuf {
        self.place.join("home")
    }

    /// The device's own copy of the share.
    pub fn share(&self) -> PathBuf {
        self.place.join("share")
    }

    /// The view of the book `memory`.
    pub fn view_path(&self) -> PathBuf {
        self.home().join("memories").join("MEMORY.md")
    }

    /// The view's bytes, nothing when there is no file.
    pub fn view(&self) -> Vec<u8> {
        fs::read(self.view_path()).unwrap_or_default()
    }

    /// Writes the view as an editor does: another file in its place.
    pub fn write_view(&self, content: impl AsRef<[u8]>) {
        let path = self.view_path();
        fs::create_dir_all(path.parent().expect("a view has a folder")).expect("the view's folder");
        let new = path.with_extension("new");
        fs::write(&new, content).and_then(|()| fs::rename(&new, &path)).expect("the view is written");
    }

    pub(super) fn set_synced(&mut self) {
        self.store = None;
        let init = Init { synced: Some(true), ..Init::default() };
        drop(Store::init(self.open(), &init).expect("the setting is changed"));
    }

    pub(super) fn set_clock_off(&mut self, seconds: i64) {
        self.off_us.store(seconds * 1_000_000, Ordering::Relaxed);
    }

    /// The store, opened when it is not.
    pub fn store(&mut self) -> &mut Store {
        if self.store.is_none() {
            self.store = Some(Store::open(self.open()).expect("the replica opens"));
        }
        self.store.as_mut().expect("it was just opened")
    }

    pub(super) fn another_process(&self) -> Store {
        Store::open(self.open()).expect("the replica opens")
    }

    pub(super) fn close(&mut self) {
        self.store = None;
    }

    pub(super) fn restart(&mut self) {
        self.store = None;
        self.store();
    }

    /// The listed texts of the book `memory`.
    pub fn texts(&mut self) -> Vec<String> {
        let query = ListQuery { book: Some(BookName::memory()), ..ListQuery::default() };
        let listed = self.store().list(&query).expect("a list");
        listed.entries.into_iter().map(|recalled| recalled.entry.text).collect()
    }

    /// What the one Automerge document of everything here says.
    pub fn document(&mut self) -> Oracle {
        let context = self.store().list(&ListQuery::default()).expect("a list").context;
        if self.document.0 != context {
            let mut bytes = Vec::new();
            let warnings = self.store().export(Export::Automerge, &mut bytes).expect("an export");
            // Changes whose dependencies are still on their way are not in the document yet.
            drop(warnings);
            self.document = (context, Oracle::of_document(&bytes));
        }
        self.document.1.clone()
    }
}
