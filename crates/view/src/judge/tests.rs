//! Each row of evidence by example, with its nearest neighbours that it must not decide.
//!
//! A version is written `i+ A B`: an import (`r`: a rendering, `h`: an import that was held back) of the texts A and B
//! that was read (`-`: by nobody, `?`: not known). In answers `+A` is added, `-A@2` removed as observed at version 2
//! (`~` inferred), `A>B@2` changed, `^A` returned, `?A` held as absent and `?^A` as returning (`!` unseen), and `stale` a
//! proof of a stale writer.

use super::*;
use crate::READ_AND_WRITE_US;
use crate::frame::Item;
use crate::version_list::VersionList;

const BORN_US: u64 = 50_000_000;

/// Somebody read the newest version, long ago; nothing else was observed.
const QUIET: Observed = Observed {
    episode: false,
    synced: false,
    lock_file: false,
    newest_read: NewestRead::FirstAt(1),
    file_born_us: Some(BORN_US),
    inference_ended: false,
};
const UNREAD: Observed = Observed { newest_read: NewestRead::Nobody, ..QUIET };
const NOT_KNOWN: Observed = Observed { newest_read: NewestRead::NotKnown, ..QUIET };
const SYNCED: Observed = Observed { synced: true, ..QUIET };
const EPISODE: Observed = Observed { episode: true, newest_read: NewestRead::NotKnown, ..QUIET };
const READ_AND_WRITE: Observed =
    Observed { lock_file: true, newest_read: NewestRead::FirstAt(BORN_US - 900_000), ..QUIET };

fn keys(texts: &str) -> Vec<TextKey> {
    texts.split_whitespace().map(TextKey::of).collect()
}

fn history(versions: &[&str]) -> VersionList {
    let mut list = VersionList::default();
    for version in versions {
        let (how, texts) = version.split_at(2);
        let number = match &how[..1] {
            "r" => list.rendered(keys(texts)),
            mark => list.imported(keys(texts), mark == "h"),
        };
        let read = match &how[1..] {
            "+" => Some(true),
            "-" => Some(false),
            _ => None,
        };
        list.set_read(number, read);
    }
    list
}

fn shown(judgement: &Judgement, file: &Parsed) -> String {
    let text = |index: &usize| &file.items[*index].text;
    let inferred = |inferred| if inferred { "~" } else { "" };
    let mut parts: Vec<String> = judgement.added.iter().map(|index| format!("+{}", text(index))).collect();
    parts.extend(judgement.removed.iter().map(|removed| {
        format!("-{}@{}{}", removed.key.as_str(), removed.seen_at.0, inferred(removed.inferred))
    }));
    parts.extend(judgement.replaced.iter().map(|replaced| {
        let old = replaced.old.as_str();
        format!("{old}>{}@{}{}", text(&replaced.new), replaced.seen_at.0, inferred(replaced.inferred))
    }));
    parts.extend(judgement.returned.iter().map(|index| format!("^{}", text(index))));
    parts.extend(judgement.held.iter().map(|held| {
        let mark = if held.kind == HeldKind::Returning { "^" } else { "" };
        format!("?{mark}{}{}", held.key.as_str(), if held.unseen { "!" } else { "" })
    }));
    parts.extend(judgement.stale_writer.then(|| "stale".to_owned()));
    parts.join(" ")
}

/// Judges with exactly these texts live.
fn check_live(versions: &[&str], live: &str, file: &str, observed: Observed, expected: &str) {
    let history = history(versions);
    let parsed = Parsed::of_items(file.split_whitespace().map(Item::plain));
    let live = keys(live).into_iter().collect();
    let Ok(judgement) = judge(&parsed, &live, &history, &observed);
    assert_eq!(shown(&judgement, &parsed), expected, "{versions:?} then {file:?}, {observed:?}");
}

/// Judges with the newest version's texts live.
fn check(versions: &[&str], file: &str, observed: Observed, expected: &str) {
    let live = versions.last().map_or("", |newest| &newest[2..]);
    check_live(versions, live, file, observed, expected);
}

#[test]
fn a_file_that_asks_for_nothing_new_is_no_edit() {
    check(&["i+ A B C"], "A B C", QUIET, "");
    check(&["i+ A B C"], "C A B", QUIET, "");
    check(&[], "", QUIET, "");
}

#[test]
fn a_text_that_no_version_held_is_added_whatever_was_observed() {
    for observed in [QUIET, UNREAD, NOT_KNOWN, SYNCED, EPISODE, READ_AND_WRITE] {
        check(&["i+ A"], "A B", observed, "+B");
        check(&[], "A B", observed, "+A +B");
    }
}

#[test]
fn what_other_replicas_did_since_the_newest_version_is_no_edit_of_the_file() {
    // Live in the book, in no version yet.
    check_live(&["i+ A"], "A B", "A B", QUIET, "");
    // Removed by a record, still in the newest version: whether the file holds it or not.
    check_live(&["i+ A B"], "A", "A B", QUIET, "");
    check_live(&["i+ A B"], "A", "A", QUIET, "");
    // Removed, and added again by a record.
    check_live(&["r+ A B", "r+ A"], "A B", "A B", QUIET, "");
}

#[test]
fn in_a_synced_home_a_text_that_any_record_removed_is_returning() {
    let mut history = history(&["i+ A"]);
    history.removed(TextKey::of("B"));
    let file = Parsed::of_items(["A", "B"].map(Item::plain));
    let live = keys("A").into_iter().collect();
    let Ok(judgement) = judge(&file, &live, &history, &SYNCED);
    assert_eq!(shown(&judgement, &file), "?^B");
    let Ok(judgement) = judge(&file, &live, &history, &QUIET);
    assert_eq!(shown(&judgement, &file), "+B");
}

#[test]
fn row_1_a_watched_episode_is_obeyed() {
    check(&["r- A B C D"], "N", EPISODE, "+N -A@1 -B@1 -C@1 -D@1");
    check(&["r+ A B", "r+ A C"], "A B", EPISODE, "-C@2 ^B");
    check(
        &["i+ likes_green_tea_at_noon B"],
        "likes_black_tea_at_noon B",
        EPISODE,
        "likes_green_tea_at_noon>likes_black_tea_at_noon@1",
    );
    check(&["r+ A B"], "A", Observed { synced: true, ..EPISODE }, "-B@1");
}

#[test]
fn row_2_a_read_just_before_the_write_is_obeyed() {
    check(&["r+ A B C D"], "A", READ_AND_WRITE, "-B@1 -C@1 -D@1");
    check(&["r+ A B", "r+ A"], "A B", READ_AND_WRITE, "^B");
}

#[test]
fn row_2_needs_the_lock_file_the_time_and_a_home_that_is_not_synced() {
    let four = &["i+ A", "i+ A B", "i+ A B C", "i+ A B C D"];
    let late = NewestRead::FirstAt(BORN_US - READ_AND_WRITE_US - 1);
    let after = NewestRead::FirstAt(BORN_US + 1);
    for observed in [
        Observed { lock_file: false, ..READ_AND_WRITE },
        Observed { newest_read: late, ..READ_AND_WRITE },
        Observed { newest_read: after, ..READ_AND_WRITE },
        Observed { newest_read: NewestRead::SomeTime, ..READ_AND_WRITE },
        Observed { newest_read: NewestRead::NotKnown, ..READ_AND_WRITE },
        Observed { file_born_us: None, ..READ_AND_WRITE },
        Observed { synced: true, ..READ_AND_WRITE },
    ] {
        check(four, "A", observed, "?B ?C ?D");
    }
}

#[test]
fn row_2_is_not_for_a_file_that_looks_old() {
    // C came and B went after the writer last looked; somebody else read the newest version just now.
    check(&["r+ A B", "r+ A", "r+ A C"], "A B", READ_AND_WRITE, "?C ?^B stale");
}

#[test]
fn row_3_what_nobody_read_stays_as_it_is() {
    check(&["i+ A B", "r+ A B C"], "A B", UNREAD, "?C! stale");
    check(&["i+ A B", "r- A B C", "r+ A B C D"], "A B", UNREAD, "?C! ?D! stale");
    check(&["r+ A B", "r+ A"], "A B", UNREAD, "?^B! stale");
}

#[test]
fn row_3_does_not_decide_what_somebody_may_have_read() {
    // C was read in version 2; only D is unseen.
    check(&["i+ A B", "r+ A B C", "r+ A B C D"], "A B", UNREAD, "?D! ?C stale");
    // No access times for one of the versions that held it.
    check(&["i+ A B", "r? A B C", "r+ A B C D"], "A B D", UNREAD, "?C");
    check(&["i? A B"], "A", NOT_KNOWN, "?B");
    check(&["r? A B", "r? A"], "A B", NOT_KNOWN, "?^B");
}

#[test]
fn row_4_a_later_text_proves_that_its_writer_saw_the_earlier_ones() {
    let growth = &["i+ A", "r+ A B", "r+ A B C", "r+ A B C D", "r+ A B C D E"];
    check(growth, "D E", QUIET, "-A@5 -B@5 -C@5");
    // In the order of one import, too.
    check(&["i+ A B C D E"], "D E", QUIET, "-A@1 -B@1 -C@1");
    // Even where access times are not known.
    check(&["i? A B C D E"], "D E", NOT_KNOWN, "-A@1 -B@1 -C@1");
    // As observed at the version that the writer surely saw, not later.
    check(&["i+ A B C", "i+ A B C D E", "r+ A B C D E F"], "D E", QUIET, "-A@2 -B@2 -C@2 ?F");
}

#[test]
fn row_4_asks_for_a_text_that_came_later_and_never_stood_alone() {
    // The earlier ones prove nothing about the later.
    check(&["i+ A B C D E"], "A B", QUIET, "?C ?D ?E");
    // C stood without B in version 2, so having C is not having seen B.
    check(&["i+ A B X Y Z", "h+ A C D", "r+ A B C D X Y Z"], "A C D", QUIET, "?B ?X ?Y ?Z");
    // Nobody read a version with the later texts.
    check(&["i+ A B X", "r- A B X C D", "r- A B X C D"], "C D", UNREAD, "?A ?B ?X");
    // In a synced home the file proves nothing.
    check(&["i+ A B C D E"], "D E", SYNCED, "?A ?B ?C");
}

#[test]
fn row_4_a_returning_text_is_proved_by_one_that_came_after_it_had_gone() {
    check(&["i+ A R", "r+ A", "r+ A C", "r+ A C D"], "A R C D", QUIET, "^R");
    // C may have come while R still stood: the import that lacked the one brought the other.
    check(&["i+ A R", "i+ A C D"], "A R C D", QUIET, "?^R");
    check(&["i+ A R", "r+ A C D"], "A R C D", QUIET, "^R");
    // Texts from before prove nothing.
    check(&["i+ A R", "r+ A C R", "r+ A C"], "A C R", QUIET, "?^R");
}

#[test]
fn row_4_a_changed_text_proves_the_one_it_was_made_from() {
    let versions = &["i+ A likes_green_tea_at_noon B C"];
    check(
        versions,
        "A likes_black_tea_at_noon B C",
        QUIET,
        "likes_green_tea_at_noon>likes_black_tea_at_noon@1",
    );
    // Another text is as near.
    check(
        &["i+ uses_port_2 uses_port_1 A B C", "r+ uses_port_2 uses_port_1 A B C D"],
        "uses_port_2 uses_port_3",
        QUIET,
        "+uses_port_3 ?uses_port_1 ?A ?B ?C ?D",
    );
}

#[test]
fn row_4_one_text_alone_proves_nothing_beside_an_older_version() {
    // Somebody with version 1 before him had the thought C too.
    let versions = &["i+ A", "r+ A B", "r+ A B C"];
    check(versions, "A C", Observed { inference_ended: true, ..QUIET }, "?B");
    check(versions, "A C N", Observed { inference_ended: true, ..QUIET }, "+N ?B");
    // Nobody read version 1, so nobody has it before him.
    check(&["i- A", "r+ A B", "r+ A B C"], "A C N", QUIET, "+N -B@3");
    // Nor one who had not seen the newest version.
    let growth = &["i- A", "r+ A B", "r+ A B C", "r+ A B C D"];
    check(growth, "A C", UNREAD, "?D! ?B stale");
    check(growth, "A C", QUIET, "-B@3 -D@4~");
    check(&["i- A B R", "r+ A B C", "r+ A B C D"], "A R D", QUIET, "?B ?C ?^R stale");
    // Two texts are no chance.
    check(&["i- A B", "r+ A B C D E"], "A D E", QUIET, "-B@2 -C@2~");
    check(&["i+ A", "r+ A B", "r+ A B C", "r+ A B C D"], "A C D N", QUIET, "+N -B@4");
    // The same for a changed text.
    check(
        &["i+ A", "r+ A likes_green_tea_at_noon"],
        "A likes_black_tea_at_noon",
        QUIET,
        "+likes_black_tea_at_noon ?likes_green_tea_at_noon",
    );
}

#[test]
fn row_5_one_or_two_texts_may_go_without_proof() {
    let growth = &["i+ A", "i+ A B", "i+ A B C", "i+ A B C D"];
    check(growth, "A B C", QUIET, "-D@4~");
    check(growth, "A B", QUIET, "-C@4~ -D@4~");
    check(growth, "A", QUIET, "?B ?C ?D");
}

#[test]
fn row_5_ends_where_anything_speaks_against_it() {
    let growth = &["i+ A", "i+ A B", "i+ A B C", "i+ A B C D"];
    // An older version with a text of the writer's own.
    check(growth, "A B C N", QUIET, "+N ?D");
    // From before the first version, too.
    check(&["i+ A B C"], "A B N", QUIET, "+N ?C");
    // But an import that was held is nobody's state.
    check(&["i+ A B", "h+ A X Y", "r+ A B X Y"], "A X Y N", QUIET, "+N -B@3~");
    // Nobody read the newest version, so the writer started from another.
    check(&["i+ A B", "r+ A B C", "r+ A B C"], "A B", UNREAD, "?C");
    // Synced, access times not known, or a stale writer known.
    check(growth, "A B C", SYNCED, "?D");
    check(growth, "A B C", NOT_KNOWN, "?D");
    check(growth, "A B C", Observed { inference_ended: true, ..QUIET }, "?D");
    // Absent and returning texts together prove a stale writer.
    check(&["i+ A B R", "r+ A B", "r+ A B C"], "A B R", QUIET, "?C ?^R stale");
    check(&["i+ A R", "r+ A"], "A R", QUIET, "?^R");
}
