//! The hermes dialect: entries joined by a line that is only `§`.
//!
//! A line of an entry that would be taken for the delimiter gets one more backslash in front when it is
//! rendered, and loses one when it is parsed, so hermes-agent itself sees one entry and writes it back unchanged.

use crate::dialect::Shown;
use crate::frame::{Frame, Item, Parsed, Sorting};
use std::borrow::Cow;

const DELIMITER: &str = "\n§\n";

pub(crate) fn render(entries: &[Shown<'_>], frame: &Frame) -> String {
    let texts = entries.iter().map(|entry| entry.text);
    let texts = texts.chain(frame.texts.iter().map(String::as_str));
    let bytes = texts.clone().map(|text| text.len() + DELIMITER.len()).sum();
    let mut file = String::with_capacity(bytes);
    for text in texts {
        if !file.is_empty() {
            file.push_str(DELIMITER);
        }
        push_escaped(&mut file, text);
    }
    file
}

pub(crate) fn parse(text: &str, mut sorting: Sorting<'_>) -> Parsed {
    let text = if text.contains('\r') {
        Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(text)
    };
    // hermes-agent splits in this way too: from the left, without overlap.
    let pieces = text.split(DELIMITER).map(|piece| piece.trim_matches(is_outer));
    for piece in pieces.filter(|piece| !piece.is_empty()) {
        sorting.take(Item::plain(unescaped(piece)));
    }
    sorting.parsed(None)
}

/// White space as Python's `strip` takes it, and the NUL bytes that sync programs pad files with.
fn is_outer(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}' | '\0')
}

fn looks_like_delimiter(line: &str) -> bool {
    line.trim_start_matches('\\') == "§"
}

fn push_escaped(file: &mut String, text: &str) {
    if !text.contains('§') {
        file.push_str(text);
        return;
    }
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            file.push('\n');
        }
        if looks_like_delimiter(line) {
            file.push('\\');
        }
        file.push_str(line);
    }
}

fn unescaped(piece: &str) -> String {
    if !piece.contains("\\§") {
        return piece.to_owned();
    }
    let lines = piece.split('\n').map(|line| match line.strip_prefix('\\') {
        Some(rest) if looks_like_delimiter(rest) => rest,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Taken;

    fn parse_all(text: &str) -> Parsed {
        crate::parse(crate::Dialect::Hermes, text)
    }

    fn file(texts: &[&str]) -> String {
        let entries: Vec<_> = texts.iter().map(|text| Shown::plain(text)).collect();
        render(&entries, &Frame::default())
    }

    fn texts(parsed: &Parsed) -> Vec<&str> {
        parsed.items.iter().map(|item| item.text.as_str()).collect()
    }

    #[test]
    fn an_entry_that_holds_the_delimiter_never_splits() {
        for text in ["Deploy:\n§\nmigrate first", "§", "§\nx", "x\n§", "\\§", "a\n\\\\§\n§", "§§", "x §"]
        {
            for around in [vec![text], vec!["n1", text, "n2"], vec![text, "n2"], vec!["n1", text]] {
                let rendered = file(&around);
                assert_eq!(rendered.split(DELIMITER).count(), around.len(), "{rendered:?}");
                assert_eq!(texts(&parse_all(&rendered)), around);
            }
        }
    }

    #[test]
    fn a_line_that_hermes_wrote_unescaped_keeps_its_meaning() {
        assert_eq!(texts(&parse_all("a\n§\n§\nb")), ["a", "§\nb"]);
        assert_eq!(file(&["a", "§\nb"]), "a\n§\n\\§\nb");
    }

    #[test]
    fn white_space_line_ends_padding_and_duplicates_are_no_entries() {
        let parsed = parse_all("a\r\n§\r\n b\t\r\n§\r\n\r\n§\r\na\r\n\r\n§\nc\n\n\n\0\0\0");
        assert_eq!(texts(&parsed), ["a", "b", "c"]);
        assert_eq!(texts(&parse_all("")), [""; 0]);
        assert_eq!(file(&[]), "");
    }

    #[test]
    fn what_cannot_be_taken_over_stays_in_the_file_after_the_entries() {
        let mut taken = |item: &Item| match item.text.as_str() {
            "secret" | "x" => Taken::Nothing,
            _ => Taken::All,
        };
        let parsed = parse("a\n§\nsecret\n§\nx\n§\nb", Sorting::new(&mut taken));
        assert_eq!(texts(&parsed), ["a", "b"]);
        let entries: Vec<_> = parsed.items.iter().map(|item| Shown::plain(&item.text)).collect();
        assert_eq!(render(&entries, &parsed.frame), "a\n§\nb\n§\nsecret\n§\nx");
    }
}
