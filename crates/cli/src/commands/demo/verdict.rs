//! Whether anything was lost.

use super::Story;
use super::device::Device;
use crate::error::CommandError;

/// Compares what both devices ended with, with what must be there; returns what is wrong.
pub(super) fn judge(laptop: &Device, desktop: &Device, story: &Story) -> Result<Vec<String>, CommandError> {
    let mut wrong = Vec::new();
    if laptop.read_view()? != desktop.read_view()? {
        wrong.push("the two MEMORY.md differ".to_owned());
    }
    for device in [laptop, desktop] {
        let view = device.read_view()?;
        let times = |text: &str| view.lines().filter(|line| is_bullet_of(line, text)).count();
        for text in &story.due {
            match times(text) {
                1 => {}
                0 => wrong.push(format!("“{text}” was lost on the {}", device.name)),
                number => wrong.push(format!("“{text}” stands {number} times on the {}", device.name)),
            }
        }
        for text in story.gone.iter().filter(|text| times(text) > 0) {
            wrong.push(format!("“{text}” came back on the {}", device.name));
        }
        let archive = device.ask(&["list", "--book", "archive"])?;
        let archived = archive["entries"].as_array().map_or(0, Vec::len);
        if archived != story.archived {
            wrong.push(format!("the {} has {archived} of {} old notes", device.name, story.archived));
        }
    }
    Ok(wrong)
}

/// Whether a line is the bullet of a text, with or without metadata behind it.
fn is_bullet_of(line: &str, text: &str) -> bool {
    let rest = line.strip_prefix("- ").and_then(|bullet| bullet.strip_prefix(text));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(" ["))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_text_is_another_text() {
        assert!(is_bullet_of("- tea", "tea") && is_bullet_of("- tea [source: x]", "tea"));
        assert!(!is_bullet_of("- tea and cake", "tea") && !is_bullet_of("tea", "tea"));
    }
}
