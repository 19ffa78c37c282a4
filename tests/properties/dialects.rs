//! Laws of the dialects in which an entry is one line of a list.

use memlore_model::{BookName, TextKey, clean_text};
use memlore_testing::{check_bullets_parser, check_section_parser};
use memlore_view::{
    Dialect, Frame, Item, Reading, Sheet, Shown, as_shown, matches, parse, read_bytes, render, same_entry,
    usage,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const LISTS: [Dialect; 3] = [Dialect::Bullets, Dialect::Section, Dialect::Gemini];

fn dialect() -> impl Strategy<Value = Dialect> {
    prop::sample::select(LISTS.to_vec())
}

/// Lines that look like bullets, metadata, headings, links and marks, mixed.
fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-c é数\u{a0}\u{feff}]{0,6}",
        2 => r"[ \t]?[-*]{0,3}[ \t]?[-*]? ?[ab]?",
        2 => r"\\{0,2}[-*] ?[a]?",
        2 => r"[ab] ?\[[ab]{0,2}\\{0,2}:? ?[cd;]{0,3}(: e)?\]",
        1 => "#{1,3} ?(Index|Memory|a)?",
        1 => Just("## Gemini Added Memories".to_owned()),
        1 => "<!-- memlore:(begin|end) -->",
        1 => r"- \[\[(Travel|food|a b)\]\]( x)?",
        1 => any::<String>(),
    ]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let lines = prop::collection::vec(line(), 1..3).prop_map(|lines| lines.join("\n"));
    let text = lines.prop_filter_map("no entry", |lines| clean_text(&lines).ok());
    prop::collection::vec(text, 0..7).prop_map(|mut texts| {
        let mut seen = BTreeSet::new();
        texts.retain(|text| seen.insert(TextKey::of(&as_shown(Dialect::Bullets, text))));
        texts
    })
}

fn file() -> impl Strategy<Value = String> {
    let end = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    (prop::collection::vec(line(), 0..12), end, any::<bool>()).prop_map(|(lines, end, last)| {
        let text = lines.join(end);
        if last { text + end } else { text }
    })
}

fn labels() -> impl Strategy<Value = BTreeMap<String, String>> {
    prop::collection::btree_map("(source|by|added|id|[a-z][a-z_]{0,2})", "[a-c:#]{1,3}( [a-c]{1,2})?", 0..4)
}

fn shown(texts: &[String]) -> Vec<Shown<'_>> {
    texts.iter().map(|text| Shown::plain(text)).collect()
}

fn theirs(file: &str) -> Vec<&str> {
    file.split(['\n', '\r']).filter(|line| !as_shown(Dialect::Bullets, line).is_empty()).collect()
}

proptest! {
    #[test]
    fn a_list_parses_into_its_entries(dialect in dialect(), texts in texts()) {
        let rendered = render(dialect, &shown(&texts), &Frame::default());
        let items: Vec<_> = parse(dialect, &rendered).items.into_iter().map(|item| item.text).collect();
        let expected: Vec<_> = texts.iter().map(|text| as_shown(dialect, text).into_owned()).collect();
        prop_assert_eq!(items, expected);
    }

    #[test]
    fn labels_read_back(text in texts(), labels in labels()) {
        prop_assume!(!text.is_empty());
        let entry = Shown { labels: &labels, ..Shown::plain(&text[0]) };
        let parsed = parse(Dialect::Bullets, &render(Dialect::Bullets, &[entry], &Frame::default()));
        let expected = Item { labels, ..Item::plain(as_shown(Dialect::Bullets, &text[0])) };
        prop_assert_eq!(parsed.items, [expected]);
    }

    #[test]
    fn what_a_dialect_shows_it_shows_again(dialect in dialect(), texts in texts()) {
        for text in &texts {
            let once = as_shown(dialect, text);
            prop_assert_eq!(as_shown(dialect, &once), once.clone());
            prop_assert!(same_entry(dialect, text, &once));
            prop_assert_eq!(matches(dialect, text, &once), Some(memlore_view::Match::Exact));
        }
    }

    #[test]
    fn equal_memories_give_equal_files_whatever_came_and_went(
        dialect in dialect(), texts in texts(), more in texts(), at in any::<prop::sample::Index>()
    ) {
        let plain = render(dialect, &shown(&texts), &Frame::default());
        prop_assume!(!texts.is_empty());
        let mut between: Vec<Shown<'_>> = shown(&texts);
        for text in &more {
            between.insert(at.index(between.len() + 1), Shown::plain(text));
        }
        let detour = render(dialect, &between, &parse(dialect, &plain).frame);
        prop_assert_eq!(render(dialect, &shown(&texts), &parse(dialect, &detour).frame), plain);
    }

    #[test]
    fn a_persons_lines_stay_to_the_byte(
        dialect in dialect(), file in file(), first in texts(), second in texts()
    ) {
        let frame = parse(dialect, &file).frame;
        let topics: Vec<BookName> = frame.linked_topics().collect();
        let sheet = Sheet { topics: &topics, ..Sheet::from(dialect) };
        let bare = render(sheet, &[], &frame);
        let one = render(sheet, &shown(&first), &frame);
        let two = render(sheet, &shown(&second), &parse(dialect, &one).frame);
        let back = render(sheet, &[], &parse(dialect, &two).frame);
        let (bare, back) = (theirs(&bare), theirs(&back));
        // A section that had to be made stays.
        prop_assert!(bare.iter().zip(&back).all(|(bare, back)| bare == back), "{bare:?} {back:?}");
        prop_assert!(back.len() >= bare.len());
    }

    #[test]
    fn the_file_itself_is_no_edit(dialect in dialect(), file in file(), texts in texts()) {
        let written = render(dialect, &shown(&texts), &parse(dialect, &file).frame);
        let parsed = parse(dialect, &written);
        let keys: BTreeSet<_> = parsed.items.iter().map(|item| item.key.clone()).collect();
        let expected = texts.iter().map(|text| TextKey::of(&as_shown(dialect, text))).collect();
        prop_assert_eq!(keys, expected);
        prop_assert_eq!(render(dialect, &shown(&texts), &parsed.frame), written.clone());
        let version = render(dialect, &shown(&texts), &Frame::default());
        prop_assert_eq!(read_bytes(dialect, Some(written.as_bytes()), &[&version]), Reading::Text(written));
    }

    #[test]
    fn the_size_is_what_the_program_reads(texts in texts(), file in file()) {
        let frame = parse(Dialect::Bullets, &file).frame;
        let written = render(Dialect::Bullets, &shown(&texts), &frame);
        let unit = memlore_model::Unit::Utf16;
        let counted = usage(Dialect::Bullets, &shown(&texts), &frame, unit);
        prop_assert_eq!(counted, written.encode_utf16().count() as u64);
    }

    #[test]
    fn any_bytes_are_read_or_guarded(bytes in prop::collection::vec(any::<u8>(), 0..60), file in file()) {
        for bytes in [bytes.clone(), file.clone().into_bytes(), [file.as_bytes(), &bytes].concat()] {
            check_bullets_parser(&bytes);
            check_section_parser(&bytes);
        }
    }
}

#[test]
fn files_of_other_programs_stay_byte_for_byte() {
    for file in [include_str!("../fixtures/bullets/MEMORY.md"), include_str!("../fixtures/bullets/travel.md")]
    {
        let parsed = parse(Dialect::Bullets, file);
        let topics: Vec<BookName> = parsed.frame.linked_topics().collect();
        let travel = "travel".parse().ok();
        let book = if topics.is_empty() { travel.as_ref() } else { None };
        let sheet = Sheet { book, topics: &topics, dialect: Dialect::Bullets };
        let items = parsed.items.iter();
        let entries: Vec<_> =
            items.map(|item| Shown { labels: &item.labels, ..Shown::plain(&item.text) }).collect();
        assert_eq!(render(sheet, &entries, &parsed.frame), file);
        // Written anew they differ in nothing but the person's own lines.
        let anew = render(sheet, &entries, &Frame::default());
        assert_eq!(parse(Dialect::Bullets, &anew).items, parsed.items);
        assert!(!topics.is_empty() || anew == file, "{anew}");
    }
}
