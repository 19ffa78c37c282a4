//! Reviews and secrets, seen from outside.

use super::{Sandbox, keys};
use serde_json::{Value, json};
use std::path::Path;

/// Made up, of common shapes.
const SECRETS: [&str; 6] = [
    "sk-Zt4vB9qLm2Xc7Wd1Rf6Tg8Yh3Uj5Ik0OpAsDfGhJ",
    "AKIAQ7ZT3WV5KJ2MNB4X",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----",
    "Authorization: Bearer 9f8b7c6d5e4f3a2b1c0d",
    "password=hunter2hunter",
];

#[test]
fn a_review_lists_applies_and_moves_its_cursor() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--entry-limit", "300:utf16"]);
    sandbox.add("Likes tea");
    let list = sandbox.json(&["review", "list"]);
    assert_eq!(keys(&list["entries"][0]), ["number", "id", "book", "text"]);
    let token = list["context"].as_str().unwrap();
    let none = sandbox.json(&["review", "cursor", "--conversation", "chat:1"]);
    assert_eq!((&none["conversation"], &none["cursor"]), (&json!("chat:1"), &Value::Null));
    sandbox.json(&["review", "cursor", "--conversation", "chat:1", "--reset", "9"]);
    let answer = include_str!("../../crates/model/src/review/answer-one-too-long.json");
    let apply = ["review", "apply", "--conversation", "chat:1", "--through", "11", "--context", token];
    let done = sandbox.ends_with(0, &apply, format!("Sure:\n```json\n{answer}\n```\n"));
    assert_eq!(keys(&done), ["applied", "left_out", "secrets", "cursor", "again", "already", "warnings"]);
    assert_eq!(done["applied"][0]["op"], "remove");
    assert_eq!((&done["left_out"][0]["index"], &done["cursor"]), (&json!(0), &json!(11)));
    assert_eq!(done["warnings"].as_array().map(Vec::len), Some(1), "{done}");
    assert_eq!(sandbox.texts(), [""; 0]);
    let read = sandbox.json(&["review", "cursor", "--conversation", "chat:1"]);
    assert_eq!(read["cursor"], 11);
    let again = sandbox.ends_with(0, &apply, format!("Sure:\n```json\n{answer}\n```\n"));
    assert_eq!((&again["already"], &again["applied"]), (&json!(true), &json!([])));
}

#[test]
fn a_whole_answer_that_fails_says_why() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--limit", "memory=30"]);
    sandbox.add("tea");
    let list = sandbox.json(&["review", "list"]);
    let token = list["context"].as_str().unwrap();
    sandbox.json(&["review", "cursor", "--conversation", "moved", "--reset", "5"]);
    let ends = |kind: &str, conversation: &str, answer: &str| {
        let apply = ["review", "apply", "--conversation", conversation, "--through", "5", "--context", token];
        let failed = sandbox.ends_with(3, &apply, answer);
        assert_eq!(failed["error"]["kind"], kind, "{failed}");
        assert_eq!(failed["error"]["stored"], false);
    };
    for malformed in ["", "null", "[]", r#"{"changes":[{"op":"explode"}]}"#, r#"{"changes":[{"op":"add","te"#]
    {
        ends("malformed", "c", malformed);
    }
    ends("unlisted", "c", r#"{"changes":[{"op":"remove","entry":2}]}"#);
    ends("topic", "c", r#"{"changes":[{"op":"add","text":"x","topic":"../x"}]}"#);
    ends("full", "c", r#"{"changes":[{"op":"add","text":"a text that is too much for thirty"}]}"#);
    ends("moved", "moved", r#"{"changes":[]}"#);
    let blind = ["review", "apply", "--conversation", "c", "--through", "5"];
    sandbox.ends_with(2, &blind, r#"{"changes":[{"op":"remove","entry":1}]}"#);
    assert_eq!(sandbox.json(&["review", "cursor", "--conversation", "c"])["cursor"], Value::Null);
    assert_eq!(sandbox.texts(), ["tea"]);
}

fn holds(folder: &Path, secret: &str) -> bool {
    std::fs::read_dir(folder).into_iter().flatten().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return holds(&path, secret);
        }
        let bytes = std::fs::read(&path).unwrap();
        bytes.windows(secret.len()).any(|window| window == secret.as_bytes())
    })
}

#[test]
fn a_secret_is_nowhere_after_any_call() {
    for secret in SECRETS {
        let sandbox = Sandbox::default();
        let share = sandbox.path("share");
        std::fs::create_dir(&share).unwrap();
        sandbox.sync(&share);
        sandbox.add("tea");
        let text = format!("Remember: {secret}");
        let ops = json!([
            {"op": "add", "text": "Uses port 8080"}, {"op": "add", "text": text},
            {"op": "replace", "old": "tea", "text": text}, {"op": "remove", "old": text},
            {"op": text}, {"op": "add", "text": "The word secret is fine"},
        ]);
        let changes = json!({"changes": [{"op": "add", "text": text}, {"op": "add", "text": "juice"}]});
        let not_json = format!("{text:?}");
        let review = ["review", "apply", "--conversation", "c", "--through", "1"];
        let broken = format!(r#"{{"changes": [{{"op": "add", "text": "{secret}"#);
        let calls: [(&[&str], String); 12] = [
            (&["add", &text], String::new()),
            (&["add", "-"], text.clone()),
            (&["add", "coffee", "--source", secret], String::new()),
            (&["replace", "tea", &text], String::new()),
            (&["replace", &text, "x"], String::new()),
            (&["remove", &text], String::new()),
            (&["list", &text], String::new()),
            (&["list", "--book", &text], String::new()),
            (&["batch"], ops.to_string()),
            (&["batch"], not_json),
            (&review, changes.to_string()),
            (&review, broken),
        ];
        for (arguments, stdin) in &calls {
            for mode in [&["-vv"] as &[&str], &["--json", "-vv"]] {
                let ran = sandbox.run_with(&[*arguments, mode].concat(), stdin);
                let said = format!("{}{}", ran.stdout, ran.stderr);
                let line = secret.lines().nth(1).unwrap_or(secret);
                assert!(!said.contains(line), "{arguments:?}: {said}");
            }
        }
        assert_eq!(sandbox.run(&["add", &text]).code, 3);
        assert_eq!(sandbox.ends(3, &["add", &text])["error"]["kind"], "secret");
        sandbox.sync(&share);
        assert_eq!(sandbox.texts(), ["tea", "Uses port 8080", "The word secret is fine", "juice"]);
        for line in secret.lines() {
            for place in ["home", "state", "share"] {
                assert!(!holds(&sandbox.path(place), line), "{place}");
            }
        }
        // By hand: the file keeps it, and nothing else does.
        let file = format!("{}\n§\n{text}", sandbox.read_view());
        sandbox.write_view(&file);
        let imported = sandbox.ends(0, &["import"]);
        assert_eq!(imported["warnings"].as_array().map(Vec::len), Some(1), "{imported}");
        assert!(!imported.to_string().contains(secret.lines().last().unwrap()), "{imported}");
        assert_eq!(sandbox.json(&["import"])["warnings"], json!([]));
        sandbox.sync(&share);
        assert_eq!(sandbox.read_view(), file);
        for line in secret.lines() {
            assert!(!holds(&sandbox.path("state"), line) && !holds(&share, line));
        }
    }
}
