//! The sync program: it carries what changes in one copy of the share to the others, sooner or later.

use super::files::{Bytes, Files, Version};
use super::names::copies_of;
use crate::random::Random;
use memlore_exchange::MARKER;
use std::sync::Arc;

/// A change on its way to one copy.
#[derive(Clone, Debug)]
struct Flight {
    to: usize,
    due: u64,
    path: String,
    version: Version,
}

/// Something that keeps a device from using its copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ailment {
    /// Another program holds the files below a path.
    Held,
    /// Nobody may read or write.
    Denied,
    /// The disk is full; what was begun stays, cut off.
    Full,
    /// Nothing can be written.
    ReadOnly,
    /// The share is not mounted.
    Unmounted,
}

/// At which moment of a write a process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Moment {
    Before,
    Within,
    After,
}

/// One device's copy, and what is wrong with it at the moment.
#[derive(Debug, Default)]
pub(super) struct Place {
    pub(super) files: Files,
    /// A listing that is shown instead of the present one, until a moment.
    pub(super) stale: Option<(u64, Files)>,
    pub(super) ailment: Option<(u64, Ailment)>,
    /// The process dies at this many writes from now.
    pub(super) dies: Option<(u32, Moment)>,
    /// It died: no call does anything any more until it is started again.
    pub(super) dead: bool,
    /// Whether names of different case mean one file here.
    pub(super) folds: bool,
    /// What the device wrote or deleted since it was last asked.
    pub(super) touched: Vec<String>,
}

/// All copies of one share, and what is on its way between them.
///
/// What heals is whole: the newest version of each file everywhere, deletions included.
#[derive(Debug)]
pub struct Cloud {
    pub(super) random: Random,
    pub(super) places: Vec<Place>,
    flights: Vec<Flight>,
    /// What was ever written, for what comes back from the dead.
    pub(super) past: Vec<(String, Bytes)>,
    pub(super) now: u64,
    changes: u64,
    inodes: u64,
    /// The longest way of a file, in steps; none when everything arrives at once.
    pub(super) slowest: u64,
    /// In how many of a hundred cases half a file is seen first.
    pub(super) partial: u64,
}

impl Cloud {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            random: Random::new(seed),
            places: Vec::new(),
            flights: Vec::new(),
            past: Vec::new(),
            now: 0,
            changes: 0,
            inodes: 0,
            slowest: 0,
            partial: 0,
        }
    }

    /// Another device joins, with a copy like that of another or an empty one.
    pub(super) fn join(&mut self, like: Option<usize>) -> usize {
        let files = like.map(|like| self.places[like].files.clone()).unwrap_or_default();
        let folds = self.slowest > 0 && self.random.percent(30);
        self.places.push(Place { files, folds, ..Place::default() });
        self.places.len() - 1
    }

    /// One device, or the mischief in its name, changes a file; the others hear of it later.
    pub(super) fn change(&mut self, at: usize, path: &str, bytes: Option<Bytes>) {
        self.changes += 1;
        let mtime_us = 1_796_047_200_000_000 + i64::try_from(self.now).unwrap_or_default() * 1_000_000;
        if let Some(bytes) = &bytes {
            self.past.push((path.to_owned(), Arc::clone(bytes)));
        }
        let inode = self.inode();
        let version = Version { change: self.changes, whole: true, bytes, mtime_us, inode, remote_until: 0 };
        self.places[at].files.take(path, version.clone());
        for to in (0..self.places.len()).filter(|to| *to != at) {
            self.send(to, path, &version);
        }
    }

    /// Two copies whose markers were made at once meet: one marker wins, the other is gone or becomes a conflict copy.
    pub(super) fn meet(&mut self, one: usize, other: usize, copied: bool) {
        let markers =
            [one, other].map(|at| self.places[at].files.get(MARKER).map(|(_, bytes)| bytes.clone()));
        if let [Some(loser), Some(winner)] = markers
            && loser != winner
            && copied
        {
            self.change(other, &copies_of(MARKER)[0], Some(loser));
        }
        self.heal();
    }

    fn send(&mut self, to: usize, path: &str, version: &Version) {
        let mut due = self.now;
        if self.slowest > 0 && self.random.percent(70) {
            due += self.random.below(self.slowest);
        }
        let inode = self.inode();
        if let Some(bytes) = &version.bytes
            && self.random.percent(self.partial)
        {
            let half = torn(bytes, &mut self.random);
            let mtime_us = version.mtime_us + 1;
            let version = Version { whole: false, bytes: Some(half), mtime_us, inode, ..version.clone() };
            self.flights.push(Flight { to, due, path: path.to_owned(), version });
            due += self.random.below(4);
        }
        let version = Version { inode, ..version.clone() };
        self.flights.push(Flight { to, due, path: path.to_owned(), version });
    }

    /// A moment passes: what is due arrives, in any order.
    pub(super) fn tick(&mut self) {
        self.now += 1;
        let (mut due, rest): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.flights).into_iter().partition(|flight| flight.due <= self.now);
        self.flights = rest;
        while !due.is_empty() {
            let flight = due.swap_remove(self.random.index(due.len()));
            self.places[flight.to].files.take(&flight.path, flight.version);
        }
        let now = self.now;
        for place in &mut self.places {
            place.stale = place.stale.take().filter(|(until, _)| *until > now);
            place.ailment = place.ailment.filter(|(until, _)| *until > now);
        }
    }

    /// Everything arrives and everybody has the newest version of every file.
    pub(super) fn heal(&mut self) {
        (self.slowest, self.partial) = (0, 0);
        for flight in std::mem::take(&mut self.flights) {
            self.places[flight.to].files.take(&flight.path, flight.version);
        }
        let mut newest = Files::default();
        for place in &self.places {
            for (path, version) in place.files.all() {
                newest.take(path, version.clone());
            }
        }
        for at in 0..self.places.len() {
            for (path, version) in newest.all() {
                let version = Version { inode: self.inode(), ..version.clone() };
                self.places[at].files.take(path, version);
            }
            let place = &mut self.places[at];
            (place.stale, place.ailment, place.dies, place.dead) = (None, None, None, false);
            let paths: Vec<String> = place.files.present().map(|(path, ..)| path.to_owned()).collect();
            for path in paths {
                if let Some(version) = place.files.get_mut(&path) {
                    version.remote_until = 0;
                }
            }
        }
    }

    pub(super) fn inode(&mut self) -> u64 {
        self.inodes += 1;
        self.inodes
    }
}

/// A file of which not everything is here: cut off, empty, or the rest of it zeros.
pub(super) fn torn(bytes: &Bytes, random: &mut Random) -> Bytes {
    let keep = random.index(bytes.len() + 1);
    let mut half = bytes[..keep].to_vec();
    match random.below(3) {
        0 => half.clear(),
        1 => half.resize(bytes.len(), 0),
        _ => {}
    }
    half.into()
}
