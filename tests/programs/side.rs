//! One of two devices, what it did, and what both must agree on in the end.

use crate::device::Device;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread;

/// The conversation that both devices write.
const TALK: &str = "talk";

/// A device, and what it was told to keep, to forget and to hand on.
pub(super) struct Side {
    pub(super) device: Device,
    name: &'static str,
    round: usize,
    kept: BTreeSet<String>,
    gone: BTreeSet<String>,
    said: BTreeSet<String>,
}

impl Side {
    pub(super) fn new(name: &'static str) -> Self {
        let (kept, gone, said) = Default::default();
        Self { device: Device::default(), name, round: 0, kept, gone, said }
    }

    /// Makes the home, with this share.
    pub(super) fn init(&self, share: &Path) {
        self.device.json(&["init", "--share", share.to_str().unwrap()]);
    }

    pub(super) fn sync(&self) {
        self.device.json(&["sync"]);
    }

    /// One round of work: adds, a replace and a removal of what the round before added, messages, and exchanges.
    pub(super) fn work(&mut self) {
        self.round += 1;
        for n in 0..3 {
            self.add(&self.text(self.round, n));
        }
        self.sync();
        if self.round > 1 {
            let (old, new) = (self.text(self.round - 1, 0), self.text(self.round, 3));
            self.device.json(&["replace", &old, &new]);
            self.kept.insert(new);
            self.forget(old);
            let old = self.text(self.round - 1, 1);
            self.device.json(&["remove", &old]);
            self.forget(old);
        }
        self.say();
        self.sync();
    }

    /// Replaces a text that both devices have, each by its own.
    pub(super) fn replace_common(&mut self, old: &str) {
        let new = format!("{old}, says {}", self.name);
        self.device.json(&["replace", old, &new]);
        self.kept.insert(new);
        self.forget(old.to_owned());
    }

    pub(super) fn add(&mut self, text: &str) {
        self.device.json(&["add", text]);
        self.kept.insert(text.to_owned());
    }

    fn text(&self, round: usize, n: usize) -> String {
        format!("{} in round {round}, number {n}: the tests run under nextest", self.name)
    }

    fn forget(&mut self, text: String) {
        self.kept.remove(&text);
        self.gone.insert(text);
    }

    /// Appends two messages in one call.
    fn say(&mut self) {
        let said: Vec<_> =
            (0..2).map(|n| format!("{} asks in round {}: {n}?", self.name, self.round)).collect();
        let lines: String =
            said.iter().map(|text| format!("{}\n", json!({"role": "user", "content": text}))).collect();
        let mut command = self.device.command();
        command.args(["session", "append", TALK]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        assert!(child.wait_with_output().unwrap().status.success());
        self.said.extend(said);
    }

    /// What this device shows, as far as devices must agree.
    fn shows(&self) -> [Value; 3] {
        let of = |arguments: &[&str], key: &str| self.device.run(arguments).1[key].take();
        [
            of(&["list"], "entries"),
            of(&["session", "show", TALK], "messages"),
            of(&["conflicts"], "conflicts"),
        ]
    }
}

/// Both devices work at once, so many rounds.
pub(super) fn work_at_once(sides: &mut [Side; 2], rounds: usize) {
    thread::scope(|scope| {
        for side in sides {
            scope.spawn(move || (0..rounds).for_each(|_| side.work()));
        }
    });
}

/// Lets both devices exchange, the program carry, and looks that they end equal and whole; returns what they show.
pub(super) fn agree(sides: &[Side; 2], carry: &dyn Fn()) -> [Value; 3] {
    let mut shown = [sides[0].shows(), sides[1].shows()];
    // Records and a marker's copies need two ways; edits that a file brought need one more.
    for _ in 0..4 {
        sides.iter().for_each(Side::sync);
        carry();
        sides.iter().for_each(Side::sync);
        carry();
        shown = [sides[0].shows(), sides[1].shows()];
        if shown[0] == shown[1] {
            break;
        }
    }
    let [shown, other] = shown;
    assert_eq!(shown, other, "the devices do not agree");
    let texts = |value: &Value, key: &str| -> Vec<String> {
        let items = value.as_array().into_iter().flatten();
        items.map(|item| item[key].as_str().unwrap().to_owned()).collect()
    };
    let (listed, said) = (texts(&shown[0], "text"), texts(&shown[1], "content"));
    let once: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(once.len(), listed.len(), "a text is listed twice: {listed:#?}");
    let all =
        |of: fn(&Side) -> &BTreeSet<String>| sides.iter().flat_map(of).cloned().collect::<BTreeSet<_>>();
    let gone = all(|side| &side.gone);
    assert_eq!(once, all(|side| &side.kept).difference(&gone).cloned().collect());
    assert_eq!(said.len(), all(|side| &side.said).len(), "messages: {said:#?}");
    assert_eq!(said.into_iter().collect::<BTreeSet<_>>(), all(|side| &side.said));
    for side in sides {
        // A check that fails is an answer that is no success.
        side.device.json(&["doctor", "--deep"]);
        let status = side.device.json(&["status"]);
        assert_eq!(status["share"]["waiting"], json!([]), "{status:#}");
    }
    shown
}

/// The names of conflict copies that a sync program made.
pub(super) fn copies(folder: &Path, mark: &str) -> Vec<PathBuf> {
    super::tree(folder).into_keys().filter(|path| path.contains(mark)).map(PathBuf::from).collect()
}
