//! Topics: books that have a file of their own, and the ways in which their names are written.

use crate::BookName;

/// A text that names no topic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no topic: 1 to 48 letters, digits, - or _, and not memory")]
pub struct TopicProblem(String);

/// Reads a topic's name as people, links and models write it: `[[Night trains]]`, `travel.md`, `travel`.
///
/// # Errors
/// Returns the text when no book may be called so, or when it is `memory`.
pub fn topic_name(text: &str) -> Result<BookName, TopicProblem> {
    let name = text.trim();
    let name = name.strip_prefix("[[").and_then(|name| name.strip_suffix("]]")).unwrap_or(name);
    let name = name.trim().to_lowercase();
    let words: Vec<&str> = name.strip_suffix(".md").unwrap_or(&name).split_whitespace().collect();
    let name: Option<BookName> = words.join("-").parse().ok();
    name.filter(|name| *name != BookName::memory()).ok_or_else(|| TopicProblem(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_named_in_many_ways() {
        for text in ["travel", " Travel ", "travel.md", "[[travel]]", "[[Travel.md]]", "[[ travel ]]"] {
            assert_eq!(topic_name(text).map(|name| name.to_string()), Ok("travel".to_owned()), "{text}");
        }
        assert_eq!(topic_name("Night  trains").unwrap().as_str(), "night-trains");
        assert_eq!(topic_name(" [[Summer Trips.md]] ").unwrap().as_str(), "summer-trips");
        assert_eq!(topic_name("旅行").unwrap().as_str(), "旅行");
        for text in ["", "memory", "[[Memory]]", "../x", "a/b", "-x", ".md", "a.b", &"x".repeat(49)] {
            assert!(topic_name(text).is_err(), "{text}");
        }
    }
}
