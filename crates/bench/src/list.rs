//! Listing 10,000 entries as JSON.

use anyhow::Result;

use crate::figure::Figure;
use crate::process::{memlore, run, sqlite3};
use crate::scratch::Scratch;
use crate::turns::{Turn, medians};

const ROUNDS: usize = 100;
const MOST: f64 = 1.3;

/// The same entries, the same fields, from the same tables.
const SELECT: &str =
    "select lower(hex(e.id)) id, b.name book, e.text, e.written_us written, e.by, e.device, e.source, e.labels,
            e.replaces
     from entries e join books b on b.num = e.book where e.live = 1 order by b.name, e.position, e.id";

pub(crate) fn ask(scratch: &Scratch) -> Result<Vec<Figure>> {
    let folder = scratch.store_of("list", 10_000)?.folder;
    let database = folder.join("state/memlore.db");
    let mut ours = || run(memlore(&folder, &["--json", "list"])?);
    let mut theirs = || run(sqlite3(&database, &["-json", SELECT]));
    let [ours, theirs] = medians(ROUNDS, [&mut ours as Turn<'_>, &mut theirs])?;
    Ok(vec![Figure::ratio("list of 10,000, beside sqlite3 -json", (ours, theirs), MOST, "ms")])
}
