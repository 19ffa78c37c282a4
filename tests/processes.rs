//! Real processes on one home: many at once, some of them killed, and in places that make it hard to write.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

mod mended;
mod places;

use crate::device::{Device, names};
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

const PROCESSES: usize = 8;
const OPERATIONS: usize = 40;

/// What one worker's answered operations leave, and what the killed ones may have done or not.
#[derive(Default)]
struct Left {
    certain: BTreeSet<String>,
    possible: BTreeSet<String>,
}

impl Left {
    /// One text goes and perhaps another comes, in a process that either answered or was killed.
    fn note(&mut self, answered: bool, gone: Option<&str>, come: Option<&str>) {
        if let Some(gone) = gone {
            self.certain.remove(gone);
            if !answered {
                self.possible.insert(gone.to_owned());
            }
        }
        if let Some(come) = come {
            let set = if answered { &mut self.certain } else { &mut self.possible };
            set.insert(come.to_owned());
        }
    }
}

fn start(device: &Device, arguments: &[&str]) -> Child {
    let mut command = device.command();
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs one operation, or kills it before it can answer; returns whether it answered 0.
fn run(device: &Device, arguments: &[&str], kill_after: Option<Duration>) -> bool {
    let mut child = start(device, arguments);
    if let Some(pause) = kill_after {
        thread::sleep(pause);
        // A process that has ended already cannot be killed, and then its answer counts.
        child.kill().ok();
    }
    let ended = child.wait_with_output().unwrap();
    let killed = ended.status.code().is_none();
    let told = String::from_utf8_lossy(&ended.stderr);
    assert!(killed || ended.status.success(), "{arguments:?}: {:?}\n{told}", ended.status);
    !killed
}

/// One worker's operations on texts of its own: it adds, replaces and removes, and some are killed.
fn work(device: &Device, worker: usize) -> Left {
    let mut left = Left::default();
    let mut last = None;
    for n in 0..OPERATIONS {
        let text = format!("worker {worker} entry {n}: the build runs under nextest");
        // Spread over the whole run of a process, from its start to after its commit.
        let kill = (n % 4 == 3).then(|| Duration::from_micros(((worker * 7 + n) * 1_733 % 40_000) as u64));
        match (n % 3, last.take()) {
            (1, Some(old)) => {
                let old: String = old;
                let answered = run(device, &["replace", &old, &text], kill);
                left.note(answered, Some(&old), Some(&text));
                last = answered.then_some(text);
            }
            (2, Some(old)) => {
                let answered = run(device, &["remove", &old], kill);
                left.note(answered, Some(&old), None);
            }
            _ => {
                let answered = run(device, &["add", &text], kill);
                left.note(answered, None, Some(&text));
                last = answered.then_some(text);
            }
        }
    }
    left
}

#[test]
fn many_processes_and_sudden_deaths_lose_no_answered_operation() {
    let device = Device::default();
    device.json(&["init"]);
    device.json(&["add", "the first entry"]);
    let done = AtomicBool::new(false);
    let left: Vec<Left> = thread::scope(|scope| {
        let device = &device;
        let workers: Vec<_> =
            (0..PROCESSES).map(|worker| scope.spawn(move || work(device, worker))).collect();
        let watcher = scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                assert_whole(&device.read_view());
                thread::sleep(Duration::from_millis(1));
            }
        });
        let left = workers.into_iter().map(|worker| worker.join().unwrap()).collect();
        done.store(true, Ordering::Relaxed);
        watcher.join().unwrap();
        left
    });
    device.json(&["add", "the last entry"]);
    let texts = device.texts();
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    texts.iter().for_each(|text| *counted.entry(text).or_default() += 1);
    assert!(counted.values().all(|count| *count == 1), "{counted:?}");
    let there: BTreeSet<String> = texts.iter().cloned().collect();
    let mut allowed = BTreeSet::from(["the first entry".to_owned(), "the last entry".to_owned()]);
    for worker in &left {
        let lost: Vec<_> = worker.certain.difference(&there).collect();
        assert!(lost.is_empty(), "lost {lost:?}");
        allowed.extend(worker.certain.iter().chain(&worker.possible).cloned());
    }
    let back: Vec<_> = there.difference(&allowed).collect();
    assert!(back.is_empty(), "came back {back:?}");
    assert_eq!(device.read_view(), texts.join("\n§\n"));
    assert_nothing_is_left_behind(&device);
    // A check that fails is an answer that is no success.
    device.json(&["doctor", "--deep"]);
}

/// Every piece of the file is a whole entry of somebody's, never a mixture.
fn assert_whole(view: &str) {
    for entry in view.split("\n§\n") {
        let whole = entry.starts_with("worker ") && entry.ends_with(": the build runs under nextest");
        assert!(whole || entry == "the first entry", "{entry:?}");
        assert_eq!(entry.lines().count(), 1, "{entry:?}");
    }
}

fn assert_nothing_is_left_behind(device: &Device) {
    let mut views = names(&device.memories());
    views.retain(|name| !name.starts_with("USER.md"));
    assert_eq!(views, ["MEMORY.md", "MEMORY.md.lock"]);
    let mut state = names(&device.path("state"));
    state.extend(names(&device.path("state").join("views")));
    state.retain(|name| ["tmp", "new", "probe"].iter().any(|passing| name.contains(passing)));
    assert!(state.is_empty(), "{state:?}");
}
