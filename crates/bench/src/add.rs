//! One durable add, with a view of 100 entries rendered.

use anyhow::Result;

use crate::bare::Rows;
use crate::figure::Figure;
use crate::hermes::{self, Hermes};
use crate::scratch::Scratch;
use crate::turns::{Turn, medians, timed};
use std::path::{Path, PathBuf};
use std::time::Duration;

const ROUNDS: usize = 600;
/// What a commit, its change and its rendering may cost beyond the commit alone.
const MOST_BEYOND_MS: f64 = 0.45;
const MOST_OF_HERMES: f64 = 0.7;

pub(crate) fn ask(scratch: &Scratch) -> Result<Vec<Figure>> {
    let mut scene = scratch.store_of("add", 100)?;
    scene.add()?;
    let database = rusqlite::Connection::open(scene.folder.join("state/memlore.db"))?;
    let bytes: usize =
        database.query_row("select max(length(payload)) from records", [], |row| row.get(0))?;
    drop(database);
    let mut rows = Rows::new(&scratch.path("add.db"), bytes)?;
    let view = std::fs::read(scene.folder.join("home/memories/MEMORY.md"))?;
    let mut least = Least::new(&scratch.path("least"), bytes, view)?;
    let mut least = || least.add();
    let mut ours = || scene.add();
    let mut bare = || rows.insert();
    let beside_bare = "add, beside one bare SQLite commit of its bytes";
    let beside_hermes = "add, beside hermes-agent's MemoryStore.add";
    let Some(python) = hermes::python() else {
        let [ours, bare] = medians(ROUNDS, [&mut ours as Turn<'_>, &mut bare])?;
        let missing = Figure::missing(beside_hermes, "no hermes-agent here");
        return Ok(vec![beyond(beside_bare, ours, bare), missing]);
    };
    let mut hermes = Hermes::start(&python, &scratch.path("hermes"))?;
    let mut theirs = || hermes.add();
    let [ours, bare, theirs, least] =
        medians(ROUNDS, [&mut ours as Turn<'_>, &mut bare, &mut theirs, &mut least])?;
    let of_hermes = least / theirs;
    Ok(vec![
        beyond(beside_bare, ours, bare),
        Figure::ratio(beside_hermes, (ours, theirs), MOST_OF_HERMES, "ms"),
        Figure::told(
            "a commit and a file replaced, without any memlore, beside hermes-agent's MemoryStore.add",
            &format!("{of_hermes:.2} × ({least:.2} ms : {theirs:.2} ms)"),
        ),
    ])
}

fn beyond(what: &str, ours: f64, bare: f64) -> Figure {
    let how = format!("{ours:.2} ms − {bare:.2} ms");
    Figure::at_most(what, ours - bare, MOST_BEYOND_MS, "ms more", &how)
}

/// What an add cannot do without: one commit, and a file that takes the place of another, of which a link is kept.
struct Least {
    rows: Rows,
    folder: PathBuf,
    view: Vec<u8>,
    version: u64,
}

impl Least {
    fn new(folder: &Path, bytes: usize, view: Vec<u8>) -> Result<Self> {
        std::fs::create_dir_all(folder)?;
        let rows = Rows::new(&folder.join("least.db"), bytes)?;
        Ok(Self { rows, folder: folder.to_owned(), view, version: 0 })
    }

    fn add(&mut self) -> Result<Duration> {
        let committed = self.rows.insert()?;
        let (temp, file) = (self.folder.join("view.tmp"), self.folder.join("view.md"));
        self.version += 1;
        let link = |version: u64| self.folder.join(format!("link-{version}"));
        let (_, replaced) = timed(|| {
            std::fs::write(&temp, &self.view)?;
            std::fs::hard_link(&temp, link(self.version))?;
            std::fs::rename(&temp, &file)?;
            if self.version > 2 {
                std::fs::remove_file(link(self.version - 2))?;
            }
            Ok(())
        })?;
        Ok(committed + replaced)
    }
}
