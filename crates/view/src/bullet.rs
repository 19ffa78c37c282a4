//! One entry as a line of a list: `- text [key: value]`.
//!
//! White space is folded, line ends included: the memory keeps them, the line shows one space, and nobody takes that
//! for an edit. Two things would change a text's meaning, and are escaped with a backslash that Markdown does
//! not show: a leading `- ` or `* `, and, where metadata is shown, an end that looks like some. Headings, links and
//! markers mean nothing inside a bullet.

use crate::dialect::Shown;
use crate::frame::Item;
use crate::lines::{folded, is_space};
use crate::metadata;

/// Whether bullets carry metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `- text [key: value]`.
    Labelled,
    /// `- text`.
    Plain,
}

/// The line of an entry, without its end.
pub(crate) fn line_of(style: Style, entry: &Shown<'_>) -> String {
    let text = folded(entry.text);
    let mut line = String::with_capacity(text.len() + 2);
    line.push_str("- ");
    if looks_like_bullet(text.trim_start_matches('\\')) {
        line.push('\\');
    }
    match style {
        Style::Plain => line.push_str(&text),
        Style::Labelled => {
            line.push_str(&metadata::escape(text));
            metadata::push(&mut line, entry.labels, entry.source);
        }
    }
    line
}

/// The entry that a line holds, if it holds one.
pub(crate) fn read(style: Style, line: &str) -> Option<Item> {
    let mut text = after_bullet(line)?;
    // A ruler is no list.
    if is_rule(line) {
        return None;
    }
    while let Some(inner) = after_bullet(text) {
        text = inner;
    }
    let text = folded(text);
    let (text, labels) = match style {
        Style::Plain => (text, Default::default()),
        Style::Labelled => {
            let (text, labels) = metadata::take_off(&text);
            (metadata::unescape(text), labels)
        }
    };
    let text = match text.strip_prefix('\\') {
        Some(rest) if looks_like_bullet(rest.trim_start_matches('\\')) => rest,
        _ => &text,
    };
    (!text.is_empty()).then(|| Item { labels, ..Item::plain(text) })
}

/// What follows `- ` or `* `.
pub(crate) fn after_bullet(line: &str) -> Option<&str> {
    let rest = line.trim_start_matches(is_space).strip_prefix(['-', '*'])?;
    rest.starts_with(is_space).then(|| rest.trim_start_matches(is_space))
}

fn looks_like_bullet(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(['-', '*']) else { return false };
    rest.starts_with(is_space) || rest.chars().all(|c| c == '-' || c == '*' || is_space(c))
}

fn is_rule(line: &str) -> bool {
    let mut marks = line.chars().filter(|c| !is_space(*c));
    let first = marks.next();
    let more = marks.clone().count();
    more >= 2 && marks.all(|mark| Some(mark) == first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_is_one_line_that_reads_back() {
        for text in [
            "Likes tea",
            "- x",
            "* x",
            "-",
            "--",
            "- - -",
            "* *",
            "\\- x",
            "\\\\-",
            "-x",
            "a [b: c]",
            "- [b: c]",
            "[b: c]",
            "# Memory",
            "## Index",
            "[[travel]]",
            "<!-- memlore:end -->",
            "§",
            "\\",
            "1. x",
            "\u{feff}",
        ] {
            for style in [Style::Plain, Style::Labelled] {
                let line = line_of(style, &Shown::plain(text));
                assert_eq!(read(style, &line), Some(Item::plain(text)), "{line}");
            }
        }
    }

    #[test]
    fn line_ends_and_runs_of_spaces_are_shown_as_one_space() {
        let line = line_of(Style::Plain, &Shown::plain("a\n- b\t\u{2028}c\r\n\n[d: e]"));
        assert_eq!(line, "- a - b c [d: e]");
    }

    #[test]
    fn bullets_of_other_hands_are_entries_and_rulers_are_not() {
        let text = |line| read(Style::Labelled, line).map(|item| item.text);
        assert_eq!(text("  *  a   b  [by: user] "), Some("a b".to_owned()));
        assert_eq!(text("- - * a"), Some("a".to_owned()));
        for line in ["- ", "-", "* * *", "---", "-a", "a", "", "- [by: user]", "+ a"] {
            assert_eq!(text(line), None, "{line}");
        }
    }
}
