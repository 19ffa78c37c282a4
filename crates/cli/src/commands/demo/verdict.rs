//! Whether anything was lost.

use super::device::Device;
use super::{DELIMITER, Story};
use crate::error::CommandError;

/// Compares what both devices ended with, with what must be there; returns what is wrong.
pub(super) fn judge(laptop: &Device, desktop: &Device, story: &Story) -> Result<Vec<String>, CommandError> {
    let mut wrong = Vec::new();
    if laptop.read_view()? != desktop.read_view()? {
        wrong.push("the two MEMORY.md differ".to_owned());
    }
    for device in [laptop, desktop] {
        let view = device.read_view()?;
        let times = |text: &str| view.split(DELIMITER).filter(|entry| *entry == text).count();
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
