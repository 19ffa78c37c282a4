//! A few real replicas in temporary folders, and a world that delivers what it likes, when it likes.

mod delivery;
mod replica;

pub use delivery::Carelessness;
pub use replica::Replica;

use crate::Oracle;
use memlore_model::EntryId;
use memlore_store::ask::{Add, BatchOp, Removal};
use memlore_store::{Open, Result, Store};
pub(crate) use replica::World;
use std::path::Path;
use tempfile::TempDir;

/// Names one replica of a [`Network`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct At(usize);

/// Real stores on devices of their own, each with its own copy of the share, as a sync program keeps it.
///
/// The clock and the random source come from a seed, so that a story is the same each time it is told. Nothing
/// travels unless it is told to.
pub struct Network {
    folder: TempDir,
    world: World,
    replicas: Vec<Replica>,
    /// Everything that answered operations did, anywhere.
    happened: Oracle,
}

impl Default for Network {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Network {
    /// A network without replicas, whose clock and random source follow from the seed.
    pub fn new(seed: u64) -> Self {
        // What is asserted here is meaning, not durability: where there is a file system in memory, it serves.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a temporary folder");
        Self { folder, world: World::new(seed), replicas: Vec::new(), happened: Oracle::default() }
    }

    /// Adds a replica on a device of its own.
    pub fn replica(&mut self, device: &str) -> At {
        let place = self.folder.path().join(device);
        let marker = self.replicas.first().map(|first| first.share().join("memlore.json"));
        self.replicas.push(Replica::new(&self.world, device, &place, marker.as_deref()));
        At(self.replicas.len() - 1)
    }

    /// Adds several replicas.
    pub fn devices<const N: usize>(&mut self, names: [&str; N]) -> [At; N] {
        names.map(|name| self.replica(name))
    }

    /// All replicas.
    pub fn all(&self) -> impl Iterator<Item = At> + use<> {
        (0..self.replicas.len()).map(At)
    }

    /// A replica.
    pub fn at(&self, at: At) -> &Replica {
        &self.replicas[at.0]
    }

    /// A replica's store, for what this type has no words for.
    pub fn store(&mut self, at: At) -> &mut Store {
        self.world.tick();
        self.replicas[at.0].store()
    }

    /// Tells a replica that its home lies in a synced folder.
    pub fn set_synced(&mut self, at: At) {
        self.replicas[at.0].set_synced();
    }

    /// A number below `end`, which must be above zero, as the seed decides.
    pub fn random(&self, end: usize) -> usize {
        self.world.below(end)
    }

    /// Sets a device's clock this many seconds off the others'.
    pub fn set_clock_off(&mut self, at: At, seconds: i64) {
        self.replicas[at.0].set_clock_off(seconds);
    }

    /// Lets time pass everywhere.
    pub fn wait(&self, seconds: u64) {
        self.world.wait(seconds);
    }

    /// Remembers a text in the book `memory`.
    pub fn add(&mut self, at: At, text: &str) -> EntryId {
        let added = self.store(at).add(&Add::new(memlore_model::BookName::memory(), text));
        let added = added.expect("the text is remembered").answer;
        self.learn(at);
        added.id
    }

    /// Puts a text in another's place.
    pub fn replace(&mut self, at: At, old: &str, new: &str) {
        let replaced = self.store(at).replace(old, new, &Removal::default());
        replaced.expect("the text is replaced");
        self.learn(at);
    }

    /// Removes a text.
    pub fn remove(&mut self, at: At, what: &str) {
        self.try_remove(at, what, None).expect("the text is removed");
    }

    /// Removes a text as somebody who had seen what a context names; returns the ids that are gone.
    ///
    /// # Errors
    /// Nothing that was seen matches, or too much does.
    pub fn try_remove(&mut self, at: At, what: &str, context: Option<String>) -> Result<Vec<EntryId>> {
        let removal = Removal { context, why: None };
        let removed = self.store(at).remove(what, &removal)?.answer.removed;
        self.learn(at);
        Ok(removed)
    }

    /// Does several things in one transaction.
    pub fn batch(&mut self, at: At, ops: &[BatchOp]) {
        let done = self.store(at).batch(&memlore_model::BookName::memory(), ops);
        done.expect("a batch leaves out what it cannot do");
        self.learn(at);
    }

    /// Adds a removed entry again, when it can be.
    pub fn restore(&mut self, at: At, id: EntryId) -> bool {
        let restored = self.store(at).restore(id).is_ok();
        self.learn(at);
        restored
    }

    /// Takes a replica's last operation back, when there is one.
    pub fn undo(&mut self, at: At) -> bool {
        let undone = self.store(at).undo().is_ok();
        self.learn(at);
        undone
    }

    /// Somebody writes MEMORY.md; memlore takes it in.
    pub fn edit(&mut self, at: At, content: impl AsRef<[u8]>) {
        self.at(at).write_view(content);
        self.import(at);
    }

    /// Takes in what was edited; returns the warnings.
    pub fn import(&mut self, at: At) -> Vec<String> {
        let imported = self.store(at).import(None, false).expect("edits are taken in");
        self.learn(at);
        imported.warnings
    }

    /// The token of what a replica has now.
    pub fn context(&mut self, at: At) -> String {
        self.store(at).list(&memlore_store::ask::ListQuery::default()).expect("a list").context
    }

    /// What a replica's own Automerge document says.
    pub fn document(&mut self, at: At) -> Oracle {
        self.replicas[at.0].document()
    }

    /// The texts of the book `memory` that a replica lists.
    pub fn texts(&mut self, at: At) -> Vec<String> {
        self.replicas[at.0].texts()
    }

    /// The texts of which several live where one entry stood, on a replica.
    pub fn conflicts(&mut self, at: At) -> Vec<Vec<String>> {
        let conflicts = self.store(at).conflicts().expect("conflicts are listed");
        let texts = |conflict: memlore_store::answer::Conflict| {
            conflict.entries.into_iter().map(|entry| entry.entry.text).collect()
        };
        conflicts.into_iter().map(texts).collect()
    }

    /// One exchange of a replica with its own copy of the share.
    pub fn exchange(&mut self, at: At) -> memlore_store::answer::Synced {
        let synced = self.store(at).sync(None).expect("an exchange").answer;
        assert_eq!(synced.share_problem, None);
        self.learn(at);
        synced
    }

    /// Closes a replica; whatever is asked of it next opens it again.
    pub fn close(&mut self, at: At) {
        self.replicas[at.0].close();
    }

    /// Closes a replica and opens it again, as a new process does.
    pub fn restart(&mut self, at: At) {
        self.replicas[at.0].restart();
    }

    /// The store of a replica, opened once more, as by another process.
    pub fn another_process(&self, at: At) -> Store {
        self.replicas[at.0].another_process()
    }

    /// Everything that happened anywhere, as plain maps.
    pub fn happened(&self) -> &Oracle {
        &self.happened
    }

    /// Notes what a replica has now; nothing that it ever had may be lost again.
    fn learn(&mut self, at: At) {
        let known = self.replicas[at.0].document();
        self.happened.merge(&known);
    }

    /// Opens another replica's folders under a world of its own; for tests of copies.
    pub fn open_at(&self, device: &str, home: &Path, state: &Path) -> Open {
        self.world.open(device, home, state, 0)
    }
}
