//! When a dialect takes two texts for one, and what a request means in it.

use crate::dialect::{Dialect, Shown, as_shown, parse, render};
use crate::frame::{Frame, Item};
use memlore_model::TextKey;

/// How a text answers a request that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    /// The request is a part of the text.
    Contains,
    /// The request is the text.
    Exact,
}

/// Whether the dialect's own program takes two texts for the same entry.
///
/// A looser rule than that of text keys (bullets fold white space and case). It only decides what an explicit add
/// answers: such entries live beside each other all the same.
pub fn same_entry(dialect: Dialect, a: &str, b: &str) -> bool {
    match dialect {
        Dialect::Hermes => TextKey::of(a) == TextKey::of(b),
        Dialect::Bullets | Dialect::Section | Dialect::Gemini => loose(dialect, a) == loose(dialect, b),
    }
}

/// Whether a text is what a request means: the text itself, else one that contains it.
///
/// Texts are compared as the dialect shows them. None when the request is empty or no part of the text.
pub fn matches(dialect: Dialect, text: &str, request: &str) -> Option<Match> {
    let (text, request) = (as_shown(dialect, text), as_shown(dialect, request));
    let (text, request) = (TextKey::of(&text), TextKey::of(&request));
    if text == request {
        Some(Match::Exact)
    } else if !request.as_str().is_empty() && text.as_str().contains(request.as_str()) {
        Some(Match::Contains)
    } else {
        None
    }
}

/// Whether an entry rendered in this dialect says what an item of a file says, metadata included.
pub fn show_the_same(dialect: Dialect, entry: &Shown<'_>, item: &Item) -> bool {
    let rendered = parse(dialect, &render(dialect, &[*entry], &Frame::default()));
    rendered.items.first() == Some(item)
}

fn loose(dialect: Dialect, text: &str) -> TextKey {
    TextKey::of(&as_shown(dialect, text).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bullets_take_texts_for_one_that_hermes_tells_apart() {
        assert!(same_entry(Dialect::Bullets, "Likes  Tea", "likes\ntea"));
        assert!(!same_entry(Dialect::Bullets, "likes tea", "like stea"));
        assert!(!same_entry(Dialect::Hermes, "Likes tea", "likes tea"));
        assert!(same_entry(Dialect::Hermes, " cafe\u{301}", "caf\u{e9}"));
    }

    #[test]
    fn a_request_is_the_text_or_a_part_of_it() {
        assert_eq!(matches(Dialect::Bullets, "a\nb", "a b"), Some(Match::Exact));
        assert_eq!(matches(Dialect::Hermes, "a\nb", "a b"), None);
        assert_eq!(matches(Dialect::Bullets, "Likes tea", "tea"), Some(Match::Contains));
        assert_eq!(matches(Dialect::Bullets, "Likes tea", "Tea"), None);
        assert_eq!(matches(Dialect::Bullets, "Likes tea", " "), None);
    }
}
