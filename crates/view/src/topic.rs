//! Topics: books that bullets keep in files of their own, and their names.

use crate::lines::{folded, heading_level, split};
use memlore_model::BookName;

/// A text that names no topic.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no topic: 1 to 48 letters, digits, - or _, and not memory")]
pub struct TopicProblem(String);

/// Reads a topic's name as people and models write it: `[[Night trains]]`, `travel.md`, `travel`.
///
/// # Errors
/// Returns the text when no name can be made of it, or when it is `memory`.
pub fn topic_name(text: &str) -> Result<BookName, TopicProblem> {
    let name = text.trim();
    let name = name.strip_prefix("[[").and_then(|name| name.strip_suffix("]]")).unwrap_or(name);
    let name = name.trim().to_lowercase();
    let name = folded(name.strip_suffix(".md").unwrap_or(&name)).replace(' ', "-");
    let name: Option<BookName> = name.parse().ok();
    name.filter(|name| *name != BookName::memory()).ok_or_else(|| TopicProblem(text.to_owned()))
}

/// The topic whose file this is, by its name and its first line: `travel.md` begins `# travel`.
pub fn topic_of_file(file_name: &str, text: &str) -> Option<BookName> {
    let topic = topic_name(file_name).ok().filter(|topic| format!("{topic}.md") == file_name)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let title = split(text).map(|(line, _)| line).find(|line| !line.trim().is_empty())?;
    let named =
        heading_level(title) == Some(1) && topic_name(title.trim_start_matches('#')).as_ref() == Ok(&topic);
    named.then_some(topic)
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
        assert_eq!(topic_name("旅行").unwrap().as_str(), "旅行");
        for text in ["", "memory", "[[Memory]]", "../x", "a/b", "-x", ".md", "a.b", &"x".repeat(49)] {
            assert!(topic_name(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_topics_file_says_so_in_its_first_line() {
        assert!(topic_of_file("travel.md", "\u{feff}\n# Travel\n\n- x\n").is_some());
        for (name, text) in [
            ("travel.md", "- x\n"),
            ("travel.md", "# food\n"),
            ("Travel.md", "# travel"),
            ("MEMORY.md", "# memory"),
        ] {
            assert_eq!(topic_of_file(name, text), None, "{name} {text}");
        }
    }
}
