//! Remembering, changing, removing, and what is told of it.

use super::sandbox::NOW_US;
use super::{Sandbox, keys};
use serde_json::json;

#[test]
fn an_add_tells_its_id_and_how_full_the_book_is() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--limit", "memory=100"]);
    let added = sandbox.json(&["add", "likes tea"]);
    assert_eq!(keys(&added), ["id", "book", "status", "usage", "warnings"]);
    assert_eq!((&added["book"], &added["status"]), (&json!("memory"), &json!("added")));
    assert_eq!(added["usage"], json!({"used": 9, "limit": 100, "unit": "chars", "over": false}));
    assert_eq!(sandbox.texts(), ["likes tea"]);
}

#[test]
fn a_text_that_is_live_gets_a_new_id() {
    let sandbox = Sandbox::default();
    let first = sandbox.add("likes tea");
    let again = sandbox.json(&["add", " likes tea\n"]);
    assert_eq!(again["status"], "exists");
    assert_ne!(again["id"], first);
    assert_eq!(sandbox.texts(), ["likes tea"]);
}

#[test]
fn everything_that_was_said_of_an_entry_is_listed() {
    let sandbox = Sandbox::default();
    let id = sandbox.json(&[
        "--agent",
        "hermes",
        "add",
        "likes tea",
        "--book",
        "user",
        "--source",
        "panel",
        "--label",
        "mood=calm",
        "--label",
        "n=1",
        "--here-only",
    ]);
    let listed = sandbox.json(&["list"]);
    assert_eq!(keys(&listed), ["entries", "context", "warnings"]);
    assert!(listed["context"].as_str().is_some_and(|token| !token.is_empty()));
    assert_eq!(
        listed["entries"],
        json!([{
            "id": id["id"], "book": "user", "text": "likes tea", "written": NOW_US, "by": "hermes",
            "device": "laptop", "source": "panel", "labels": {"mood": "calm", "n": "1"}, "replaces": [],
            "scope": "device",
        }])
    );
}

#[test]
fn a_text_comes_from_stdin_whole() {
    let sandbox = Sandbox::default();
    sandbox.ends_with(0, &["add", "-"], "Deploy:\r\nmigrate first\n");
    assert_eq!(sandbox.texts(), ["Deploy:\nmigrate first"]);
    let refused = sandbox.ends_with(3, &["add", "-"], b"caf\xe9");
    assert_eq!(refused["error"]["stored"], false);
    assert!(refused["error"]["message"].as_str().unwrap().contains("byte 3"), "{refused}");
}

#[test]
fn a_text_that_begins_with_a_hyphen_is_a_text() {
    let sandbox = Sandbox::default();
    for text in ["- a bullet", "-5 degrees", "--force is never used"] {
        sandbox.add(text);
    }
    sandbox.json(&["remove", "-5 degrees"]);
    sandbox.json(&["replace", "- a bullet", "-- two hyphens"]);
    assert_eq!(sandbox.texts(), ["-- two hyphens", "--force is never used"]);
}

#[test]
fn a_whole_text_is_found_before_one_that_contains_it() {
    let sandbox = Sandbox::default();
    for text in ["test", "smoke test runs nightly", ";", "alpha;beta"] {
        sandbox.add(text);
    }
    let removed = sandbox.json(&["remove", "test"]);
    assert_eq!(keys(&removed), ["removed", "warnings"]);
    assert_eq!(removed["removed"].as_array().map(Vec::len), Some(1));
    sandbox.json(&["remove", ";"]);
    assert_eq!(sandbox.texts(), ["smoke test runs nightly", "alpha;beta"]);
    sandbox.json(&["remove", "smoke"]);
    assert_eq!(sandbox.texts(), ["alpha;beta"]);
}

#[test]
fn what_several_entries_contain_is_refused_with_both() {
    let sandbox = Sandbox::default();
    let ids = ["nightly build", "nightly backup"].map(|text| sandbox.add(text));
    for arguments in [&["remove", "nightly"][..], &["replace", "nightly", "daily"]] {
        let error = &sandbox.ends(3, arguments)["error"];
        assert_eq!((&error["kind"], &error["stored"]), (&json!("ambiguous"), &json!(false)));
        let candidates: Vec<_> = error["candidates"].as_array().unwrap().iter().collect();
        assert_eq!(candidates.iter().map(|one| &one["id"]).collect::<Vec<_>>(), [&ids[0], &ids[1]]);
        assert_eq!(candidates[1]["text"], "nightly backup");
    }
    assert_eq!(sandbox.texts(), ["nightly build", "nightly backup"]);
}

#[test]
fn blank_texts_name_nothing() {
    let sandbox = Sandbox::default();
    sandbox.add("likes tea");
    for blank in ["", " ", "\n\t"] {
        for arguments in [
            &["remove", blank][..],
            &["replace", blank, "x"],
            &["replace", "likes tea", blank],
            &["add", blank],
        ] {
            assert_eq!(sandbox.ends(3, arguments)["error"]["stored"], false);
        }
    }
    assert_eq!(sandbox.texts(), ["likes tea"]);
}

#[test]
fn a_replacement_takes_the_old_place() {
    let sandbox = Sandbox::default();
    let old = sandbox.add("Runs Debian 11");
    sandbox.add("likes tea");
    let changed = sandbox.json(&["replace", "Debian 11", "Runs Debian 12"]);
    assert_eq!(keys(&changed), ["removed", "added", "warnings"]);
    assert_eq!(changed["removed"], json!([old]));
    assert_eq!(sandbox.texts(), ["Runs Debian 12", "likes tea"]);
    let listed = sandbox.json(&["list"]);
    assert_eq!(
        (&listed["entries"][0]["id"], &listed["entries"][0]["replaces"]),
        (&changed["added"], &json!([old]))
    );
}

#[test]
fn a_removed_entry_tells_how_it_went() {
    let sandbox = Sandbox::default();
    let id = sandbox.add("likes tea");
    sandbox.wait(60);
    sandbox.json(&["remove", &id, "--why", "no more", "--agent", "cron"]);
    let listed = sandbox.json(&["list", "--removed"]);
    let removed = &listed["entries"][0];
    assert_eq!((&removed["id"], &removed["text"]), (&json!(id), &json!("likes tea")));
    assert_eq!(
        removed["removed"],
        json!({"at": NOW_US + 60_000_000, "by": "cron", "device": "laptop", "why": "no more", "replaced_by": []})
    );
    assert_eq!(sandbox.json(&["list"])["entries"], json!([]));
}

#[test]
fn the_list_of_an_earlier_time_is_still_there() {
    let sandbox = Sandbox::default();
    sandbox.add("first");
    sandbox.wait(3_600);
    sandbox.json(&["replace", "first", "second"]);
    sandbox.wait(3_600);
    sandbox.json(&["remove", "second"]);
    let at = |time: &str| {
        let listed = sandbox.json(&["list", "--at", time]);
        listed["entries"].as_array().unwrap().iter().map(|entry| entry["text"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(at("2026-11-30T13:59:59Z"), Vec::<&str>::new());
    assert_eq!(at("2026-11-30T15:30:00+01:00"), ["first"]);
    assert_eq!(at("2026-11-30T15:30:00"), ["second"]);
    assert_eq!(at("1796054400000000"), Vec::<&str>::new());
    assert_eq!(at("2026-11-30"), Vec::<&str>::new());
}

#[test]
fn a_removal_with_a_context_touches_nothing_that_came_later() {
    let sandbox = Sandbox::default();
    sandbox.add("likes tea");
    let context = sandbox.json(&["list"])["context"].as_str().unwrap().to_owned();
    sandbox.json(&["remove", "likes tea"]);
    sandbox.add("likes tea");
    sandbox.run(&["remove", "likes tea", "--context", &context]);
    assert_eq!(sandbox.texts(), ["likes tea"]);
}

#[test]
fn an_entry_tells_its_whole_story() {
    let sandbox = Sandbox::default();
    let first = sandbox.add("Runs Debian 11");
    let second = sandbox.json(&["replace", &first, "Runs Debian 12"])["added"].as_str().unwrap().to_owned();
    sandbox.json(&["remove", &second]);
    let shown = sandbox.json(&["show", &second]);
    assert_eq!((&shown["id"], &shown["text"]), (&json!(second), &json!("Runs Debian 12")));
    assert!(shown["removed"].is_object(), "{shown}");
    let ops: Vec<_> = shown["story"].as_array().unwrap().iter().map(|event| &event["op"]).collect();
    assert_eq!(ops, ["add", "replace", "remove"]);
    let unknown = first.replace(&first[27..35], "0fffffff");
    assert_eq!(sandbox.ends(1, &["show", &unknown])["error"]["kind"], "not_found");
    assert_eq!(sandbox.ends(2, &["show", "likes tea"])["error"]["kind"], "usage");
}

#[test]
fn the_log_tells_what_happened_newest_first() {
    let sandbox = Sandbox::default();
    sandbox.add("Runs Debian 11");
    sandbox.json(&["add", "Ada", "--book", "user"]);
    sandbox.json(&["replace", "Debian 11", "Runs Debian 12"]);
    sandbox.json(&["remove", "Debian 12", "--why", "sold"]);
    let log = sandbox.json(&["log"]);
    let events = log["events"].as_array().unwrap();
    let told: Vec<_> = events.iter().map(|event| (event["op"].as_str(), event["text"].as_str())).collect();
    assert_eq!(
        told,
        [
            (Some("remove"), Some("Runs Debian 12")),
            (Some("replace"), Some("Runs Debian 12")),
            (Some("add"), Some("Ada")),
            (Some("add"), Some("Runs Debian 11")),
        ]
    );
    assert_eq!(keys(&events[0]), ["op", "at", "by", "device", "id", "book", "text", "old", "why"]);
    assert_eq!(events[0]["why"], "sold");
    assert_eq!(events[1]["old"][0]["text"], "Runs Debian 11");
    let short = sandbox.json(&["log", "--limit", "1", "--book", "user"]);
    assert_eq!(short["events"].as_array().map(Vec::len), Some(1));
    assert_eq!(short["events"][0]["text"], "Ada");
}

#[test]
fn a_restored_entry_lives_under_a_new_id() {
    let sandbox = Sandbox::default();
    let id = sandbox.add("likes tea");
    sandbox.json(&["remove", "likes tea"]);
    let restored = sandbox.json(&["restore", &id]);
    assert_eq!(keys(&restored), ["id", "book", "status", "usage", "warnings"]);
    assert_ne!(restored["id"], id);
    assert_eq!(sandbox.texts(), ["likes tea"]);
}

#[test]
fn an_undo_can_be_undone() {
    let sandbox = Sandbox::default();
    sandbox.add("likes tea");
    sandbox.json(&["replace", "likes tea", "likes coffee"]);
    assert_eq!(keys(&sandbox.json(&["undo"])), ["removed", "added", "warnings"]);
    assert_eq!(sandbox.texts(), ["likes tea"]);
    sandbox.json(&["undo"]);
    assert_eq!(sandbox.texts(), ["likes coffee"]);
}

#[test]
fn two_replacements_of_one_entry_both_live_until_someone_picks() {
    let (one, two) = (Sandbox::default(), Sandbox::default());
    let share = one.path("share");
    let old = one.add("Runs Debian 11");
    for device in [&one, &two] {
        device.sync(&share);
    }
    one.json(&["replace", &old, "Runs Debian 12"]);
    two.json(&["replace", &old, "Runs Debian 11 on the laptop only"]);
    for device in [&one, &two, &one] {
        device.sync(&share);
    }
    assert_eq!(one.texts(), two.texts());
    let conflicts = one.json(&["conflicts"]);
    let conflict = &conflicts["conflicts"][0];
    assert_eq!(keys(conflict), ["replaced", "text", "entries"]);
    assert_eq!((&conflict["replaced"], &conflict["text"]), (&json!(old), &json!("Runs Debian 11")));
    assert_eq!(conflict["entries"].as_array().map(Vec::len), Some(2));
    one.json(&["remove", "Runs Debian 12"]);
    assert_eq!(one.json(&["conflicts"])["conflicts"], json!([]));
}
