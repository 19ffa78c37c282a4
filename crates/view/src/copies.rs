//! The conflict copies that sync programs leave beside a view.

use crate::frame::Parsed;
use crate::history::History;
use memlore_model::TextKey;
use std::collections::BTreeSet;

/// Whether a file's name is one that a sync program gives to a conflict copy of the view.
///
/// Covers OneDrive, Dropbox in any language, Syncthing, Nextcloud, iCloud Drive, Google Drive and rclone. A name
/// alone proves nothing (`MEMORY-notes.md` is somebody's own file): the content decides, see [`shares_entries`].
pub fn conflict_copy_of(view_file_name: &str, candidate: &str) -> bool {
    if let Some(suffix) = candidate.strip_prefix(view_file_name) {
        // rclone: NAME.conflict1, NAME..path1.
        return [".conflict", "..path"]
            .into_iter()
            .any(|mark| suffix.strip_prefix(mark).is_some_and(is_number));
    }
    let (stem, extension) = match view_file_name.rfind('.') {
        Some(dot) if dot > 0 => view_file_name.split_at(dot),
        _ => (view_file_name, ""),
    };
    let middle = candidate.strip_prefix(stem).and_then(|rest| rest.strip_suffix(extension));
    let Some(middle) = middle else { return false };
    if let Some(host) = middle.strip_prefix('-') {
        return !host.is_empty();
    }
    if let Some(mark) = middle.strip_prefix(".sync-conflict-") {
        return is_syncthing_mark(mark);
    }
    if middle.strip_prefix(".conflict").is_some_and(is_number) {
        return true;
    }
    let spaced = middle.trim_start_matches(' ');
    let in_brackets = |open, close| {
        let inner = spaced.strip_prefix(open).and_then(|rest: &str| rest.strip_suffix(close));
        inner.is_some_and(|inner: &str| !inner.is_empty())
    };
    in_brackets('(', ')') || in_brackets('（', '）') || spaced != middle && is_number(spaced)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `20260102-101010-ABCDEF7`: a date, a time, a device.
fn is_syncthing_mark(mark: &str) -> bool {
    let mut parts = mark.splitn(3, '-');
    let mut number = |digits| parts.next().is_some_and(|part: &str| part.len() == digits && is_number(part));
    number(8) && number(6) && parts.next().is_some_and(|device| !device.is_empty())
}

/// Whether a parsed file holds any text that some version of the view held.
///
/// # Errors
/// Returns why the history could not be read.
pub fn shares_entries<H: History>(copy: &Parsed, history: &H) -> Result<bool, H::Problem> {
    for item in &copy.items {
        if !history.spans(&item.key)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The indexes of a conflict copy's items that are to be added: those that no version held, that are not live, and
/// that no record here ever removed. A copy removes nothing.
///
/// # Errors
/// Returns why the history could not be read.
pub fn texts_to_add<H: History>(
    copy: &Parsed,
    live: &BTreeSet<TextKey>,
    history: &H,
) -> Result<Vec<usize>, H::Problem> {
    let mut added = Vec::new();
    for (index, item) in copy.items.iter().enumerate() {
        let known = live.contains(&item.key) || !history.spans(&item.key)?.is_empty();
        if !known && !history.ever_removed(&item.key)? {
            added.push(index);
        }
    }
    Ok(added)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sync_programs_conflict_copy_is_known_by_its_name() {
        for name in [
            "MEMORY-LAPTOP7.md",
            "MEMORY-LAPTOP7-2.md",
            "MEMORY-LAPTOP7-LAPTOP7.md",
            "MEMORY-Büro PC.md",
            "MEMORY-laptop7-safeBackup-0001.md",
            "MEMORY (Ann's conflicted copy 2026-01-02).md",
            "MEMORY (Copie en conflit de Zoë 2026-01-02).md",
            "MEMORY（Ann 的冲突副本 2026-01-02）.md",
            "MEMORY (Case Conflict).md",
            "MEMORY (Unicode Encoding Conflict).md",
            "MEMORY.sync-conflict-20260102-101010-ABCDEF7.md",
            "MEMORY (conflicted copy 2026-01-02 101010).md",
            "MEMORY 2.md",
            "MEMORY (1).md",
            "MEMORY.md.conflict1",
            "MEMORY.md..path1",
        ] {
            assert!(conflict_copy_of("MEMORY.md", name), "{name}");
            assert!(!conflict_copy_of("USER.md", name), "{name}");
        }
    }

    #[test]
    fn other_neighbours_are_no_conflict_copies() {
        for name in [
            "MEMORY.md",
            "MEMORY.md.lock",
            "MEMORY.md.bak.1764511200",
            "MEMORYS.md",
            "MEMORY two.md",
            "MEMORY2.md",
            "MEMORY-.md",
            "MEMORY ().md",
            "MEMORY-LAPTOP7.txt",
            "MEMORY.sync-conflict-2026-1-A.md",
            "USER.md",
            ".mem_x.tmp",
        ] {
            assert!(!conflict_copy_of("MEMORY.md", name), "{name}");
        }
    }
}
