//! How segments travel, and what must be true when all of them arrived.

use super::{At, Network};
use memlore_model::BookName;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// How careless the sync program is that carries the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carelessness {
    /// Every file arrives, under its name.
    None,
    /// Files arrive in any order, some of them later, some twice, some under another name, and the replica looks at
    /// its share at any moment in between.
    Great,
}

/// No network of a test needs more rounds than this to become quiet.
const MOST_ROUNDS: usize = 8;

impl Network {
    /// Everything that one replica has reaches another.
    pub fn deliver(&mut self, from: At, to: At) {
        self.exchange(from);
        self.carry(from, to, Carelessness::None);
        self.exchange(to);
    }

    /// Both replicas get all that the other has.
    pub fn meet(&mut self, one: At, other: At) {
        self.deliver(one, other);
        self.deliver(other, one);
    }

    /// Carries the files of one replica's copy of the share into another's.
    pub fn carry(&mut self, from: At, to: At, carelessness: Carelessness) {
        let (source, target) = (self.at(from).share(), self.at(to).share());
        let mut files = files_below(&source);
        match carelessness {
            Carelessness::None => {
                for file in files {
                    copy(&source.join(&file), &target.join(&file));
                }
            }
            Carelessness::Great => {
                while !files.is_empty() {
                    let file = files.swap_remove(self.world.below(files.len()));
                    let fate = self.world.below(6);
                    let name = match fate {
                        0 => continue,
                        1 => renamed(&file),
                        _ => file.clone(),
                    };
                    copy(&source.join(&file), &target.join(name));
                    if fate == 2 {
                        copy(&source.join(&file), &target.join(renamed(&file)));
                    }
                    if fate == 3 {
                        self.exchange(to);
                    }
                }
            }
        }
    }

    /// Everybody gets everything, until nothing changes any more.
    pub fn run_until_quiet(&mut self) {
        for _ in 0..MOST_ROUNDS {
            let before = self.bytes();
            for from in self.all() {
                for to in self.all().filter(|to| *to != from) {
                    self.deliver(from, to);
                }
            }
            if self.bytes() == before {
                return;
            }
        }
        panic!("the replicas are not quiet after {MOST_ROUNDS} rounds");
    }

    /// Runs until quiet and asserts all that must be true then, on every replica: the same memory, the same bytes,
    /// what the plain maps say, no complaint of the doctor; and that neither another exchange nor a restart changes
    /// anything.
    pub fn settle(&mut self) {
        self.run_until_quiet();
        self.assert_converged();
        let before = self.bytes();
        for at in self.all() {
            let synced = self.exchange(at);
            assert_eq!(
                (synced.records, synced.published_records),
                (0, 0),
                "another exchange moves something"
            );
        }
        assert_eq!(self.bytes(), before, "another exchange changes a byte");
        for at in self.all() {
            self.restart(at);
            drop(self.store(at).render().expect("a render"));
        }
        assert_eq!(self.bytes(), before, "a restart changes a byte");
    }

    /// Asserts that every replica has everything that happened, and shows it in the same bytes.
    pub fn assert_converged(&mut self) {
        let book = BookName::memory();
        let happened = self.happened().clone();
        let shown: Vec<String> = happened.shown(&book).into_iter().map(str::to_owned).collect();
        let view = self.at(At(0)).view();
        for at in self.all() {
            assert_eq!(self.replicas[at.0].document(), happened, "{at:?}: the document");
            assert_eq!(self.texts(at), shown, "{at:?}: the list");
            assert_eq!(
                String::from_utf8_lossy(&self.at(at).view()),
                String::from_utf8_lossy(&view),
                "{at:?}: the view"
            );
            let conflicts: BTreeSet<BTreeSet<String>> =
                self.conflicts(at).into_iter().map(BTreeSet::from_iter).collect();
            assert_eq!(conflicts, happened.conflicts(), "{at:?}: the conflicts");
            for check in self.store(at).doctor(false, true).expect("a check") {
                assert!(check.ok, "{at:?}: {}: {}", check.name, check.detail);
            }
        }
        self.assert_equal_vectors_mean_equal_bytes();
    }

    /// Asserts that replicas which have seen the same show the same.
    pub fn assert_equal_vectors_mean_equal_bytes(&mut self) {
        let mut views = BTreeMap::new();
        for at in self.all() {
            let (context, view) = (self.context(at), self.at(at).view());
            let first = views.entry(context).or_insert_with(|| view.clone());
            assert_eq!(String::from_utf8_lossy(first), String::from_utf8_lossy(&view), "{at:?}");
        }
    }

    /// Every byte of every home and share.
    fn bytes(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut bytes = BTreeMap::new();
        for replica in &self.replicas {
            for folder in [replica.home(), replica.share()] {
                for file in files_below(&folder) {
                    let path = folder.join(file);
                    bytes.insert(path.clone(), fs::read(path).expect("a file that was listed"));
                }
            }
        }
        bytes
    }
}

/// The files below a folder, by their relative paths, sorted.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(folder.join(&next)).into_iter().flatten().flatten() {
            let path = next.join(entry.file_name());
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// Copies a file as a sync program does: its name appears when it is whole.
fn copy(from: &Path, to: &Path) {
    let (Ok(new), old) = (fs::read(from), fs::read(to).ok()) else { return };
    if old.as_ref() == Some(&new) {
        return;
    }
    let staged = to.with_extension("partial");
    fs::create_dir_all(to.parent().expect("a file has a folder")).expect("a folder");
    fs::write(&staged, new).and_then(|()| fs::rename(&staged, to)).expect("a copy");
}

/// The name that a sync program gives a second copy.
fn renamed(file: &Path) -> PathBuf {
    let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    match file.extension() {
        Some(ending) => file.with_file_name(format!("{name} (1).{}", ending.to_string_lossy())),
        None => file.with_file_name(format!("{name} (1)")),
    }
}
