//! How large entries are in the share.

use anyhow::Result;
use std::fs;
use std::path::Path;

use crate::figure::Figure;
use crate::scratch::Scratch;

const ENTRIES: usize = 100_000;
const MOST_BYTES: f64 = 100.0;

pub(crate) fn ask(scratch: &Scratch) -> Result<Vec<Figure>> {
    let share = scratch.share_of(ENTRIES)?;
    let bytes = segment_bytes(&share)? as f64 / ENTRIES as f64;
    let how = "100,000 entries of 60 random letters, published in one go";
    Ok(vec![Figure::at_most("bytes in the share, per entry", bytes, MOST_BYTES, "bytes", how)])
}

fn segment_bytes(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            bytes += segment_bytes(&path)?;
        } else if path.extension().is_some_and(|extension| extension == "seg") {
            bytes += fs::metadata(&path)?.len();
        }
    }
    Ok(bytes)
}
