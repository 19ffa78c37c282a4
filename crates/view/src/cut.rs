//! Telling a file that was cut off from an entry that somebody shortened.

use crate::dialect::{Dialect, parse};

/// Whether a file's text is this version's, cut off in the middle of an entry or of a delimiter.
///
/// Between two entries a cut cannot be told from the removal of the rest, so the evidence decides there. Inside an entry
/// an honest edit shows in one of two ways: the text differs from the version where it ends (an editor's last line
/// end is enough), or the last entry alone became shorter, by whole words.
pub(crate) fn is_cut_off(dialect: Dialect, text: &str, version: &str) -> bool {
    let Some(rest) = version.strip_prefix(text) else { return false };
    if text.trim().is_empty() || rest.trim().is_empty() {
        return false;
    }
    let (cut, whole) = (parse(dialect, text).items, parse(dialect, version).items);
    let Some((last, before)) = cut.split_last() else { return true };
    // Every text of the version begins the same way, so equal keys at the end mean a cut between entries.
    if whole.get(before.len()).is_some_and(|entry| entry.key == last.key) {
        return false;
    }
    let only_the_last_is_shorter = cut.len() == whole.len();
    let at_a_word =
        text.ends_with(|c: char| !c.is_whitespace()) && rest.starts_with(|c: char| !c.is_alphanumeric());
    !(only_the_last_is_shorter && at_a_word)
}
