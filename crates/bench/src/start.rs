//! A process that starts, adds, and ends.

use anyhow::Result;

use crate::bare;
use crate::figure::Figure;
use crate::process::{memlore, run, sqlite3};
use crate::scratch::{Scratch, text};
use crate::turns::{Turn, medians};

const ROUNDS: usize = 300;
const ENTRIES: usize = 10_000;
const MOST: f64 = 1.5;

pub(crate) fn ask(scratch: &Scratch) -> Result<Vec<Figure>> {
    let folder = scratch.store_of("start", ENTRIES)?.folder;
    let database = scratch.path("start.db");
    let db = bare::open(&database)?;
    db.execute_batch("create table entries (num integer primary key, text text not null)")?;
    let all = db.unchecked_transaction()?;
    for number in 0..ENTRIES {
        all.execute("insert into entries (text) values (?1)", [text(number)])?;
    }
    all.commit()?;
    drop(db);
    let mut next = 1_000_000;
    let mut ours = || {
        next += 1;
        let passed = run(memlore(&folder, &["--json", "add", &text(next)])?)?;
        run(memlore(&folder, &["--json", "remove", &text(next)])?)?;
        Ok(passed)
    };
    let mut theirs = || {
        let insert = format!("pragma synchronous = full; insert into entries (text) values ('{}')", text(7));
        run(sqlite3(&database, &[&insert]))
    };
    let [ours, theirs] = medians(ROUNDS, [&mut ours as Turn<'_>, &mut theirs])?;
    Ok(vec![Figure::ratio("process start and add, beside sqlite3 inserting", (ours, theirs), MOST, "ms")])
}
