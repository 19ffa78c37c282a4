//! What an add costs when the store holds a hundred times more, and the view does not.

use anyhow::Result;

use crate::figure::Figure;
use crate::process::child;
use crate::scratch::Scratch;
use crate::turns::{Turn, medians};

const ROUNDS: usize = 400;
const MOST_TIME: f64 = 1.3;
const MOST_MEMORY: f64 = 1.2;

pub(crate) fn ask(scratch: &Scratch) -> Result<Vec<Figure>> {
    let mut small = scratch.store_of("growth-small", 1_000)?;
    let mut large = scratch.store_of("growth-large", 100_000)?;
    let [in_small, in_large] = medians(ROUNDS, [&mut (|| small.add()) as Turn<'_>, &mut || large.add()])?;
    let memory = |folder| Ok::<_, anyhow::Error>(child("add", &[folder])?[0] as f64 / 1024.0);
    let in_memory = (memory(&large.folder)?, memory(&small.folder)?);
    Ok(vec![
        Figure::ratio("add at 100,000 entries, beside 1,000: time", (in_large, in_small), MOST_TIME, "ms"),
        Figure::ratio("add at 100,000 entries, beside 1,000: memory", in_memory, MOST_MEMORY, "MiB"),
    ])
}
