//! Two devices whose homes lie in one synced folder.

use super::book::Record;
use super::disk::Page;
use super::home::{Home, World};
use super::kind::{Kind, Looks, People};
use super::oracle::Tally;
use std::collections::{BTreeSet, VecDeque};

/// How fast the records travel, compared with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Travel {
    /// Mostly before the file.
    Faster,
    /// Mostly long after it.
    Slower,
}

struct Device {
    home: Home,
    people: People,
    /// Records on their way to this device, each with the step of its arrival; a later one never overtakes.
    arriving: VecDeque<(u64, Record)>,
}

/// Plays one history, until both devices have come to rest.
pub(super) fn run(kind: &Kind, travel: Travel, world: &mut World) -> Tally {
    let mut devices = [0, 1].map(|replica| {
        let mut home = Home::init(replica, true, Page::new(), world);
        home.watched = kind.looks == Looks::Watching;
        Device { home, people: People::of(kind, world), arriving: VecDeque::new() }
    });
    for step in 0..world.random.between(20, 60) {
        world.now_us += world.random.between(3_000_000, 600_000_000);
        let who = world.random.index(2);
        if world.random.percent(60) {
            devices[who].people.act(kind, &mut devices[who].home, world);
        }
        let delay = match travel {
            Travel::Faster => 1,
            Travel::Slower => 15,
        };
        post(&mut devices, step + world.random.below(delay));
        if world.random.percent(30) {
            carry_file(&mut devices, who, world);
        }
        for device in &mut devices {
            let due = if device.home.watched { 85 } else { 50 };
            if world.random.percent(due) {
                device.receive(step, world);
                device.home.run(world);
            }
        }
    }
    // The records stand still, the file goes on: nobody may rewrite it back and forth.
    come_to_rest(&mut devices, world, false);
    post(&mut devices, 0);
    come_to_rest(&mut devices, world, true);
    let [first, second] = &devices;
    let texts = |device: &Device| device.home.book.live().map(|entry| entry.text).collect::<BTreeSet<_>>();
    assert_eq!(texts(first), texts(second), "both devices remember the same");
    world.oracle.count_outcome(&first.home.book, true);
    Tally::default()
}

impl Device {
    /// Takes in the records that have arrived by this step. Returns how many.
    fn receive(&mut self, step: u64, world: &World) -> usize {
        let mut taken = 0;
        while self.arriving.front().is_some_and(|(arrives, _)| *arrives <= step) {
            if let Some((_, record)) = self.arriving.pop_front() {
                self.home.take(record, world);
                taken += 1;
            }
        }
        taken
    }
}

fn post(devices: &mut [Device; 2], arrives: u64) {
    let [first, second] = devices;
    second.arriving.extend(first.home.book.outbox.drain(..).map(|record| (arrives, record)));
    first.arriving.extend(second.home.book.outbox.drain(..).map(|record| (arrives, record)));
}

/// The sync program reads one device's file and puts it in the place of the other's.
fn carry_file(devices: &mut [Device; 2], from: usize, world: &mut World) {
    let page = devices[from].home.read(world.now_us);
    world.now_us += world.random.between(1_000_000, 20_000_000);
    let to = &mut devices[1 - from].home;
    if to.disk.page.iter().map(|(text, _)| text).ne(page.iter().map(|(text, _)| text)) {
        to.save(page, false, world);
    }
}

fn come_to_rest(devices: &mut [Device; 2], world: &mut World, with_records: bool) {
    const ROUNDS: u64 = 12;
    for _ in 0..ROUNDS {
        let writes = |devices: &[Device; 2]| devices[0].home.writes + devices[1].home.writes;
        let before = writes(devices);
        let mut records = 0;
        if with_records {
            post(devices, 0);
            records = devices.iter_mut().map(|device| device.receive(u64::MAX, world)).sum();
        }
        world.now_us += 1_000_000;
        // The newer file wins.
        let newer = usize::from(devices[1].home.disk.born_us > devices[0].home.disk.born_us);
        carry_file(devices, newer, world);
        for device in devices.iter_mut() {
            world.now_us += 1_000;
            device.home.run(world);
        }
        if writes(devices) == before && records == 0 {
            return;
        }
    }
    panic!("two devices rewrite one file back and forth");
}
