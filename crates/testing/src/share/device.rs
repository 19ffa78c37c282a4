//! One device: its folders, its clock, and the store over them.

use super::cloud::Cloud;
use super::copy::SharedCopy;
use super::disk::Disk;
use crate::network::World;
use memlore_exchange::{Folder, Share};
use memlore_model::{BookName, EntryId, ReplicaId};
use memlore_store::ask::ListQuery;
use memlore_store::{Open, Store};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

/// The address of the share, on every device.
pub(super) const ADDRESS: &str = "sim://share";

/// The one conversation that is kept.
pub(super) const SESSION: &str = "talk";

/// What an exchange is answered with.
type Exchanged = memlore_store::answer::Answered<memlore_store::answer::Synced>;

/// What the copies of the share are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Files in memory, with all their faults.
    Memory,
    /// Real folders; their own faults (full, held, stale) are not played.
    Disk,
}

/// A device with its own copy of the share.
pub(super) struct Device {
    pub(super) name: String,
    pub(super) at: usize,
    place: PathBuf,
    machine: String,
    off_us: Arc<AtomicI64>,
    world: World,
    cloud: Arc<Mutex<Cloud>>,
    store: Option<Store>,
    /// Its copy of the share, when that is a real folder.
    disk: Option<Disk>,
    /// Tokens of what was read here at some time.
    pub(super) contexts: Vec<String>,
    /// Every id that this state ever had.
    pub(super) ids: BTreeSet<ReplicaId>,
}

/// What a store holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// The texts that are shown, in order.
    pub(super) shown: Vec<String>,
    /// The entries behind them.
    pub(super) live: BTreeMap<EntryId, String>,
    /// The entries that were removed.
    pub(super) removed: BTreeSet<EntryId>,
    /// The conversation, in order.
    pub(super) talk: Vec<(i64, String)>,
}

impl Device {
    pub(super) fn new(
        name: &str,
        folder: &Path,
        world: &World,
        cloud: &Arc<Mutex<Cloud>>,
        at: usize,
        medium: Medium,
    ) -> Self {
        let disk = (medium == Medium::Disk).then(|| Disk::new(folder.join(format!("share of {name}"))));
        Self {
            disk,
            name: name.to_owned(),
            at,
            place: folder.join(name),
            machine: format!("machine of {name}"),
            off_us: Arc::new(0.into()),
            world: world.clone(),
            cloud: Arc::clone(cloud),
            store: None,
            contexts: Vec::new(),
            ids: BTreeSet::new(),
        }
    }

    pub(super) fn open(&self) -> Open {
        let (home, state) = (self.place.join("home"), self.place.join("state"));
        let (cloud, at) = (Arc::clone(&self.cloud), self.at);
        let folder = self.disk.as_ref().map(|disk| disk.folder().to_owned());
        let staging = state.join("staging");
        let shares = move |address: &str| {
            let copy = || -> Box<dyn Share> {
                match &folder {
                    Some(folder) => Box::new(Folder::new(folder, &staging)),
                    None => Box::new(SharedCopy::new(Arc::clone(&cloud), at)),
                }
            };
            (address == ADDRESS).then(|| Ok(copy()))
        };
        let open = self.world.open_off(&self.name, &home, &state, Arc::clone(&self.off_us));
        Open { machine: Some(self.machine.clone()), shares: Box::new(shares), ..open }
    }

    /// The store, opened when it is not.
    pub(super) fn store(&mut self) -> &mut Store {
        if self.store.is_none() {
            self.store = Some(Store::open(self.open()).expect("the replica opens"));
        }
        self.store.as_mut().expect("it was just opened")
    }

    /// One exchange with the copy of the share; a real folder is shown what is there before, and looked at after.
    pub(super) fn exchange(&mut self, named: Option<&str>) -> memlore_store::Result<Exchanged> {
        if let Some(disk) = &mut self.disk {
            disk.show(&lock(&self.cloud).places[self.at].files);
        }
        let synced = self.store().sync(named);
        if let Some(disk) = &mut self.disk {
            let mut cloud = lock(&self.cloud);
            for (path, bytes) in disk.changes() {
                cloud.places[self.at].touched.push(path.clone());
                cloud.change(self.at, &path, bytes);
            }
        }
        synced
    }

    /// Ends the process; the next use begins another.
    pub(super) fn stop(&mut self) {
        self.store = None;
        lock(&self.cloud).places[self.at].dead = false;
    }

    /// Sets the clock off the others' by so many seconds.
    pub(super) fn set_clock_off(&self, seconds: i64) {
        self.off_us.store(seconds * 1_000_000, Ordering::Relaxed);
    }

    pub(super) fn note_id(&mut self) {
        let id = self.store().status().expect("a status").replica;
        self.ids.insert(id);
    }

    pub(super) fn held(&mut self) -> Held {
        let book = Some(BookName::memory());
        let store = self.store();
        let live = store.list(&ListQuery { book: book.clone(), ..ListQuery::default() }).expect("a list");
        let removed = store.list(&ListQuery { book, removed: true, at_us: None }).expect("a list");
        let mut talk = Vec::new();
        if store.sessions().expect("the conversations").iter().any(|report| report.session == SESSION) {
            let shown = store.session(SESSION, None, &mut |message| {
                let content = message.fields.iter().find(|(name, _)| name == "content");
                talk.push((message.flush_us, content.map(|(_, json)| json.clone()).unwrap_or_default()));
                Ok(())
            });
            shown.expect("the conversation");
        }
        Held {
            shown: live.entries.iter().map(|recalled| recalled.entry.text.clone()).collect(),
            live: live.entries.into_iter().map(|recalled| (recalled.id, recalled.entry.text)).collect(),
            removed: removed.entries.into_iter().map(|recalled| recalled.id).collect(),
            talk,
        }
    }

    /// Keeps a copy of the whole device.
    pub(super) fn back_up(&mut self, to: &Path) {
        self.stop();
        drop(fs::remove_dir_all(to));
        copy_folder(&self.place, to);
    }

    /// Puts a copy of a device in the place of what is here.
    pub(super) fn restore(&mut self, from: &Path) {
        self.stop();
        fs::remove_dir_all(&self.place).expect("the device is emptied");
        copy_folder(from, &self.place);
    }

    /// Makes another device of a copy of this one.
    ///
    /// A copy that nobody can notice has the same machine, and each of the two differs from before in one thing alone: here
    /// lies a new file in the old place, there the old file in a new place.
    pub(super) fn clone_to(&mut self, name: &str, folder: &Path, at: usize, unnoticed: bool) -> Self {
        self.stop();
        let medium = if self.disk.is_some() { Medium::Disk } else { Medium::Memory };
        let mut clone = Self::new(name, folder, &self.world, &self.cloud, at, medium);
        if unnoticed {
            clone.machine.clone_from(&self.machine);
            fs::rename(&self.place, &clone.place).expect("the device is moved");
            copy_folder(&clone.place, &self.place);
        } else {
            copy_folder(&self.place, &clone.place);
        }
        clone.ids = self.ids.clone();
        clone
    }
}

fn lock(cloud: &Mutex<Cloud>) -> MutexGuard<'_, Cloud> {
    cloud.lock().expect("no test goes on after a panic")
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder to copy").flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if source.is_dir() {
            copy_folder(&source, &target);
        } else {
            fs::copy(&source, &target).expect("a copy");
        }
    }
}
