//! The bullets dialect: MEMORY.md with an index of topics, and one file for each topic.
//!
//! A bullet is an entry, inside the index a link; every other line belongs to the person and stays where it is.

use crate::bullet::{self, Style, line_of};
use crate::dialect::{Sheet, Shown};
use crate::frame::{Frame, Parsed, Sorting};
use crate::lines::{End, folded, heading_level, split};
use crate::page::{Fill, Line, Page, Slot, Wanted, under_heading};
use memlore_model::{BookName, TextKey, topic_name};
use std::collections::BTreeSet;

const INDEX: &str = "## Index";
const BOM: char = '\u{feff}';

pub(crate) fn parse(text: &str, mut sorting: Sorting<'_>) -> Parsed {
    let mut page = Page { end: End::of(text), found: true, ..Page::default() };
    let body = text.strip_prefix(BOM).unwrap_or(text);
    page.before = text[..text.len() - body.len()].to_owned();
    let mut in_index = false;
    for (text, end) in split(body) {
        let mut line = Line::foreign(text, end);
        if heading_level(text).is_some() {
            in_index = is_index(text);
        } else if in_index {
            line.slot = link(text).map(Slot::Link);
        } else if let Some(item) = bullet::read(Style::Labelled, text) {
            line.slot = sorting.take(item).map(Slot::Entry);
        }
        page.lines.push(line);
    }
    sorting.parsed(Some(page))
}

pub(crate) fn render(sheet: &Sheet<'_>, entries: &[Shown<'_>], frame: &Frame) -> String {
    let mut page = match &frame.page {
        Some(page) if page.lines.iter().any(|line| !line.is_blank()) => page.clone(),
        _ => blank_page(sheet),
    };
    let wanted = wanted(Style::Labelled, entries, frame);
    let index = under_heading(&page.lines, is_index);
    let above = 0..index.map_or(page.lines.len(), |index| index.start);
    let entries = Fill {
        wanted: &wanted,
        is_ours: |slot| matches!(slot, Slot::Entry(_)),
        shows: |old, new| bullet::read(Style::Labelled, old) == bullet::read(Style::Labelled, new),
        within: above,
        airy: true,
        end: page.end,
    };
    page.lines = entries.fill(&page.lines);
    if page.lines.iter().all(Line::is_blank) {
        page.lines = blank_page(sheet).lines;
    }
    if sheet.has_index() {
        list_topics(&mut page, sheet.topics);
    }
    while page.lines.last().is_some_and(Line::is_blank) {
        page.lines.pop();
    }
    if let Some(last) = page.lines.last_mut().filter(|last| last.end == End::Nothing) {
        last.end = page.end;
    }
    page.into_text()
}

/// Whether a topic's file holds nothing but its title.
pub(crate) fn is_bare_topic(frame: &Frame) -> bool {
    let lines = frame.page.iter().flat_map(|page| &page.lines);
    let mut foreign = lines.filter(|line| line.slot.is_none() && !line.is_blank());
    foreign.next().is_none_or(|first| heading_level(&first.text) == Some(1)) && foreign.next().is_none()
}

/// The topics that the index of a file links.
pub(crate) fn linked(frame: &Frame) -> impl Iterator<Item = BookName> {
    let page = frame.page.as_ref();
    let index = page.and_then(|page| under_heading(&page.lines, is_index).map(|index| &page.lines[index]));
    index.into_iter().flatten().filter_map(|line| mentioned(&line.text))
}

/// The lines that entries are to have, one for each text that does not stand in a line of somebody else's alone.
pub(crate) fn wanted(style: Style, entries: &[Shown<'_>], frame: &Frame) -> Vec<Wanted> {
    let mut seen: BTreeSet<TextKey> = frame.texts.iter().map(|text| TextKey::of(&folded(text))).collect();
    if !seen.is_empty() {
        for line in frame.page.iter().flat_map(|page| &page.lines) {
            if let Some(Slot::Entry(key)) = &line.slot {
                seen.remove(key);
            }
        }
    }
    let mut wanted = Vec::with_capacity(entries.len());
    for entry in entries {
        let key = TextKey::of(&folded(entry.text));
        if seen.insert(key.clone()) {
            wanted.push(Wanted { slot: Slot::Entry(key), text: line_of(style, entry) });
        }
    }
    wanted
}

fn blank_page(sheet: &Sheet<'_>) -> Page {
    let title = match sheet.book {
        Some(topic) if !sheet.has_index() => format!("# {topic}"),
        _ => "# Memory".to_owned(),
    };
    let mut lines = vec![title];
    if sheet.has_index() {
        lines.extend([String::new(), INDEX.to_owned()]);
    }
    let lines = lines.into_iter().map(|line| Line::foreign(line, End::Lf)).collect();
    Page { lines, ..Page::default() }
}

fn list_topics(page: &mut Page, topics: &[BookName]) {
    let index = under_heading(&page.lines, is_index);
    if index.is_none() && topics.is_empty() {
        return;
    }
    let index = index.unwrap_or_else(|| {
        if page.lines.last().is_some_and(|line| !line.is_blank()) {
            page.lines.push(Line::foreign("", page.end));
        }
        page.lines.push(Line::foreign(INDEX, page.end));
        page.lines.len() - 1..page.lines.len()
    });
    // A link with words of the person's own is theirs.
    let theirs = page.lines[index.clone()].iter().filter(|line| line.slot.is_none());
    let theirs: BTreeSet<BookName> = theirs.filter_map(|line| mentioned(&line.text)).collect();
    let topics: BTreeSet<&BookName> = topics.iter().filter(|topic| !theirs.contains(*topic)).collect();
    let wanted: Vec<Wanted> = topics
        .into_iter()
        .map(|topic| Wanted { slot: Slot::Link(topic.clone()), text: format!("- [[{topic}]]") })
        .collect();
    let links = Fill {
        wanted: &wanted,
        is_ours: |slot| matches!(slot, Slot::Link(_)),
        shows: |_, _| true,
        within: index,
        airy: true,
        end: page.end,
    };
    page.lines = links.fill(&page.lines);
}

fn is_index(line: &str) -> bool {
    heading_level(line) == Some(2) && folded(line.trim_start_matches('#')).eq_ignore_ascii_case("index")
}

/// The topic of a line that is a link and nothing else.
fn link(line: &str) -> Option<BookName> {
    let text = folded(bullet::after_bullet(line)?);
    mentioned(line).filter(|_| text.ends_with("]]") && text.matches("]]").count() == 1)
}

/// The topic that a bullet of the index begins with.
fn mentioned(line: &str) -> Option<BookName> {
    let text = bullet::after_bullet(line)?;
    let (topic, _) = text.strip_prefix("[[")?.split_once("]]")?;
    topic_name(topic).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Item, Taken};

    fn parse(text: &str) -> Parsed {
        crate::parse(crate::Dialect::Bullets, text)
    }

    const SAMPLE: &str = "# Memory\n\nMine.\n\n- Likes tea [source: part 1 #10; added: 2026-11-06]\n* By hand\n\n\
        ## Notes\n\nBelow.\n\n## Index\n\n- [[travel]]\n";

    fn books(names: &[&str]) -> Vec<BookName> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn rendered(texts: &[&str], file: &str, topics: &[&str]) -> String {
        let entries: Vec<_> = texts.iter().map(|text| Shown::plain(text)).collect();
        let topics = books(topics);
        let sheet = Sheet { topics: &topics, ..Sheet::from(crate::Dialect::Bullets) };
        render(&sheet, &entries, &parse(file).frame)
    }

    #[test]
    fn an_empty_memory_has_a_title_and_an_index() {
        assert_eq!(rendered(&[], "", &[]), "# Memory\n\n## Index\n");
        let one = rendered(&["a"], "", &["x", "b"]);
        assert_eq!(one, "# Memory\n\n- a\n\n## Index\n\n- [[b]]\n- [[x]]\n");
        assert_eq!(rendered(&[], &one, &[]), "# Memory\n\n## Index\n");
    }

    #[test]
    fn a_persons_lines_stay_and_new_entries_follow_the_last_one() {
        let file = rendered(&["Likes tea", "By hand", "new"], SAMPLE, &["travel"]);
        let expected =
            SAMPLE.replace("[source: part 1 #10; added: 2026-11-06]", "").replace("tea \n", "tea\n");
        assert_eq!(file, expected.replace("* By hand\n", "* By hand\n- new\n"));
        assert_eq!(rendered(&["Likes tea", "By hand"], &file, &["travel"]), expected);
    }

    #[test]
    fn what_takes_an_entrys_place_stands_where_it_stood() {
        let file = "# Memory\n\n- a\n- b\n\n## More\n\n- c\n\n## Index\n";
        assert_eq!(rendered(&["a", "b", "c2"], file, &[]), file.replace("- c\n", "- c2\n"));
        assert_eq!(rendered(&["a2", "b", "c"], file, &[]), file.replace("- a\n", "- a2\n"));
        assert_eq!(rendered(&["a", "b", "c", "d"], file, &[]), file.replace("- c\n", "- c\n- d\n"));
        assert_eq!(rendered(&["a", "b"], file, &[]), file.replace("- c\n\n", ""));
    }

    #[test]
    fn a_heading_without_entries_gets_a_blank_line_first() {
        assert_eq!(rendered(&["a"], "# Memory\n## Index\n", &[]), "# Memory\n\n- a\n\n## Index\n");
        assert_eq!(rendered(&["a"], "Mine.", &["t"]), "Mine.\n\n- a\n\n## Index\n\n- [[t]]\n");
        assert_eq!(rendered(&["a"], "x\r\n## INDEX \r\n", &[]), "x\r\n\r\n- a\r\n\r\n## INDEX \r\n");
    }

    #[test]
    fn below_the_index_are_entries_too_and_inside_it_are_none() {
        let file =
            "- a\n\n## Index\n\n- [[Travel.md]]\n- [[food]]: what we eat\n- a note\n\n## More\n\n- b\n";
        assert_eq!(parse(file).items.iter().map(|item| item.text.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(linked(&parse(file).frame).collect::<Vec<_>>(), books(&["travel", "food"]));
        assert_eq!(rendered(&["a", "b"], file, &["travel", "food"]), file);
        let without = file.replace("- [[Travel.md]]\n", "");
        assert_eq!(rendered(&["a", "b"], file, &[]), without);
        assert_eq!(rendered(&["a", "b", "c"], file, &["travel"]), file.replace("- a\n", "- a\n- c\n"));
    }

    #[test]
    fn a_text_that_cannot_be_taken_over_keeps_its_line() {
        let mut taken = |item: &Item| if item.text == "too long" { Taken::Nothing } else { Taken::All };
        let parsed = super::parse("- a\n- too long\n- b\n", Sorting::new(&mut taken));
        let entries = ["a", "b", "too  long"].map(Shown::plain);
        assert_eq!(
            render(&crate::Dialect::Bullets.into(), &entries, &parsed.frame),
            "- a\n- too long\n- b\n"
        );
        assert_eq!(parsed.frame.texts, ["too long"]);
    }

    #[test]
    fn an_entry_whose_line_is_somebody_elses_has_no_other() {
        let mut taken = |item: &Item| if item.labels.is_empty() { Taken::All } else { Taken::Text };
        let mut taken_of = |text: &str| super::parse(text, Sorting::new(&mut taken));
        let file = "- a\n-  b  [note:  x]\n- c\n";
        let parsed = taken_of(file);
        assert_eq!(parsed.items.iter().map(|item| item.theirs).collect::<Vec<_>>(), [false, true, false]);
        let entries = ["a", "b", "c"].map(Shown::plain);
        let sheet = crate::Dialect::Bullets.into();
        assert_eq!(render(&sheet, &entries, &parsed.frame), file);
        assert_eq!(render(&sheet, &entries[..1], &parsed.frame), "- a\n-  b  [note:  x]\n");
        // Beside a line of ours it is one more line of theirs.
        let file = "- b [note: x]\n- a\n- b\n";
        let parsed = taken_of(file);
        assert_eq!(parsed.items.iter().map(|item| item.theirs).collect::<Vec<_>>(), [false, false]);
        assert_eq!(render(&sheet, &["a", "b"].map(Shown::plain), &parsed.frame), file);
    }
}
