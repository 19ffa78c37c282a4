//! Laws of views: rendering and parsing undo each other, and the rules of evidence never overreach.

use memlore_model::{TextKey, clean_text};
use memlore_testing::check_hermes_parser;
use memlore_view::{
    Dialect, Frame, HeldKind, History as _, Item, Judgement, NewestRead, Observed, Parsed, Shown,
    VersionList, judge, parse, render,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Lines that look like delimiters, escapes, other spaces and other scripts, mixed.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => "[a-c é数\u{a0}\u{feff}]{0,6}",
        2 => r"\\{0,3}§",
        1 => "[ \t\r]?§[ \t\r§]?",
        1 => any::<String>(),
    ];
    let lines = prop::collection::vec(line, 1..4).prop_map(|lines| lines.join("\n"));
    lines.prop_filter_map("no entry", |lines| clean_text(&lines).ok())
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(text(), 0..8).prop_map(|mut texts| {
        let mut seen = BTreeSet::new();
        texts.retain(|text| seen.insert(TextKey::of(text)));
        texts
    })
}

fn file(texts: &[String]) -> String {
    let entries: Vec<_> = texts.iter().map(|text| Shown::plain(text)).collect();
    render(Dialect::Hermes, &entries, &Frame::default())
}

/// A page of a small world of texts, so that versions and files share many.
fn page() -> impl Strategy<Value = Vec<TextKey>> {
    prop::sample::subsequence((0..7).collect::<Vec<u8>>(), 0..7).prop_shuffle().prop_map(|numbers| {
        numbers.into_iter().map(|number| TextKey::of(&format!("the box runs service {number}"))).collect()
    })
}

fn history() -> impl Strategy<Value = VersionList> {
    let version = (page(), 0..3u8, prop::option::of(any::<bool>()));
    prop::collection::vec(version, 0..6).prop_map(|versions| {
        let mut history = VersionList::default();
        for (page, how, read) in versions {
            let number = if how == 0 { history.rendered(page) } else { history.imported(page, how == 1) };
            history.set_read(number, read);
        }
        history
    })
}

fn observed() -> impl Strategy<Value = Observed> {
    let read = prop_oneof![
        Just(NewestRead::NotKnown),
        Just(NewestRead::Nobody),
        (0..3_000_000u64).prop_map(NewestRead::FirstAt),
        Just(NewestRead::SomeTime),
    ];
    let born = prop::option::of(0..3_000_000u64);
    (any::<[bool; 4]>(), read, born).prop_map(
        |([episode, synced, lock_file, inference_ended], newest_read, file_born_us)| Observed {
            episode,
            synced,
            lock_file,
            newest_read,
            file_born_us,
            inference_ended,
        },
    )
}

/// A judgement with everything that it was made from.
#[derive(Debug)]
struct Case {
    file: Parsed,
    live: BTreeSet<TextKey>,
    newest: Vec<TextKey>,
    observed: Observed,
    judgement: Judgement,
}

fn case() -> impl Strategy<Value = Case> {
    (history(), page(), page(), any::<bool>(), observed()).prop_map(
        |(history, file, live, settled, observed)| {
            let Ok(newest) = history.newest();
            let newest = newest.map(|(_, keys)| keys).unwrap_or_default();
            // Mostly the newest version shows what is live.
            let live = if settled { newest.iter().cloned().collect() } else { live.into_iter().collect() };
            let file = Parsed::of_items(file.iter().map(|key| Item::plain(key.as_str())));
            let Ok(judgement) = judge(&file, &live, &history, &observed);
            Case { file, live, newest, observed, judgement }
        },
    )
}

proptest! {
    #[test]
    fn a_rendered_file_parses_into_its_entries(texts in texts()) {
        let parsed = parse(Dialect::Hermes, &file(&texts));
        let items: Vec<_> = parsed.items.into_iter().map(|item| item.text).collect();
        prop_assert_eq!(items, texts);
    }

    #[test]
    fn rendering_is_a_function_of_the_entries(texts in texts()) {
        prop_assert_eq!(file(&texts), file(&texts.clone()));
        let parsed = parse(Dialect::Hermes, &file(&texts));
        let again: Vec<_> = parsed.items.iter().map(|item| item.text.clone()).collect();
        prop_assert_eq!(file(&again), file(&texts));
    }

    #[test]
    fn any_bytes_are_read_or_guarded(bytes in prop::collection::vec(any::<u8>(), 0..60), texts in texts()) {
        check_hermes_parser(&bytes);
        check_hermes_parser(&[file(&texts).as_bytes(), &bytes].concat());
    }

    #[test]
    fn the_newest_version_itself_is_no_edit(history in history(), observed in observed()) {
        let Ok(newest) = history.newest();
        let keys = newest.map(|(_, keys)| keys).unwrap_or_default();
        let live = keys.iter().cloned().collect();
        let file = Parsed::of_items(keys.iter().rev().map(|key| Item::plain(key.as_str())));
        let Ok(judgement) = judge(&file, &live, &history, &observed);
        prop_assert!(judgement.is_nothing());
    }

    #[test]
    fn a_text_that_stands_in_the_file_is_never_removed(case in case()) {
        let in_file: BTreeSet<_> = case.file.items.iter().map(|item| &item.key).collect();
        let removed = case.judgement.removed.iter().map(|removed| &removed.key);
        let gone: Vec<_> = removed.chain(case.judgement.replaced.iter().map(|replaced| &replaced.old)).collect();
        prop_assert!(gone.iter().all(|key| !in_file.contains(*key)));
        prop_assert!(gone.iter().all(|key| case.live.contains(*key) && case.newest.contains(key)));
    }

    #[test]
    fn every_difference_is_answered_once(case in case()) {
        let Case { file, live, newest, judgement, .. } = &case;
        let item = |index: &usize| &file.items[*index].key;
        let mut answered: Vec<&TextKey> = judgement.added.iter().chain(&judgement.returned).map(item).collect();
        answered.extend(judgement.removed.iter().map(|removed| &removed.key));
        answered.extend(judgement.replaced.iter().flat_map(|replaced| [&replaced.old, item(&replaced.new)]));
        answered.extend(judgement.held.iter().map(|held| &held.key));
        let once: BTreeSet<_> = answered.iter().copied().collect();
        prop_assert_eq!(once.len(), answered.len());
        let in_file: BTreeSet<_> = file.items.iter().map(|item| &item.key).collect();
        let absent = newest.iter().filter(|key| live.contains(*key) && !in_file.contains(*key));
        let foreign = in_file.iter().copied().filter(|key| !live.contains(*key) && !newest.contains(key));
        prop_assert_eq!(once, absent.chain(foreign).collect::<BTreeSet<_>>());
    }

    #[test]
    fn a_writer_who_saw_nothing_removes_nothing(
        pages in prop::collection::vec(page(), 1..6), file in page(), synced in any::<bool>()
    ) {
        let mut history = VersionList::default();
        for page in &pages {
            let number = history.rendered(page.iter().cloned());
            history.set_read(number, Some(false));
        }
        let live = pages.last().into_iter().flatten().cloned().collect();
        let file = Parsed::of_items(file.iter().map(|key| Item::plain(key.as_str())));
        let observed = Observed { synced, newest_read: NewestRead::Nobody, ..Observed::default() };
        let Ok(judgement) = judge(&file, &live, &history, &observed);
        prop_assert!(judgement.removed.is_empty() && judgement.replaced.is_empty() && judgement.returned.is_empty());
        prop_assert!(judgement.held.iter().all(|held| held.unseen));
        prop_assert_eq!(judgement.stale_writer, !judgement.held.is_empty());
    }

    #[test]
    fn in_a_synced_home_only_an_episode_removes(case in case()) {
        prop_assume!(case.observed.synced && !case.observed.episode);
        prop_assert!(case.judgement.removed.is_empty() && case.judgement.replaced.is_empty());
        prop_assert!(case.judgement.returned.is_empty());
    }

    #[test]
    fn an_episode_is_obeyed_whole(case in case()) {
        prop_assume!(case.observed.episode);
        prop_assert!(case.judgement.held.is_empty() && !case.judgement.stale_writer);
    }

    #[test]
    fn nothing_is_inferred_where_it_must_not_be(case in case()) {
        let inferred = case.judgement.removed.iter().any(|removed| removed.inferred)
            || case.judgement.replaced.iter().any(|replaced| replaced.inferred);
        let read = matches!(case.observed.newest_read, NewestRead::FirstAt(_) | NewestRead::SomeTime);
        let returning = case.judgement.held.iter().any(|held| held.kind == HeldKind::Returning);
        let allowed = read && !case.observed.synced && !case.observed.inference_ended && !returning;
        prop_assert!(!inferred || allowed);
    }
}
