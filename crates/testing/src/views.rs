//! Bodies that feed the readers of views with anything.

use memlore_model::topic_name;
use memlore_view::{
    Dialect, Frame, Item, Parsed, Reading, Sheet, Shown, Taken, parse, parse_taking, read_bytes, render,
};
use std::collections::HashSet;

/// Reads the bytes as a hermes file, as the first that was ever seen and as a change of its own rendering.
///
/// Whatever was read must render into a file that reads back as the same entries, and that hermes-agent would split
/// into exactly these.
pub fn check_hermes_parser(bytes: &[u8]) {
    let Reading::Text(text) = read_bytes(Dialect::Hermes, Some(bytes), &[]) else { return };
    let parsed = parse(Dialect::Hermes, &text);
    let entries: Vec<_> = parsed.items.iter().map(|item| Shown::plain(&item.text)).collect();
    let rendered = render(Dialect::Hermes, &entries, &Frame::default());
    assert_eq!(parse(Dialect::Hermes, &rendered), parsed, "{rendered:?}");
    let pieces = rendered.split("\n§\n").filter(|piece| !piece.trim().is_empty()).count();
    assert_eq!(pieces, parsed.items.len(), "{rendered:?}");
    // The mark at the beginning of a file is taken off only where no version began with it.
    let again = read_bytes(Dialect::Hermes, Some(rendered.as_bytes()), &[&rendered]);
    assert_eq!(again, Reading::Text(rendered));
    // What is left in the frame stays in the file.
    let before = parsed.items.len();
    let left: HashSet<_> = parsed.items.iter().step_by(2).map(|item| item.key.clone()).collect();
    let mut taken = |item: &Item| if left.contains(&item.key) { Taken::Nothing } else { Taken::All };
    let parsed = parse_taking(Dialect::Hermes, &text, &mut taken);
    let entries: Vec<_> = parsed.items.iter().map(|item| Shown::plain(&item.text)).collect();
    let framed = parse(Dialect::Hermes, &render(Dialect::Hermes, &entries, &parsed.frame));
    assert_eq!(framed.items.len(), before);
}

/// Reads the bytes as a file of bullets, and renders what was read and what was not.
pub fn check_bullets_parser(bytes: &[u8]) {
    check_list(Dialect::Bullets, bytes);
}

/// Reads the bytes as a file with a section of ours, and as one of Gemini's.
pub fn check_section_parser(bytes: &[u8]) {
    check_list(Dialect::Section, bytes);
    check_list(Dialect::Gemini, bytes);
}

/// A file that is rendered from what was read of it is the same file, and whatever happens to the entries, every
/// line that is none of ours stays to the byte.
fn check_list(dialect: Dialect, bytes: &[u8]) {
    let Reading::Text(text) = read_bytes(dialect, Some(bytes), &[]) else { return };
    let parsed = parse(dialect, &text);
    let rendered = rendered(dialect, &parsed, &shown(&parsed));
    let again = parse(dialect, &rendered);
    assert_eq!(again.items, parsed.items, "{text:?} {rendered:?}");
    assert_eq!(self::rendered(dialect, &again, &shown(&again)), rendered, "{text:?}");
    if dialect.is_guest() && !rendered.is_empty() && parsed.items.len() == bullets_in(&parsed, &text) {
        assert_eq!(rendered, text);
    }
    let new = [Shown::plain("- a\n## b [c: d]"), Shown::plain("<!-- memlore:end -->")];
    // One bullet stays, since a file without any line gets a title of ours.
    let kept = if dialect.is_guest() { &[] } else { &new[1..] };
    let theirs = self::rendered(dialect, &parsed, kept);
    let changed = [&shown(&parsed)[parsed.items.len() / 2..], &new].concat();
    let changed = self::rendered(dialect, &parsed, &changed);
    // A blank file gets a title of ours.
    let before = if lines(&text).next().is_some() { &text } else { &theirs };
    for (less, more) in [(&theirs, before), (&theirs, &changed)] {
        let theirs = || lines(less).filter(|line| *line != "- <!-- memlore:end -->");
        let stands: HashSet<&str> = lines(more).collect();
        assert!(theirs().all(|line| stands.contains(line)), "{text:?} {less:?} {changed:?}");
        let mut more = lines(more);
        let mut in_order = theirs().filter(|line| dialect != Dialect::Bullets || !is_link(&parsed, line));
        assert!(in_order.all(|line| more.any(|other| other == line)), "{text:?} {less:?} {changed:?}");
    }
    let texts: Vec<_> = parse(dialect, &changed).items.into_iter().map(|item| item.text).collect();
    for text in ["- a ## b [c: d]", "<!-- memlore:end -->"] {
        assert!(texts.iter().any(|shown| shown == text), "{changed:?}");
    }
}

/// Whether the line is a bullet that is nothing but a link to a topic of the index: those are ours, and in the order of
/// their names.
fn is_link(parsed: &Parsed, line: &str) -> bool {
    let text = line.trim().strip_prefix(['-', '*']).map(str::trim_start);
    let name = text.and_then(|text| text.strip_prefix("[[")?.strip_suffix("]]"));
    let topic = name.and_then(|name| topic_name(name).ok());
    topic.is_some_and(|topic| parsed.frame.linked_topics().any(|linked| linked == topic))
}

fn shown(parsed: &Parsed) -> Vec<Shown<'_>> {
    parsed.items.iter().map(|item| Shown { labels: &item.labels, ..Shown::plain(&item.text) }).collect()
}

fn rendered(dialect: Dialect, parsed: &Parsed, entries: &[Shown<'_>]) -> String {
    let topics: Vec<_> = parsed.frame.linked_topics().collect();
    render(Sheet { topics: &topics, ..Sheet::from(dialect) }, entries, &parsed.frame)
}

/// How many lines of the file are entries, duplicates included.
fn bullets_in(parsed: &Parsed, text: &str) -> usize {
    lines(text).count() - lines(&rendered(Dialect::Section, parsed, &[])).count()
}

/// The lines that are not blank, without the mark that the first one of a file may have.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', '\r'])
        .map(|line| line.trim_start_matches('\u{feff}'))
        .filter(|line| !line.chars().all(|c| c.is_whitespace() || c <= '\u{1f}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_another_order_than_ours_are_put_in_order() {
        check_bullets_parser(b"# Memory\n\n## Index\n\n- [[travel]]\n- [[food]]\n");
    }
}
