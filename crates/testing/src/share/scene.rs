//! A scene: random work on a few devices, mischief in between, and then rest.

mod rest;

use super::cloud::Cloud;
use super::device::{ADDRESS, Device, Medium, SESSION};
use super::mischief::{Mischief, act};
use crate::network::World;
use crate::random::Random;
use memlore_exchange::MARKER;
use memlore_model::{BookName, EntryId, Message};
use memlore_store::Store;
use memlore_store::answer::{AppendStatus, Synced};
use memlore_store::ask::{Add, Init, Removal};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use tempfile::TempDir;

const MOST_DEVICES: usize = 5;

/// What a state has answered for, and so has to hold.
#[derive(Clone, Debug, Default)]
struct Answered {
    added: BTreeSet<EntryId>,
    removed: BTreeSet<EntryId>,
    said: BTreeSet<(i64, String)>,
}

/// A device that was put aside, and what it had answered for by then.
struct Backup {
    of: usize,
    folder: PathBuf,
    answered: Answered,
}

/// A few devices, a cloud, and a seed.
pub struct Scene {
    random: Random,
    medium: Medium,
    world: World,
    cloud: Arc<Mutex<Cloud>>,
    folder: TempDir,
    devices: Vec<Device>,
    answered: Vec<Answered>,
    backups: Vec<Backup>,
    kinds: Vec<Mischief>,
    /// Everything that was ever added or removed by somebody who was answered.
    ever: Answered,
    /// Texts that were ever used, to be added again.
    texts: Vec<String>,
    story: Vec<String>,
}

impl Scene {
    /// Plays the scene of a seed, with those of these kinds of mischief that the seed picks.
    ///
    /// # Errors
    /// Returns what is wrong in the end, with the story that led to it.
    pub fn play(seed: u64, medium: Medium, kinds: &[Mischief]) -> Result<(), String> {
        let mut scene = Self::new(seed, medium, kinds);
        let played = catch_unwind(AssertUnwindSafe(|| {
            scene.work()?;
            scene.rest()
        }));
        let wrong = match played {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(wrong)) => wrong,
            Err(panic) => {
                let told = panic.downcast_ref::<String>().cloned();
                told.or_else(|| panic.downcast_ref::<&str>().map(|told| (*told).to_owned()))
                    .unwrap_or_default()
            }
        };
        Err(format!("seed {seed} with {:?}\n{}\n{wrong}", scene.kinds, scene.story.join("\n")))
    }

    fn new(seed: u64, medium: Medium, kinds: &[Mischief]) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let mut random = Random::new(seed);
        let kinds: Vec<Mischief> = kinds.iter().copied().filter(|_| random.percent(45)).collect();
        Self {
            random,
            medium,
            world: World::new(seed),
            cloud: Arc::new(Mutex::new(Cloud::new(seed.wrapping_add(1)))),
            folder: folder.expect("a temporary folder"),
            devices: Vec::new(),
            answered: Vec::new(),
            backups: Vec::new(),
            kinds,
            ever: Answered::default(),
            texts: Vec::new(),
            story: Vec::new(),
        }
    }

    fn cloud(&self) -> MutexGuard<'_, Cloud> {
        self.cloud.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn has(&self, kind: Mischief) -> bool {
        self.kinds.contains(&kind)
    }

    fn tell(&mut self, who: usize, what: &str) {
        self.story.push(format!("{} {what}", self.devices[who].name));
    }

    /// Random work and mischief.
    fn work(&mut self) -> Result<(), String> {
        for _ in 0..self.random.between(2, 4) {
            self.join();
        }
        let slow = if self.has(Mischief::Slow) { 12 } else { 0 };
        let partial = if self.has(Mischief::Partial) { 30 } else { 0 };
        {
            let mut cloud = self.cloud();
            (cloud.slowest, cloud.partial) = (slow, partial);
        }
        let steps = if self.random.percent(5) { 60 } else { 30 };
        let much = self.random.between(20, 60);
        for _ in 0..self.random.between(10, steps) {
            self.cloud().tick();
            self.world.wait(1 + self.random.below(3_600));
            if !self.kinds.is_empty() && self.random.percent(much) {
                self.mischief();
            }
            let who = self.random.index(self.devices.len());
            match self.random.below(100) {
                0..=24 => self.add(who),
                25..=32 => self.replace(who),
                33..=40 => self.remove(who, false),
                41..=46 => self.remove(who, true),
                47..=58 => self.say(who),
                59..=62 => self.devices[who].stop(),
                63..=66 => self.read(who),
                _ => drop(self.exchange(who, None)?),
            }
        }
        Ok(())
    }

    fn join(&mut self) {
        let name = format!("d{}", self.devices.len());
        let twin = self.has(Mischief::Twins) && self.random.percent(50);
        let at = {
            let mut cloud = self.cloud();
            cloud.heal();
            let like = (!cloud.places.is_empty() && !twin).then_some(0);
            cloud.join(like)
        };
        let (folder, medium) = (self.folder.path(), self.medium);
        let mut device = Device::new(&name, folder, &self.world, &self.cloud, at, medium);
        drop(Store::init(device.open(), &Init::default()).expect("a new replica"));
        let synced = device.exchange(Some(ADDRESS)).expect("a first exchange");
        assert_eq!(synced.answer.share_problem, None);
        device.note_id();
        self.devices.push(device);
        self.answered.push(Answered::default());
        if twin && at > 0 {
            self.story.push(format!("{name} made the share too"));
            let copied = self.random.percent(50);
            self.cloud().meet(0, at, copied);
        }
    }

    fn mischief(&mut self) {
        let kind = self.kinds[self.random.index(self.kinds.len())];
        let who = self.random.index(self.devices.len());
        match kind {
            Mischief::Clocks => {
                let seconds = [-7_200, -86_400 * 9, 86_400 * 8, 86_400 * 365, 3_600, 0];
                let seconds = seconds[self.random.index(seconds.len())];
                self.devices[who].set_clock_off(seconds);
                self.tell(who, &format!("has a clock {seconds} s off"));
            }
            Mischief::Restores => self.restore(who),
            Mischief::Clones => self.clone_one(who),
            _ => {
                let at = self.devices[who].at;
                let told = act(kind, &mut self.cloud(), at);
                if let Some(told) = told {
                    self.tell(who, &format!("- {told}"));
                }
            }
        }
    }

    fn restore(&mut self, who: usize) {
        let mine: Vec<usize> = (0..self.backups.len()).filter(|i| self.backups[*i].of == who).collect();
        if mine.is_empty() || self.random.percent(40) {
            let folder = self.folder.path().join(format!("backup {}", self.backups.len()));
            self.devices[who].back_up(&folder);
            self.backups.push(Backup { of: who, folder, answered: self.answered[who].clone() });
            self.tell(who, &format!("is backed up ({})", self.backups.len() - 1));
        } else {
            let index = mine[self.random.index(mine.len())];
            self.devices[who].restore(&self.backups[index].folder.clone());
            self.answered[who] = self.backups[index].answered.clone();
            self.tell(who, &format!("is restored from {index}"));
        }
    }

    fn clone_one(&mut self, who: usize) {
        if self.devices.len() >= MOST_DEVICES {
            return;
        }
        let name = format!("d{}", self.devices.len());
        let at = {
            let like = self.devices[who].at;
            self.cloud().join(Some(like))
        };
        let folder = self.folder.path().to_owned();
        let unnoticed = self.random.percent(50);
        let clone = self.devices[who].clone_to(&name, &folder, at, unnoticed);
        self.devices.push(clone);
        self.answered.push(self.answered[who].clone());
        let how = if unnoticed { "copied, and nobody can notice, as" } else { "copied as" };
        self.tell(who, &format!("is {how} {name}"));
    }

    fn add(&mut self, who: usize) {
        let again = !self.texts.is_empty() && self.random.percent(20);
        let text = if again {
            self.texts[self.random.index(self.texts.len())].clone()
        } else {
            format!("matter {}", self.texts.len())
        };
        self.change(who, &format!("adds {text:?}"), |store| {
            let added = store.add(&Add::new(BookName::memory(), &text)).expect("it is added").answer;
            vec![added.id]
        });
        self.texts.push(text);
    }

    fn replace(&mut self, who: usize) {
        let Some(old) = self.any_text(who) else { return };
        let new = format!("matter {}", self.texts.len());
        self.change(who, &format!("replaces {old:?} by {new:?}"), |store| {
            let changed = store.replace(&old, &new, &Removal::default()).expect("it is replaced").answer;
            changed.added.into_iter().collect()
        });
        self.texts.push(new);
    }

    /// Removes a text, as somebody who sees the present state or one that they read earlier.
    fn remove(&mut self, who: usize, as_read: bool) {
        let Some(text) = self.any_text(who) else { return };
        let contexts = &self.devices[who].contexts;
        let context =
            (as_read && !contexts.is_empty()).then(|| contexts[self.random.index(contexts.len())].clone());
        let read = if context.is_some() { "as read earlier " } else { "" };
        self.change(who, &format!("removes {read}{text:?}"), |store| {
            // Somebody who read earlier may have seen none of it.
            drop(store.remove(&text, &Removal { context, why: None }));
            Vec::new()
        });
    }

    /// Does something to the memory of a device and notes what the answer makes it answerable for.
    fn change(&mut self, who: usize, what: &str, change: impl FnOnce(&mut Store) -> Vec<EntryId>) {
        self.tell(who, what);
        let before = self.devices[who].held().removed;
        let added = change(self.devices[who].store());
        let after = self.devices[who].held().removed;
        for answered in [&mut self.ever, &mut self.answered[who]] {
            answered.added.extend(&added);
            answered.removed.extend(after.difference(&before));
        }
    }

    fn say(&mut self, who: usize) {
        let content = format!("word {}", self.ever.said.len());
        self.tell(who, &format!("says {content:?}"));
        let message = format!(r#"{{"role":"user","content":"{content}"}}"#);
        let message = Message::parse(message.as_bytes()).expect("a message");
        let answers = self.devices[who].store().append(SESSION, &[message]).expect("it is stored");
        assert_eq!(answers[0].status, AppendStatus::Stored);
        let said = (answers[0].flush_us.expect("it is stored"), format!("{content:?}"));
        self.ever.said.insert(said.clone());
        self.answered[who].said.insert(said);
    }

    fn read(&mut self, who: usize) {
        let listed = self.devices[who].store().list(&Default::default()).expect("a list");
        self.devices[who].contexts.push(listed.context);
    }

    fn any_text(&mut self, who: usize) -> Option<String> {
        let shown = self.devices[who].held().shown;
        (!shown.is_empty()).then(|| shown[self.random.index(shown.len())].clone())
    }

    /// One exchange; what it wrote has to be its own.
    fn exchange(&mut self, who: usize, named: Option<&str>) -> Result<Synced, String> {
        let device = &mut self.devices[who];
        let synced = device.exchange(named).map_err(|error| format!("an exchange fails: {error:?}"))?;
        device.note_id();
        let (name, at, ids) = (device.name.clone(), device.at, device.ids.clone());
        let (touched, dead) = {
            let mut cloud = self.cloud();
            let place = &mut cloud.places[at];
            (std::mem::take(&mut place.touched), place.dead)
        };
        let trouble = synced.answer.share_problem.as_ref().map(|trouble| trouble.what.clone());
        self.story.push(format!(
            "{name} exchanges: {} in, {} out{}{}",
            synced.answer.records,
            synced.answer.published_records,
            trouble.map(|what| format!("; {what}")).unwrap_or_default(),
            synced.warnings.iter().map(|warning| format!("; ({warning})")).collect::<String>(),
        ));
        if dead {
            self.devices[who].stop();
            self.tell(who, "died");
        }
        let own =
            |path: &&String| *path == MARKER || ids.iter().any(|id| path.starts_with(&format!("r/{id}/")));
        match touched.iter().find(|path| !own(path)) {
            Some(path) => Err(format!("{name} touched {path}")),
            None => Ok(synced.answer),
        }
    }
}
