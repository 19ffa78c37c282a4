//! The text of an answer, as people read it.

use crate::time;
use anstyle::{AnsiColor, Style};
use memlore_store::answer::Usage;
use std::fmt::{self, Display, Write as _};

/// What is there now, or was added.
pub(crate) const ADDED: Style = AnsiColor::Green.on_default();
/// What is gone.
pub(crate) const REMOVED: Style = AnsiColor::Red.on_default();
/// What took the place of something.
pub(crate) const CHANGED: Style = AnsiColor::Yellow.on_default();
/// What is there for completeness.
pub(crate) const QUIET: Style = Style::new().dimmed();
/// What is to be seen first.
pub(crate) const LOUD: Style = Style::new().bold();

/// Collects an answer's text; colours are taken out later, where nobody would see them.
pub(crate) struct Page {
    text: String,
    detailed: bool,
    now_us: u64,
}

impl Page {
    /// An empty page; a detailed one shows ids and provenance.
    pub(crate) fn new(detailed: bool, now_us: u64) -> Self {
        Self { text: String::new(), detailed, now_us }
    }

    /// Whether ids and provenance are wanted.
    pub(crate) fn detailed(&self) -> bool {
        self.detailed
    }

    /// Adds a line.
    pub(crate) fn line(&mut self, line: impl Display) {
        writeln!(self.text, "{line}").expect("a string takes everything");
    }

    /// Adds a text of several lines whose later lines stand below its first.
    pub(crate) fn indented(&mut self, head: impl Display, indent: usize, text: &str) {
        self.text.push_str(&head.to_string());
        for (index, line) in text.lines().enumerate() {
            if index > 0 {
                self.text.push('\n');
                self.text.extend(std::iter::repeat_n(' ', if line.is_empty() { 0 } else { indent }));
            }
            self.text.push_str(&safe(line));
        }
        self.text.push('\n');
    }

    /// How long ago something was.
    pub(crate) fn age(&self, us: u64) -> String {
        if self.detailed { time::minute(us) } else { time::age(self.now_us, us) }
    }

    /// What was collected.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// Something in a style.
pub(crate) fn paint(style: Style, what: impl Display) -> impl Display {
    fmt::from_fn(move |f| write!(f, "{style}{what}{style:#}"))
}

/// A number of things, in the singular when there is one.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// How full a book is, for people.
pub(crate) fn fullness(usage: &Usage) -> String {
    let Usage { used, limit, unit } = usage;
    match limit {
        None => format!("{used} {unit}"),
        Some(limit) => {
            let percent = (used * 100).checked_div(*limit).map_or(String::new(), |p| format!(" ({p} %)"));
            format!("{used} of {limit} {unit}{percent}")
        }
    }
}

/// The first line of a text, cut to what fits beside other things.
pub(crate) fn glimpse(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let whole = line.len() == text.len() && line.chars().count() <= 60;
    if whole { safe(line) } else { safe(&line.chars().take(59).chain(['…']).collect::<String>()) }
}

/// A line that cannot move the cursor or change colours, whatever somebody remembered.
pub(crate) fn safe(line: &str) -> String {
    line.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_lines_stand_below_the_first() {
        let mut page = Page::new(false, 0);
        page.indented("3h  ", 4, "one\n\ntwo\u{1b}[31m");
        assert_eq!(page.into_text(), "3h  one\n\n    two\u{fffd}[31m\n");
    }

    #[test]
    fn a_glimpse_says_when_there_is_more() {
        assert_eq!(glimpse("short"), "short");
        assert_eq!(glimpse("one\ntwo"), "one…");
        assert_eq!(glimpse(&"x".repeat(61)).chars().count(), 60);
    }
}
