//! Topics, as models and links write them.

use crate::BookName;

/// The book of a topic: `[[ ]]` and `.md` are taken off, letters made small, spaces become hyphens.
///
/// None when no book may be called so; `memory` is no topic.
pub fn topic_name(topic: &str) -> Option<BookName> {
    let topic = topic.trim().to_lowercase();
    let topic = topic.strip_prefix("[[").and_then(|topic| topic.strip_suffix("]]")).unwrap_or(&topic).trim();
    let topic = topic.strip_suffix(".md").unwrap_or(topic);
    let words: Vec<&str> = topic.split_whitespace().collect();
    let book = words.join("-").parse().ok()?;
    (book != BookName::memory()).then_some(book)
}
