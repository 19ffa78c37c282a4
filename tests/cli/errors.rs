//! Every way to fail: exit codes, the error's JSON, and what stderr says.

use super::{Sandbox, keys};
use serde_json::{Value, json};
use std::process::Stdio;

#[test]
fn reading_a_home_that_was_never_initialised_finds_nothing() {
    let sandbox = Sandbox::default();
    for arguments in [
        &["list"][..],
        &["log"],
        &["conflicts"],
        &["status"],
        &["export"],
        &["render", "--check"],
        &["doctor"],
        &["show", "aaaaaaaaaaaaaaaaaaaaaaaaaa-00000001-00000001"],
    ] {
        assert_eq!(sandbox.ends(1, arguments)["error"]["kind"], "uninitialised", "{arguments:?}");
    }
    assert!(!sandbox.path("state").exists(), "reading makes nothing");
}

#[test]
fn writing_to_a_home_that_was_never_initialised_begins_one() {
    for arguments in [&["add", "likes tea"][..], &["render"], &["import"], &["sync"]] {
        let sandbox = Sandbox::default();
        sandbox.json(arguments);
        sandbox.json(&["status"]);
    }
    let sandbox = Sandbox::default();
    assert_eq!(sandbox.ends(1, &["remove", "likes tea"])["error"]["kind"], "not_found");
    sandbox.json(&["status"]);
}

#[test]
fn what_matches_nothing_ends_with_1() {
    let sandbox = Sandbox::default();
    sandbox.add("likes tea");
    for arguments in [&["remove", "coffee"][..], &["replace", "coffee", "cake"]] {
        let answer = sandbox.ends(1, arguments);
        assert_eq!(keys(&answer), ["error"]);
        assert_eq!(answer["error"]["kind"], "not_found");
    }
}

#[test]
fn wrong_usage_ends_with_2_and_is_json_where_that_was_asked_for() {
    let sandbox = Sandbox::default();
    for arguments in [
        &["nonsense"][..],
        &["add"],
        &["list", "--at", "yesterday"],
        &["add", "x", "--book", "../x"],
        &["add", "x", "--label", "no value"],
        &["init", "--limit", "memory"],
        &["init", "--entry-limit", "many"],
        &["completions", "edlin"],
        &["add", "x", "-q", "-v"],
        &["init", "--dialect", "klingon"],
        &["remove", "x", "--context", "no token"],
    ] {
        let answer = sandbox.ends(2, arguments);
        assert_eq!((&answer["error"]["kind"], &answer["error"]["stored"]), (&json!("usage"), &json!(false)));
        let ran = sandbox.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(ran.stderr.starts_with("error: "), "{}", ran.stderr);
    }
}

#[test]
fn a_full_book_refuses_with_its_entries_and_sizes() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--limit", "memory=20", "--entry-limit", "15"]);
    let id = sandbox.add("0123456789");
    let error = &sandbox.ends(3, &["add", "abcdefghij"])["error"];
    assert_eq!((&error["kind"], &error["stored"]), (&json!("full"), &json!(false)));
    assert_eq!((&error["would"], &error["limit"], &error["unit"]), (&json!(23), &json!(20), &json!("chars")));
    assert_eq!((&error["entries"][0]["id"], &error["entries"][0]["size"]), (&json!(id), &json!(10)));
    let error = &sandbox.ends(3, &["add", "0123456789abcdef"])["error"];
    assert_eq!(
        (&error["kind"], &error["size"], &error["limit"]),
        (&json!("too_long"), &json!(16), &json!(15))
    );
    assert_eq!(sandbox.texts(), ["0123456789"]);
}

#[test]
fn a_damaged_database_ends_with_5_until_it_is_begun_anew() {
    let sandbox = Sandbox::default();
    sandbox.sync(&sandbox.path("share"));
    sandbox.add("likes tea");
    let database = database(&sandbox);
    let mut bytes = std::fs::read(&database).unwrap();
    // The schema's page, past the header: SQLite still takes the file for a database.
    bytes[100..2000].fill(0xa5);
    std::fs::write(&database, bytes).unwrap();
    for arguments in [&["list"][..], &["doctor"], &["list"]] {
        let error = &sandbox.ends(5, arguments)["error"];
        assert_eq!((&error["kind"], &error["stored"]), (&json!("damaged"), &json!(false)));
    }
    let answer = sandbox.ends(5, &["add", "likes rye bread"]);
    assert_eq!((&answer["status"], &answer["error"]["stored"]), (&json!("added"), &json!(true)));
    assert_eq!(sandbox.texts(), ["likes tea", "likes rye bread"], "the view and the share brought it back");
    sandbox.json(&["doctor"]);
}

#[test]
fn a_share_that_is_missing_ends_with_6_and_the_rest_is_done() {
    let sandbox = Sandbox::default();
    let share = sandbox.path("share");
    sandbox.add("likes tea");
    sandbox.sync(&share);
    std::fs::remove_dir_all(&share).unwrap();
    let view = sandbox.read_view();
    sandbox.write_view(format!("{view}\n§\nlikes rye bread"));
    let answer = sandbox.ends(6, &["sync"]);
    assert_eq!(keys(&answer), ["edits", "imported", "published", "waiting", "views", "warnings", "error"]);
    assert_eq!(answer["edits"]["added"], 1);
    assert_eq!(answer["error"]["stored"], true);
    assert_eq!(sandbox.texts(), ["likes tea", "likes rye bread"]);
}

#[test]
fn a_foreign_share_ends_with_3() {
    let (one, other) = (Sandbox::default(), Sandbox::default());
    for (device, share) in [(&one, "share"), (&other, "other share")] {
        device.add("likes tea");
        device.sync(&one.path(share));
    }
    let share = one.path("other share");
    let answer = one.ends(3, &["sync", "--share", share.to_str().unwrap()]);
    assert_eq!(answer["error"]["kind"], "foreign");
    assert_eq!(answer["edits"]["added"], 0);
}

#[test]
fn a_newer_database_ends_with_7_and_is_left_alone() {
    let sandbox = Sandbox::default();
    sandbox.add("likes tea");
    let newer = rusqlite::Connection::open(database(&sandbox)).unwrap();
    newer.pragma_update(None, "user_version", 999).unwrap();
    drop(newer);
    for arguments in [&["list"][..], &["add", "x"]] {
        let answer = sandbox.ends(7, arguments);
        assert_eq!((&answer["error"]["kind"], &answer["error"]["stored"]), (&json!("newer"), &json!(false)));
    }
}

#[test]
fn an_error_in_words_says_whether_anything_was_stored_and_what_to_do() {
    let sandbox = Sandbox::default();
    let ids = ["nightly build", "nightly backup"].map(|text| sandbox.add(text));
    let ran = sandbox.run(&["remove", "nightly"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    let said = ran.stderr.replace(&ids[0], "[id 1]").replace(&ids[1], "[id 2]");
    insta::assert_snapshot!(said, @r#"
    error: cannot remove: "nightly" is contained in 2 entries
      [id 1]  nightly build
      [id 2]  nightly backup
      nothing was stored
    hint: name the entry by its id or by its whole text
    "#);
}

#[test]
fn help_and_version_are_answers_too() {
    let sandbox = Sandbox::default();
    for arguments in [&["--help"][..], &["add", "--help"], &["--version"]] {
        assert!(sandbox.text(arguments).contains("memlore"), "{arguments:?}");
        let ran = sandbox.run(&[arguments, &["--json"]].concat());
        let order: Value =
            serde_json::from_str(&sandbox.run(&[&["--json"], arguments].concat()).stdout).unwrap();
        assert!(order["help"].is_string());
        assert_eq!(ran.code, 0);
    }
    assert_eq!(sandbox.run(&[]).code, 2);
}

#[test]
fn a_reader_that_has_seen_enough_is_no_trouble() {
    let sandbox = Sandbox::default();
    let ops: Vec<Value> =
        (0..3_000).map(|n| json!({"op": "add", "text": format!("note number {n}")})).collect();
    sandbox.ends_with(0, &["batch", "--book", "archive"], json!(ops).to_string());
    for arguments in [&["list"][..], &["list", "--json"], &["export"], &["log"]] {
        let mut command = sandbox.command();
        let mut child =
            command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

/// The database in the sandbox's state folder.
fn database(sandbox: &Sandbox) -> std::path::PathBuf {
    let files = std::fs::read_dir(sandbox.path("state")).unwrap().map(|file| file.unwrap().path());
    let is_database = |path: &std::path::PathBuf| {
        path.is_file() && std::fs::read(path).unwrap().starts_with(b"SQLite format 3\0")
    };
    files.into_iter().find(is_database).expect("a state folder holds a database")
}
