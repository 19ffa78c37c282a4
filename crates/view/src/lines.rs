//! Lines of a file with their ends, so that what belongs to somebody else stays byte for byte.

/// How a line ends in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum End {
    #[default]
    Lf,
    CrLf,
    Cr,
    /// The last line of a file without a final line end.
    Nothing,
}

impl End {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
            Self::Cr => "\r",
            Self::Nothing => "",
        }
    }

    /// The end of the first line of a text, which its new lines take over.
    pub(crate) fn of(text: &str) -> Self {
        split(text).next().map(|(_, end)| end).filter(|end| *end != Self::Nothing).unwrap_or_default()
    }
}

/// Splits a text into lines, each with its end.
pub(crate) fn split(text: &str) -> impl Iterator<Item = (&str, End)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(at) = rest.find(['\n', '\r']) else {
            return Some((std::mem::take(&mut rest), End::Nothing));
        };
        let end = match &rest.as_bytes()[at..] {
            [b'\n', ..] => End::Lf,
            [_, b'\n', ..] => End::CrLf,
            _ => End::Cr,
        };
        let line = &rest[..at];
        rest = &rest[at + end.as_str().len()..];
        Some((line, end))
    })
}

pub(crate) fn is_blank(line: &str) -> bool {
    line.chars().all(is_space)
}

/// White space for the programs that fold it, and the separators that Python's `split` takes too.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}' | '\0')
}

/// The text with every run of white space as one space, trimmed.
pub(crate) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in text.split(is_space).filter(|word| !word.is_empty()) {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
    }
    folded
}

/// The level of a heading, `#` to `######` and white space after it.
pub(crate) fn heading_level(line: &str) -> Option<usize> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    ((1..=6).contains(&level) && rest.starts_with(is_space)).then_some(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_their_ends_are_the_whole_text() {
        for text in ["", "a", "a\n", "\n\n", "a\r\nb\rc\nd", "\r\r\n\n"] {
            let again: String = split(text).map(|(line, end)| format!("{line}{}", end.as_str())).collect();
            assert_eq!(again, text);
        }
        assert_eq!(split("a\r\n\rb").map(|(line, _)| line).collect::<Vec<_>>(), ["a", "", "b"]);
        assert_eq!(End::of("a\r\nb\n"), End::CrLf);
    }

    #[test]
    fn a_heading_has_one_to_six_marks_and_a_space() {
        assert_eq!(heading_level("## Index"), Some(2));
        for line in ["##Index", "####### x", "#", " # x", "x"] {
            assert_eq!(heading_level(line), None, "{line}");
        }
    }
}
