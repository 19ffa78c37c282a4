//! What can happen to a few replicas, as values that proptest makes and shrinks.

use memlore_model::{BookName, EntryId};
use memlore_store::ask::BatchOp;
use memlore_testing::{At, Carelessness, Network};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// One thing that happens on one of the replicas. Numbers name replicas and texts, whatever there is of them.
#[derive(Clone, Debug)]
pub(super) enum Action {
    Add(usize, usize),
    Replace(usize, usize, usize),
    Remove(usize, usize),
    /// Removes by an id that was given once, live or not.
    RemoveId(usize, usize),
    /// Remembers what a replica lists now.
    Look(usize),
    /// Removes as somebody who saw only what was looked at last.
    RemoveSeen(usize, usize),
    Batch(usize, Vec<(usize, usize, usize)>),
    Restore(usize, usize),
    Undo(usize),
    /// Reads the view, puts one text in and takes another out, and writes it.
    Edit(usize, usize, usize),
    /// Writes an older view back, with a text of one's own.
    WriteOld(usize, usize),
    Exchange(usize),
    Carry(usize, usize, bool),
    Restart(usize),
    ClockOff(usize, i64),
}

/// Texts that are alike in every way that must not matter, and in some that do.
const TEXTS: [&str; 9] =
    ["tea", "green tea", "Tea", "caf\u{e9}", "cafe\u{301}", "two\nlines", "a\n§\nb", "§", "記憶"];

pub(super) fn actions(most: usize) -> impl Strategy<Value = Vec<Action>> {
    let (at, text) = (0..5_usize, 0..TEXTS.len());
    let action = prop_oneof![
        4 => (at.clone(), text.clone()).prop_map(|(at, text)| Action::Add(at, text)),
        3 => (at.clone(), text.clone(), text.clone()).prop_map(|(at, old, new)| Action::Replace(at, old, new)),
        3 => (at.clone(), text.clone()).prop_map(|(at, text)| Action::Remove(at, text)),
        1 => (at.clone(), any::<usize>()).prop_map(|(at, id)| Action::RemoveId(at, id)),
        1 => at.clone().prop_map(Action::Look),
        2 => (at.clone(), text.clone()).prop_map(|(at, text)| Action::RemoveSeen(at, text)),
        2 => (at.clone(), prop::collection::vec((0..3_usize, text.clone(), text.clone()), 1..4))
            .prop_map(|(at, ops)| Action::Batch(at, ops)),
        1 => (at.clone(), any::<usize>()).prop_map(|(at, id)| Action::Restore(at, id)),
        2 => at.clone().prop_map(Action::Undo),
        3 => (at.clone(), text.clone(), text.clone()).prop_map(|(at, new, old)| Action::Edit(at, new, old)),
        1 => (at.clone(), text.clone()).prop_map(|(at, text)| Action::WriteOld(at, text)),
        3 => at.clone().prop_map(Action::Exchange),
        6 => (at.clone(), at.clone(), any::<bool>()).prop_map(|(from, to, careless)| Action::Carry(from, to, careless)),
        1 => at.clone().prop_map(Action::Restart),
        1 => (at, -400..400_i64).prop_map(|(at, seconds)| Action::ClockOff(at, seconds)),
    ];
    prop::collection::vec(action, 1..most)
}

/// Plays actions on a network, and asserts of each what must be true at once.
pub(super) struct Player {
    pub(super) net: Network,
    replicas: Vec<At>,
    looked: BTreeMap<At, (String, Vec<EntryId>)>,
    old_views: BTreeMap<At, Vec<u8>>,
    ids: Vec<EntryId>,
}

impl Player {
    pub(super) fn new(replicas: usize) -> Self {
        let mut net = Network::default();
        let replicas = (0..replicas).map(|index| net.replica(&format!("device{index}"))).collect();
        let (looked, old_views) = (BTreeMap::new(), BTreeMap::new());
        Self { net, replicas, looked, old_views, ids: Vec::new() }
    }

    fn at(&self, number: usize) -> At {
        self.replicas[number % self.replicas.len()]
    }

    /// Of all ids that were ever given, one.
    fn id(&self, number: usize) -> Option<EntryId> {
        (!self.ids.is_empty()).then(|| self.ids[number % self.ids.len()])
    }

    pub(super) fn play(&mut self, action: &Action) {
        match action {
            Action::Add(at, text) => {
                let id = self.net.add(self.at(*at), TEXTS[*text]);
                self.ids.push(id);
            }
            Action::Replace(at, old, new) => {
                let at = self.at(*at);
                if self.lives(at, TEXTS[*old]) {
                    self.net.replace(at, TEXTS[*old], TEXTS[*new]);
                }
            }
            Action::Remove(at, text) => self.remove(self.at(*at), TEXTS[*text], None),
            Action::RemoveId(at, id) => {
                if let Some(id) = self.id(*id) {
                    drop(self.net.try_remove(self.at(*at), &id.to_string(), None));
                }
            }
            Action::Look(at) => {
                let at = self.at(*at);
                let context = self.net.context(at);
                let document = self.net.document(at);
                let live = document.live(&BookName::memory()).into_iter().map(|(id, _)| id).collect();
                self.looked.insert(at, (context, live));
            }
            Action::RemoveSeen(at, text) => {
                // What one device listed may well be removed on another.
                let at = self.at(*at);
                let looked = self.looked.values().next().cloned();
                if let Some((context, seen)) = looked {
                    self.remove(at, TEXTS[*text], Some((context, seen)));
                }
            }
            Action::Batch(at, ops) => {
                let ops: Vec<BatchOp> = ops.iter().map(|op| batch_op(*op)).collect();
                self.net.batch(self.at(*at), &ops);
            }
            Action::Restore(at, id) => {
                if let Some(id) = self.id(*id) {
                    self.net.restore(self.at(*at), id);
                }
            }
            Action::Undo(at) => drop(self.net.undo(self.at(*at))),
            Action::Edit(at, new, old) => self.edit(self.at(*at), TEXTS[*new], TEXTS[*old]),
            Action::WriteOld(at, text) => {
                let at = self.at(*at);
                let now = self.net.at(at).view();
                if let Some(old) = self.old_views.insert(at, now) {
                    self.net.edit(
                        at,
                        [&old, if old.is_empty() { "" } else { "\n§\n" }.as_bytes(), TEXTS[*text].as_bytes()]
                            .concat(),
                    );
                }
            }
            Action::Exchange(at) => drop(self.net.exchange(self.at(*at))),
            Action::Carry(from, to, careless) => {
                let careless = if *careless { Carelessness::Great } else { Carelessness::None };
                self.net.carry(self.at(*from), self.at(*to), careless);
            }
            Action::Restart(at) => self.net.restart(self.at(*at)),
            Action::ClockOff(at, seconds) => self.net.set_clock_off(self.at(*at), *seconds),
        }
    }

    fn lives(&mut self, at: At, text: &str) -> bool {
        !self.net.document(at).live_ids(&BookName::memory(), text).is_empty()
    }

    /// A removal takes exactly the ids under which the text lives here, as far as they were seen.
    fn remove(&mut self, at: At, text: &str, seen: Option<(String, Vec<EntryId>)>) {
        let mut expected = self.net.document(at).live_ids(&BookName::memory(), text);
        let (context, seen) = seen.unzip();
        if let Some(seen) = seen {
            expected.retain(|id| seen.contains(id));
        }
        let removed = self.net.try_remove(at, text, context).unwrap_or_default();
        if !expected.is_empty() {
            assert_eq!(removed.into_iter().collect::<std::collections::BTreeSet<_>>(), expected, "{text:?}");
        }
    }

    fn edit(&mut self, at: At, new: &str, old: &str) {
        let view = String::from_utf8(self.net.at(at).view()).unwrap();
        let mut texts: Vec<&str> = view.split("\n§\n").filter(|text| !text.is_empty()).collect();
        texts.retain(|text| *text != old);
        texts.push(new);
        self.net.edit(at, texts.join("\n§\n"));
    }
}

fn batch_op((kind, old, new): (usize, usize, usize)) -> BatchOp {
    let (old, text) = (TEXTS[old].to_owned(), TEXTS[new].to_owned());
    match kind {
        0 => BatchOp::Add { text },
        1 => BatchOp::Replace { old, text },
        _ => BatchOp::Remove { old },
    }
}
