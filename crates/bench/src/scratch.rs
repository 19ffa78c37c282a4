//! The folder everything is measured in, and the stores and shares in it.

use anyhow::{Context as _, Result, bail};
use memlore_model::BookName;
use memlore_store::ask::{Add, Removal};
use memlore_store::{Open, Store};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

use crate::turns::timed;

/// How many entries the view has whose rendering is part of an add.
const IN_VIEW: usize = 100;

/// A folder on the disk that is measured: below the program itself, or where `MEMLORE_BENCH_DIR` says.
pub(crate) struct Scratch {
    folder: TempDir,
    shares: RefCell<BTreeMap<usize, PathBuf>>,
}

impl Scratch {
    /// Makes the folder; it goes when this does.
    pub(crate) fn new() -> Result<Self> {
        let program = std::env::current_exe()?;
        let beside = program.parent().context("the program lies nowhere")?.to_owned();
        let disk = std::env::var_os("MEMLORE_BENCH_DIR").map_or(beside, PathBuf::from);
        let folder = tempfile::Builder::new().prefix("bench-").tempdir_in(disk)?;
        Ok(Self { folder, shares: RefCell::default() })
    }

    /// A path in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A share in which another replica published this many entries of 60 characters, each a record of its own.
    pub(crate) fn share_of(&self, entries: usize) -> Result<PathBuf> {
        if let Some(made) = self.shares.borrow().get(&entries) {
            return Ok(made.clone());
        }
        let share = self.path(&format!("share-{entries}"));
        // Nobody times this, so it may lie where a commit costs nothing.
        let memory = Path::new("/dev/shm");
        let beside = if memory.is_dir() { memory } else { self.folder.path() };
        let writer = tempfile::tempdir_in(beside)?;
        let mut store = open(writer.path())?;
        let book: BookName = "notes".parse()?;
        for number in 0..entries {
            store.add(&Add::new(book.clone(), text(number)))?;
        }
        sync(&mut store, Some(&share))?;
        self.shares.borrow_mut().insert(entries, share.clone());
        Ok(share)
    }

    /// A store that took in so many entries of another book, and has a view of 100.
    pub(crate) fn store_of(&self, name: &str, entries: usize) -> Result<Scene> {
        let folder = self.path(name);
        let mut store = open(&folder)?;
        if entries > IN_VIEW {
            sync(&mut store, Some(&self.share_of(entries - IN_VIEW)?))?;
        }
        for number in 0..IN_VIEW {
            store.add(&Add::new(BookName::memory(), text(number)))?;
        }
        Ok(Scene { folder, store, next: IN_VIEW })
    }
}

/// A store with a view of 100 entries, ready for one more.
pub(crate) struct Scene {
    /// Home and state lie in it.
    pub(crate) folder: PathBuf,
    /// The store, open.
    pub(crate) store: Store,
    next: usize,
}

impl Scene {
    /// Adds an entry to the view, which is timed, and takes it away again, which is not.
    pub(crate) fn add(&mut self) -> Result<Duration> {
        let add = Add::new(BookName::memory(), text(self.next));
        self.next += 1;
        let (added, passed) = timed(|| Ok(self.store.add(&add)?))?;
        self.store.remove(&added.answer.id.to_string(), &Removal::default())?;
        Ok(passed)
    }
}

/// Opens the store of a folder, or makes one.
pub(crate) fn open(folder: &Path) -> Result<Store> {
    fs::create_dir_all(folder)?;
    let open = Open {
        home: folder.join("home"),
        state: folder.join("state"),
        agent: "bench".to_owned(),
        device: "bench".to_owned(),
        machine: None,
        now: Box::new(now_us),
        random: Box::new(|buffer| getrandom::fill(buffer).expect("every system has a random source")),
        shares: Box::new(memlore_store::only_folders),
        on_taking_in: Box::new(drop),
    };
    Ok(Store::open_or_create(open)?.answer)
}

/// Exchanges with a share, and insists that it worked.
pub(crate) fn sync(store: &mut Store, share: Option<&Path>) -> Result<()> {
    let share = share.map(Path::to_string_lossy);
    if let Some(trouble) = store.sync(share.as_deref())?.answer.share_problem {
        bail!("the share cannot be used: {}", trouble.what);
    }
    Ok(())
}

/// A text of 60 characters that no other number gives: words of letters drawn at random, which nothing packs well.
pub(crate) fn text(number: usize) -> String {
    const CHARS: usize = 60;
    let mut text = format!("note {number:06}:");
    let mut seed = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    while text.len() < CHARS {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let draw = (seed >> 32) % 32;
        let letter = b'a' + draw as u8;
        // One draw in five or so ends a word, but for the last letter.
        let ends = letter > b'z' && !text.ends_with([' ', ':']) && text.len() + 1 < CHARS;
        text.push(if ends || text.ends_with(':') { ' ' } else { char::from(b'a' + (draw % 26) as u8) });
    }
    text
}

#[expect(clippy::disallowed_methods, reason = "this program measures; it reads the clock for the store too")]
fn now_us() -> u64 {
    let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since_epoch.map_or(0, |passed| passed.as_micros() as u64)
}
