//! The kinds of use, what each may cost, and how one history of it is played.

use super::devices::{self, Travel};
use super::home::{Home, World};
use super::oracle::Tally;
use super::people::{Editor, StaleSaver, agent_adds_again, agent_changes, append};
use memlore_view::Dialect;

/// When memlore looks at the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Looks {
    /// `watch` runs, and sees one change at a time, mostly.
    Watching,
    /// After each change.
    Each,
    /// After every third change.
    Third,
}

/// What a kind of use may cost at most, in percent: of the removals, of the entries, of the removals.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Removals that are held.
    pub refused: f64,
    /// Entries that are lost.
    pub lost: f64,
    /// Removals that are undone.
    pub brought_back: f64,
}

/// One way in which a home is used.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name, for the table.
    pub name: &'static str,
    /// What it may cost.
    pub bound: Bound,
    /// The format of the file, and with it whether its programs lock.
    pub(super) dialect: Dialect,
    /// Agents that read the file again before each change.
    pub(super) agents: u64,
    pub(super) editors: u64,
    /// How often an editor keeps its buffer, in percent.
    pub(super) keeps_buffer: u64,
    pub(super) stale: u64,
    /// How often a stale saver adds nothing, in percent.
    pub(super) silent: u64,
    pub(super) appenders: u64,
    pub(super) calls: u64,
    pub(super) looks: Looks,
    pub(super) access_times: bool,
    pub(super) devices: Option<Travel>,
}

const NOBODY: Kind = Kind {
    name: "",
    bound: costs(100.0, 0.05, 0.02),
    dialect: Dialect::Hermes,
    agents: 0,
    editors: 0,
    keeps_buffer: 0,
    stale: 0,
    silent: 0,
    appenders: 0,
    calls: 0,
    looks: Looks::Each,
    access_times: true,
    devices: None,
};

const fn costs(refused: f64, lost: f64, brought_back: f64) -> Bound {
    Bound { refused, lost, brought_back }
}

const WATCHED: Kind = Kind { bound: costs(0.2, 0.0, 0.0), agents: 1, looks: Looks::Watching, ..NOBODY };
const EACH: Kind = Kind { bound: costs(1.8, 0.0, 0.0), agents: 1, ..NOBODY };
const THIRD: Kind = Kind { bound: costs(20.0, 0.0, 0.0), agents: 1, looks: Looks::Third, ..NOBODY };
const EDITOR: Kind = Kind { bound: costs(28.0, 0.0, 0.0), editors: 1, ..NOBODY };
const STALE: Kind = Kind { stale: 1, ..NOBODY };
const SYNCED: Kind = Kind { bound: costs(100.0, 0.03, 0.3), agents: 1, calls: 1, ..NOBODY };

impl Kind {
    /// Every kind of use, in the order of the table.
    pub fn all() -> Vec<Self> {
        let lists = [Dialect::Bullets, Dialect::Section, Dialect::Gemini].map(Self::of_lists);
        Self::of_hermes().into_iter().chain(lists.into_iter().flatten()).collect()
    }

    /// The kinds of use of a file that is a list, or has one in it: nobody locks it, and a person writes around it.
    fn of_lists(dialect: Dialect) -> Vec<Self> {
        let list = Self { dialect, ..NOBODY };
        let names = match dialect {
            Dialect::Section => [
                "section, an agent and calls",
                "section, an editor and calls",
                "section, a stale saver and calls",
                "section, everybody",
                "section, two devices",
            ],
            Dialect::Gemini => [
                "gemini, an agent and calls",
                "gemini, an editor and calls",
                "gemini, a stale saver and calls",
                "gemini, everybody",
                "gemini, two devices",
            ],
            Dialect::Bullets | Dialect::Hermes => [
                "bullets, an agent and calls",
                "bullets, an editor and calls",
                "bullets, a stale saver and calls",
                "bullets, everybody",
                "bullets, two devices",
            ],
        };
        let kinds = [
            Self { agents: 1, calls: 1, bound: costs(28.0, 0.0, 0.0), ..list },
            Self { editors: 1, calls: 1, bound: costs(28.0, 0.0, 0.0), ..list },
            Self { stale: 1, calls: 2, ..list },
            Self {
                agents: 2,
                editors: 1,
                keeps_buffer: 20,
                stale: 1,
                silent: 10,
                appenders: 1,
                calls: 1,
                ..list
            },
            Self {
                agents: 1,
                editors: 1,
                calls: 1,
                devices: Some(Travel::Slower),
                bound: SYNCED.bound,
                ..list
            },
        ];
        names.into_iter().zip(kinds).map(|(name, kind)| Self { name, ..kind }).collect()
    }

    /// The kinds of use of a hermes home.
    fn of_hermes() -> Vec<Self> {
        vec![
            Self { name: "hermes, watched", ..WATCHED },
            Self { name: "hermes, watched, and calls", calls: 1, ..WATCHED },
            Self { name: "two hermes, watched", agents: 2, calls: 1, ..WATCHED },
            Self { name: "hermes, looked at after each change", ..EACH },
            Self { name: "hermes and calls, after each", calls: 1, ..EACH },
            Self { name: "two hermes, after each", agents: 2, calls: 1, ..EACH },
            Self { name: "hermes, looked at after every third", ..THIRD },
            Self { name: "hermes and calls, after every third", calls: 1, ..THIRD },
            Self { name: "two hermes, after every third", agents: 2, calls: 1, ..THIRD },
            Self { name: "editor", ..EDITOR },
            Self { name: "editor and calls", calls: 1, ..EDITOR },
            Self {
                name: "editor with an old buffer",
                keeps_buffer: 30,
                calls: 1,
                bound: NOBODY.bound,
                ..EDITOR
            },
            Self { name: "editor and hermes", agents: 2, bound: NOBODY.bound, ..EDITOR },
            Self { name: "stale saver and calls", calls: 2, ..STALE },
            Self { name: "stale saver and hermes", agents: 2, ..STALE },
            Self { name: "stale saver that adds nothing", agents: 2, silent: 60, ..STALE },
            Self { name: "two stale savers", stale: 2, calls: 1, silent: 10, ..STALE },
            Self { name: "stale saver and editor", editors: 2, ..STALE },
            Self { name: "appender and hermes", appenders: 1, agents: 2, ..NOBODY },
            Self { name: "appender and stale saver", appenders: 1, silent: 10, ..STALE },
            Self {
                name: "everybody",
                agents: 2,
                editors: 1,
                keeps_buffer: 20,
                calls: 1,
                appenders: 1,
                silent: 10,
                ..STALE
            },
            Self {
                name: "everybody, no access times",
                agents: 2,
                editors: 1,
                calls: 1,
                silent: 10,
                access_times: false,
                ..STALE
            },
            Self { name: "two devices, fast records", devices: Some(Travel::Faster), ..SYNCED },
            Self { name: "two devices, slow records", devices: Some(Travel::Slower), ..SYNCED },
            Self {
                name: "two devices, watched",
                devices: Some(Travel::Slower),
                looks: Looks::Watching,
                ..SYNCED
            },
            Self {
                name: "two devices, editors",
                devices: Some(Travel::Slower),
                agents: 0,
                editors: 1,
                ..SYNCED
            },
            Self {
                name: "two devices, everybody",
                devices: Some(Travel::Slower),
                editors: 1,
                stale: 1,
                ..SYNCED
            },
        ]
    }

    /// Whether the file is a list, or has one in it.
    pub fn is_of_lists(&self) -> bool {
        self.dialect != Dialect::Hermes
    }

    /// Plays one random history.
    ///
    /// # Panics
    /// When something happens that must never: two devices that do not come to rest or to agree.
    pub fn run(&self, seed: u64) -> Tally {
        let mut world = World::new(seed, self.dialect);
        let mut tally = match self.devices {
            None => self.run_home(&mut world),
            Some(travel) => devices::run(self, travel, &mut world),
        };
        tally += world.oracle.tally;
        tally
    }

    fn run_home(&self, world: &mut World) -> Tally {
        let mut page = super::disk::Page::new();
        for _ in 0..world.random.between(0, 8) {
            let (text, tokens) = world.thought();
            if page.iter().all(|(other, _)| *other != text) {
                page.push((text, tokens));
            }
        }
        let mut home = Home::init(0, false, page, world);
        home.watched = self.looks == Looks::Watching;
        home.access_times = self.access_times;
        let mut people = People::of(self, world);
        let mut changes = 0;
        for _ in 0..world.random.between(15, 45) {
            world.now_us += world.random.between(3_000_000, 3_600_000_000);
            let inode = home.disk.page.clone();
            people.act(self, &mut home, world);
            changes += u64::from(home.disk.page != inode);
            let due = match self.looks {
                Looks::Each => true,
                Looks::Third => changes % 3 == 0,
                Looks::Watching => world.random.percent(85),
            };
            if due {
                world.now_us += world.random.between(10_000, 2_000_000);
                home.run(world);
            }
        }
        home.run(world);
        world.oracle.count_outcome(&home.book, false);
        Tally::default()
    }
}

/// Everybody who writes one home's file.
pub(super) struct People {
    editors: Vec<Editor>,
    stale: Vec<StaleSaver>,
}

impl People {
    pub(super) fn of(kind: &Kind, world: &mut World) -> Self {
        let editors = (0..kind.editors).map(|_| Editor::new(kind.keeps_buffer, world.random.percent(40)));
        Self {
            editors: editors.collect(),
            stale: (0..kind.stale).map(|_| StaleSaver::new(kind.silent)).collect(),
        }
    }

    /// One of them does something.
    pub(super) fn act(&mut self, kind: &Kind, home: &mut Home, world: &mut World) {
        let crowd = [kind.agents, kind.editors, kind.stale, kind.appenders, kind.calls];
        let mut who = world.random.below(crowd.iter().sum());
        let mut group = 0;
        while who >= crowd[group] {
            who -= crowd[group];
            group += 1;
        }
        match group {
            0 if world.random.percent(3) => agent_adds_again(home, world),
            0 => agent_changes(home, world),
            1 => self.editors[who as usize].act(home, world),
            2 => self.stale[who as usize].act(home, world),
            3 => append(home, world),
            _ => home.call(world),
        }
    }
}
