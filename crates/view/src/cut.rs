//! Telling a file that was cut off from an entry that somebody shortened.

use crate::dialect::{Dialect, parse};
use crate::lines::{End, folded, split};
use std::collections::BTreeSet;

/// Whether a file's text is this version's, cut off in the middle of an entry or of a delimiter.
///
/// Between two entries a cut cannot be told from the removal of the rest, so the evidence decides there. Inside an entry
/// an honest edit shows by differing from the version where it ends: an editor's last line end is enough. A program
/// that shortened the last entry and ends the file with it is known by its reading the version just before.
pub(crate) fn is_cut_off(dialect: Dialect, text: &str, version: &str) -> bool {
    match dialect {
        Dialect::Hermes => is_prefix_cut(dialect, text, version),
        // Of a person's lines no version is kept, so the entries are compared.
        Dialect::Bullets | Dialect::Gemini => is_list_cut(dialect, text, version),
        // A section that was cut off lacks its end, and then it is no section.
        Dialect::Section => false,
    }
}

fn is_prefix_cut(dialect: Dialect, text: &str, version: &str) -> bool {
    let Some(rest) = version.strip_prefix(text) else { return false };
    if text.trim().is_empty() || rest.trim().is_empty() {
        return false;
    }
    let (cut, whole) = (parse(dialect, text).items, parse(dialect, version).items);
    let Some((last, before)) = cut.split_last() else { return true };
    // Every text of the version begins the same way, so equal keys at the end mean a cut between entries.
    whole.get(before.len()).is_none_or(|entry| entry.key != last.key)
}

/// Whether a list ends without a line end, in the middle of an entry that stands nowhere else in it.
fn is_list_cut(dialect: Dialect, text: &str, version: &str) -> bool {
    let Some((last, End::Nothing)) = split(text).last() else { return false };
    let Some(last) = last.trim_start().strip_prefix(['-', '*']).map(folded) else { return false };
    let (cut, whole) = (parse(dialect, text).items, parse(dialect, version).items);
    let kept: BTreeSet<_> = cut.iter().map(|item| &item.key).collect();
    let in_metadata = |entry: &str| {
        last.strip_prefix(entry).is_some_and(|rest| rest.starts_with(" [") && !rest.ends_with(']'))
    };
    let mut absent = whole.iter().filter(|entry| !kept.contains(&entry.key));
    whole.iter().all(|entry| entry.text != last)
        && absent.any(|entry| entry.text.starts_with(&last) || in_metadata(&entry.text))
}
