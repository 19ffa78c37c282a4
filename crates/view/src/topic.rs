//! The files that bullets keep for topics.

use crate::lines::{heading_level, split};
use memlore_model::{BookName, topic_name};

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
