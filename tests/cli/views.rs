//! Views: rendering, checking, and hand edits, in the hermes dialect.

use super::{Sandbox, keys};
use serde_json::json;

#[test]
fn the_view_is_there_when_an_add_answers() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--dialect", "hermes"]);
    sandbox.add("likes tea");
    sandbox.add("likes rye bread");
    assert_eq!(sandbox.read_view(), "likes tea\n§\nlikes rye bread");
    let checked = sandbox.json(&["render", "--check"]);
    assert_eq!(keys(&checked), ["views", "warnings"]);
    assert_eq!(keys(&checked["views"][0]), ["book", "path", "state", "held", "trouble"]);
}

#[test]
fn a_view_that_differs_fails_the_check_and_is_not_touched() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--dialect", "hermes"]);
    sandbox.add("likes tea");
    sandbox.write_view("likes tea\n§\nlikes rye bread");
    let answer = sandbox.ends(1, &["render", "--check"]);
    assert_eq!(answer["error"]["kind"], "differs");
    assert!(answer["views"].as_array().unwrap().iter().any(|view| view["state"] == "edited"), "{answer}");
    assert_eq!(sandbox.texts(), ["likes tea"]);
}

#[test]
fn a_hand_edit_is_taken_in_once() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--dialect", "hermes"]);
    sandbox.add("likes tea");
    sandbox.write_view("likes tea\n§\nlikes rye bread\n");
    let imported = sandbox.json(&["import"]);
    assert_eq!(keys(&imported), ["added", "removed", "replaced", "held", "warnings"]);
    assert_eq!(imported["added"], 1);
    assert_eq!(sandbox.json(&["import"])["added"], 0);
    assert_eq!(sandbox.texts(), ["likes tea", "likes rye bread"]);
}

#[test]
fn another_files_texts_are_taken_in() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--dialect", "hermes"]);
    sandbox.add("likes tea");
    let file = sandbox.path("other.md");
    std::fs::write(&file, "likes tea\n§\nlikes rye bread").unwrap();
    assert_eq!(sandbox.json(&["import", file.to_str().unwrap()])["added"], 1);
    assert_eq!(sandbox.texts(), ["likes tea", "likes rye bread"]);
    let missing = sandbox.ends(6, &["import", sandbox.path("missing.md").to_str().unwrap()]);
    assert_eq!(missing["error"]["kind"], "unreachable");
}

#[test]
fn a_guarded_file_removes_nothing_and_is_a_warning() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--dialect", "hermes"]);
    sandbox.add("likes tea");
    sandbox.write_view("");
    let imported = sandbox.json(&["import"]);
    assert_eq!(
        (&imported["removed"], &imported["warnings"][0].is_string()),
        (&json!(0), &true),
        "{imported}"
    );
    assert_eq!(sandbox.texts(), ["likes tea"]);
    assert_eq!(sandbox.read_view(), "likes tea");
}

#[test]
fn a_stale_writer_loses_nobody_an_entry() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--dialect", "hermes"]);
    sandbox.add("likes tea");
    let stale = sandbox.read_view();
    for text in ["dentist on Tuesdays", "the bike is blue", "works from Lisbon"] {
        sandbox.add(text);
    }
    sandbox.write_view(format!("{stale}\n§\nlikes rye bread"));
    sandbox.json(&["import"]);
    let texts = sandbox.texts();
    for text in
        ["likes tea", "dentist on Tuesdays", "the bike is blue", "works from Lisbon", "likes rye bread"]
    {
        assert_eq!(texts.iter().filter(|known| *known == text).count(), 1, "{text}: {texts:?}");
    }
    assert_eq!(sandbox.json(&["render", "--check"])["views"][0]["state"], "current");
}

#[test]
fn a_view_that_cannot_be_written_fails_no_add() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--dialect", "hermes"]);
    sandbox.add("likes tea");
    std::fs::remove_file(sandbox.view()).unwrap();
    std::fs::create_dir(sandbox.view()).unwrap();
    let added = sandbox.json(&["add", "likes rye bread"]);
    assert!(added["warnings"][0].is_string(), "{added}");
    assert_eq!(sandbox.texts(), ["likes tea", "likes rye bread"]);
    std::fs::remove_dir(sandbox.view()).unwrap();
    sandbox.json(&["render"]);
    assert_eq!(sandbox.read_view(), "likes tea\n§\nlikes rye bread");
}
