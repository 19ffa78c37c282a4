//! What comes in from outside: the clock, the random source, the environment, the machine's names.
//!
//! They are read here and nowhere else, and passed on as arguments.

use crate::arguments::{Global, Log};
use crate::error::CommandError;
use crate::progress;
#[cfg(feature = "object-store")]
use memlore_bucket::open as open_share;
#[cfg(not(feature = "object-store"))]
use memlore_store::only_folders as open_share;
use memlore_store::{Open, Store};
use std::cell::{OnceCell, RefCell};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The world around one command.
pub(crate) struct World {
    home: Option<OsString>,
    state: Option<OsString>,
    agent: String,
    device: Option<String>,
    now: Option<u64>,
    /// Whether a person may be shown how far something has come.
    watched: bool,
    damage: OnceCell<String>,
    notices: RefCell<Vec<String>>,
}

impl World {
    /// The world that the global options describe.
    pub(crate) fn new(global: &Global) -> Self {
        Self {
            home: named(global.home.as_ref()),
            state: named(global.state.as_ref()),
            agent: global.agent.clone().unwrap_or_default(),
            device: global.device.clone().filter(|name| !name.is_empty()),
            now: global.now,
            watched: !global.json && global.log() >= Log::Warn,
            damage: OnceCell::new(),
            notices: RefCell::default(),
        }
    }

    /// Opens the replica that is there; for commands that only read.
    pub(crate) fn open(&self) -> Result<Store, CommandError> {
        let mut store = Store::open(self.place()?)?;
        self.notices.borrow_mut().append(&mut store.take_notices());
        Ok(store)
    }

    /// Opens the replica, and makes it when there is none; the warnings are of its making.
    ///
    /// A damaged database is moved aside; [`Self::damage`] tells.
    pub(crate) fn open_or_create(&self) -> Result<(Store, Vec<String>), CommandError> {
        let opened = Store::open_or_create(self.place()?)?;
        if let Some(damage) = opened.answer.damage() {
            self.damage.get_or_init(|| damage.to_owned());
        }
        Ok((opened.answer, opened.warnings))
    }

    /// Takes what opening the replica had to tell.
    pub(crate) fn take_notices(&self) -> Vec<String> {
        self.notices.take()
    }

    /// Takes note of what was found damaged, by somebody who opened the replica without our help.
    pub(crate) fn note_damage(&self, damage: &str) {
        self.damage.get_or_init(|| damage.to_owned());
    }

    /// What was found damaged on the way, and put right: it decides the exit code, whatever the answer is.
    pub(crate) fn damage(&self) -> Option<&str> {
        self.damage.get().map(String::as_str)
    }

    /// Where the replica lives, and who uses it.
    pub(crate) fn place(&self) -> Result<Open, CommandError> {
        let home = self.home()?;
        let state = match &self.state {
            Some(state) => absolute(Path::new(state)),
            None => memlore_store::default_state(&data_folder().ok_or_else(no_place)?, &home),
        };
        let now = self.now;
        Ok(Open {
            home,
            state,
            agent: self.agent.clone(),
            device: self.device.clone().unwrap_or_else(device),
            machine: machine(),
            now: Box::new(move || now.unwrap_or_else(wall_clock_us)),
            random: Box::new(random),
            shares: Box::new(open_share),
            on_taking_in: if self.watched { progress::bar() } else { Box::new(drop) },
        })
    }

    /// The agent profile's folder.
    pub(crate) fn home(&self) -> Result<PathBuf, CommandError> {
        match &self.home {
            Some(home) => Ok(absolute(Path::new(home))),
            None => Ok(std::env::home_dir().ok_or_else(no_place)?.join(".memlore")),
        }
    }

    /// The wall time, in microseconds since the epoch.
    pub(crate) fn now_us(&self) -> u64 {
        self.now.unwrap_or_else(wall_clock_us)
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where the clock is read")]
fn wall_clock_us() -> u64 {
    let since_epoch = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    // A clock before 1970 is as good as one that stands still: stamps grow all the same.
    since_epoch.map_or(0, |passed| u64::try_from(passed.as_micros()).unwrap_or(u64::MAX))
}

fn random(buffer: &mut [u8]) {
    getrandom::fill(buffer).expect("every system that has processes has a random source");
}

/// An option's value; an empty one means the same as none.
fn named(value: Option<&OsString>) -> Option<OsString> {
    value.filter(|value| !value.is_empty()).cloned()
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn no_place() -> CommandError {
    CommandError::usage("this account has no home folder to keep a memory in")
        .hint("name the folders with --home and --state")
}

/// Where this platform wants programs to keep their data.
fn data_folder() -> Option<PathBuf> {
    let given = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    if cfg!(windows) {
        given("LOCALAPPDATA").or_else(|| Some(std::env::home_dir()?.join("AppData").join("Local")))
    } else if cfg!(target_os = "macos") {
        Some(std::env::home_dir()?.join("Library").join("Application Support"))
    } else {
        given("XDG_DATA_HOME").or_else(|| Some(std::env::home_dir()?.join(".local").join("share")))
    }
}

/// The name of this device, for people.
fn device() -> String {
    #[cfg(unix)]
    let name = Some(rustix::system::uname().nodename().to_string_lossy().into_owned());
    #[cfg(not(unix))]
    let name = std::env::var("COMPUTERNAME").ok();
    name.filter(|name| !name.is_empty()).unwrap_or_else(|| "unnamed".to_owned())
}

/// The machine's own id, where there is one that outlives a restart.
fn machine() -> Option<String> {
    let id = std::fs::read_to_string("/etc/machine-id").ok()?;
    Some(id.trim().to_owned()).filter(|id| !id.is_empty() && id != "uninitialized")
}
