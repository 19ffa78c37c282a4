//! A section inside a file that belongs to somebody else: between our marks, or below the heading that Gemini CLI
//! looks for. Everything outside is the other's, to the byte.
//!
//! A file without the section gets it at its end, once there is something to show.

use crate::bullet::{self, Style};
use crate::bullets::wanted;
use crate::dialect::Shown;
use crate::frame::{Frame, Parsed, Sorting};
use crate::lines::{End, is_blank, split};
use crate::page::{Fill, Line, Page, Slot};
use std::ops::Range;

const BEGIN: &str = "<!-- memlore:begin -->";
const END: &str = "<!-- memlore:end -->";
const GEMINI: &str = "## Gemini Added Memories";

/// Which section it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bounds {
    /// Between `<!-- memlore:begin -->` and `<!-- memlore:end -->`, each on a line of its own.
    Marks,
    /// From `## Gemini Added Memories` to the next `## `.
    Gemini,
}

impl Bounds {
    fn first(self) -> &'static str {
        match self {
            Self::Marks => BEGIN,
            Self::Gemini => GEMINI,
        }
    }

    fn is_first(self, line: &str) -> bool {
        let line = line.strip_prefix('\u{feff}').unwrap_or(line);
        match self {
            Self::Marks => line.trim() == BEGIN,
            Self::Gemini => line.trim_end() == GEMINI,
        }
    }

    /// Whether this line ends the section.
    fn is_past(self, line: &str) -> bool {
        match self {
            Self::Marks => line.trim() == END,
            Self::Gemini => line.starts_with("## "),
        }
    }

    /// The bytes between the two bounds.
    fn find(self, text: &str) -> Option<Range<usize>> {
        let (mut start, mut at) = (None, 0);
        for (line, end) in split(text) {
            let next = at + line.len() + end.as_str().len();
            match start {
                Some(start) if self.is_past(line) => return Some(start..at),
                // Without its end, a begin is a line like any other.
                _ if self.is_first(line) => start = Some(next),
                _ => {}
            }
            at = next;
        }
        start.filter(|_| self == Self::Gemini).map(|start| start..text.len())
    }
}

pub(crate) fn parse(bounds: Bounds, text: &str, mut sorting: Sorting<'_>) -> Parsed {
    let end = End::of(text);
    let Some(inside) = bounds.find(text) else {
        return sorting.parsed(Some(Page { before: text.to_owned(), end, ..Page::default() }));
    };
    let mut lines = Vec::new();
    for (text, end) in split(&text[inside.clone()]) {
        let ours = bullet::read(Style::Plain, text).and_then(|item| sorting.take(item));
        lines.push(Line { slot: ours.map(Slot::Entry), ..Line::foreign(text, end) });
    }
    let (before, after) = (text[..inside.start].to_owned(), text[inside.end..].to_owned());
    sorting.parsed(Some(Page { before, lines, after, end, found: true }))
}

pub(crate) fn render(bounds: Bounds, entries: &[Shown<'_>], frame: &Frame) -> String {
    let wanted = wanted(Style::Plain, entries, frame);
    let mut page = frame.page.clone().unwrap_or_default();
    if !page.found {
        if wanted.is_empty() {
            return page.into_text();
        }
        open(bounds, &mut page);
    }
    let end = page.end.as_str();
    // The heading may be the last line of the file.
    if !wanted.is_empty() && !page.before.ends_with(['\n', '\r']) {
        page.before.push_str(end);
    }
    let entries = Fill {
        wanted: &wanted,
        is_ours: |slot| matches!(slot, Slot::Entry(_)),
        shows: |old, new| bullet::read(Style::Plain, old) == bullet::read(Style::Plain, new),
        within: 0..page.lines.len(),
        airy: false,
        end: page.end,
    };
    let was_empty = page.lines.is_empty();
    page.lines = entries.fill(&page.lines);
    if bounds == Bounds::Gemini && was_empty && !page.lines.is_empty() && !page.after.is_empty() {
        page.lines.push(Line::foreign("", page.end));
    }
    page.into_text()
}

/// The size of what is ours of the file: the lines of the entries.
pub(crate) fn lines(entries: &[Shown<'_>], frame: &Frame) -> String {
    wanted(Style::Plain, entries, frame).into_iter().map(|wanted| wanted.text + "\n").collect()
}

/// Puts an empty section at the end of a file that has none.
fn open(bounds: Bounds, page: &mut Page) {
    let end = page.end.as_str();
    let last = split(&page.before).last();
    let unended = last.is_some_and(|(_, end)| end == End::Nothing);
    let apart = last.is_some_and(|(line, _)| !is_blank(line.trim_start_matches('\u{feff}')));
    for _ in 0..usize::from(unended) + usize::from(apart) {
        page.before.push_str(end);
    }
    page.before.push_str(bounds.first());
    page.before.push_str(end);
    if bounds == Bounds::Marks {
        page.after = format!("{END}{end}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(bounds: Bounds, text: &str) -> Parsed {
        let mut all = |_: &crate::Item| crate::Taken::All;
        super::parse(bounds, text, Sorting::new(&mut all))
    }

    fn rendered(bounds: Bounds, texts: &[&str], file: &str) -> String {
        let entries: Vec<_> = texts.iter().map(|text| Shown::plain(text)).collect();
        render(bounds, &entries, &parse(bounds, file).frame)
    }

    fn texts(bounds: Bounds, file: &str) -> Vec<String> {
        parse(bounds, file).items.into_iter().map(|item| item.text).collect()
    }

    #[test]
    fn what_stands_outside_stays_to_the_byte() {
        let before = "\u{feff}# Project\r\n- not ours\r\n\r\n<!-- memlore:begin -->\r\n";
        let after = "<!-- memlore:end -->\r\n\tlast  line \r\n- neither\n";
        let file = format!("{before}* a\r\nmine\r\n- b\r\n{after}");
        assert_eq!(texts(Bounds::Marks, &file), ["a", "b"]);
        assert_eq!(rendered(Bounds::Marks, &["a", "b"], &file), file);
        let expected = format!("{before}* a\r\nmine\r\n- c\r\n- d\r\n{after}");
        assert_eq!(rendered(Bounds::Marks, &["a", "c", "d"], &file), expected);
        assert_eq!(rendered(Bounds::Marks, &[], &file), format!("{before}mine\r\n{after}"));
    }

    #[test]
    fn a_file_without_the_section_gets_it_at_its_end() {
        let section = "<!-- memlore:begin -->\n- a\n<!-- memlore:end -->\n";
        assert_eq!(rendered(Bounds::Marks, &["a"], ""), section);
        for file in ["# Project\n\n- x", "# Project\n\n- x\n", "# Project\n\n- x\n\n"] {
            assert_eq!(rendered(Bounds::Marks, &["a"], file), format!("# Project\n\n- x\n\n{section}"));
            assert_eq!(rendered(Bounds::Marks, &[], file), file);
        }
        assert_eq!(rendered(Bounds::Gemini, &["a"], "# x\n"), "# x\n\n## Gemini Added Memories\n- a\n");
    }

    #[test]
    fn a_mark_without_its_other_is_a_line_like_any_other() {
        for file in [BEGIN, END, "<!-- memlore:end -->\n- x\n<!-- memlore:begin -->\n- y\n"] {
            assert_eq!(texts(Bounds::Marks, file), [""; 0]);
            assert_eq!(rendered(Bounds::Marks, &[], file), file);
        }
        let two = "<!-- memlore:begin -->\n- x\n<!-- memlore:begin -->\n- y\n<!-- memlore:end -->\n";
        assert_eq!(texts(Bounds::Marks, two), ["y"]);
        let again = rendered(Bounds::Marks, &["a"], "<!-- memlore:begin -->\n- x\n");
        assert_eq!(texts(Bounds::Marks, &again), ["a"]);
    }

    #[test]
    fn a_text_that_is_a_mark_is_a_text() {
        let file = rendered(Bounds::Marks, &[BEGIN, END, GEMINI, "## x"], "");
        assert_eq!(texts(Bounds::Marks, &file), [BEGIN, END, GEMINI, "## x"]);
        let file = rendered(Bounds::Gemini, &[BEGIN, END, GEMINI, "## x"], "");
        assert_eq!(texts(Bounds::Gemini, &file), [BEGIN, END, GEMINI, "## x"]);
    }

    #[test]
    fn geminis_section_ends_where_the_next_one_begins() {
        let file = "# x\n## Gemini Added Memories\n- a\n### y\n- b\n\n## Other\n- c\n";
        assert_eq!(texts(Bounds::Gemini, file), ["a", "b"]);
        assert_eq!(rendered(Bounds::Gemini, &["a", "b", "d"], file), file.replace("- b\n", "- b\n- d\n"));
        let empty = "## Gemini Added Memories\n## Other\n";
        assert_eq!(rendered(Bounds::Gemini, &["a"], empty), "## Gemini Added Memories\n- a\n\n## Other\n");
        let last = "## Gemini Added Memories";
        assert_eq!(rendered(Bounds::Gemini, &["a"], last), "## Gemini Added Memories\n- a\n");
        let open = "## Gemini Added Memories\n- a";
        assert_eq!(rendered(Bounds::Gemini, &["a"], open), open);
        assert_eq!(rendered(Bounds::Gemini, &["a", "b"], open), "## Gemini Added Memories\n- a\n- b\n");
    }
}
