//! Settings, exchange, and how a memory is doing.

use super::{Sandbox, keys};
use serde_json::{Value, json};

#[test]
fn init_tells_where_everything_is_and_changes_only_what_is_named() {
    let sandbox = Sandbox::default();
    let share = sandbox.path("share");
    let first = sandbox.json(&["init", "--share", share.to_str().unwrap(), "--limit", "memory=50:bytes"]);
    assert_eq!(keys(&first), ["replica", "device", "home", "state", "share", "books", "warnings"]);
    assert_eq!(first["replica"].as_str().map(str::len), Some(26));
    assert_eq!(first["device"], "laptop");
    assert_eq!(first["home"], sandbox.home().to_str().unwrap());
    assert_eq!(first["share"], share.to_str().unwrap());
    let again = sandbox.json(&["init", "--limit", "user=none"]);
    assert_eq!((&again["replica"], &again["share"]), (&first["replica"], &first["share"]));
    let added = sandbox.json(&["add", "é"]);
    assert_eq!(added["usage"], json!({"used": 2, "limit": 50, "unit": "bytes", "over": false}));
}

#[test]
fn init_takes_in_the_files_that_are_there() {
    let sandbox = Sandbox::default();
    sandbox.write_view("Box runs Debian 13\n§\nPrefers pnpm\nnot npm");
    sandbox.json(&["init"]);
    assert_eq!(sandbox.texts(), ["Box runs Debian 13", "Prefers pnpm\nnot npm"]);
    assert_eq!(sandbox.read_view(), "Box runs Debian 13\n§\nPrefers pnpm\nnot npm");
}

#[test]
fn two_devices_have_one_memory_after_syncing() {
    let (one, two) = (Sandbox::default(), Sandbox::default());
    let share = one.path("share");
    one.add("likes tea");
    let first = one.sync(&share);
    assert_eq!(keys(&first), ["edits", "imported", "published", "waiting", "views", "warnings"]);
    assert_eq!(first["edits"], json!({"added": 0, "removed": 0, "replaced": 0, "held": 0}));
    assert!(first["published"]["records"].as_u64() >= Some(1), "{first}");
    let taken = two.sync(&share);
    assert!(taken["imported"]["records"].as_u64() >= Some(1), "{taken}");
    assert_eq!(two.texts(), ["likes tea"]);
    two.add("likes rye bread");
    two.json(&["sync"]);
    one.json(&["sync"]);
    assert_eq!(one.read_view(), two.read_view());
    for device in [&one, &two] {
        let again = device.json(&["sync"]);
        assert_eq!((&again["imported"]["records"], &again["published"]["records"]), (&json!(0), &json!(0)));
    }
}

#[test]
fn status_tells_of_books_views_and_the_share() {
    let (one, two) = (Sandbox::default(), Sandbox::default());
    let share = one.path("share");
    for device in [&one, &two, &one] {
        device.sync(&share);
    }
    one.add("likes tea");
    let status = one.json(&["status"]);
    for key in ["replica", "device", "books", "share", "views", "format"] {
        assert!(status.get(key).is_some(), "{key}");
    }
    let memory = &status["books"]["memory"];
    assert_eq!(keys(memory), ["entries", "used", "limit", "unit", "over"]);
    assert_eq!((&memory["entries"], &memory["used"], &memory["over"]), (&json!(1), &json!(9), &json!(false)));
    assert_eq!(status["share"]["path"], share.to_str().unwrap());
    let replica = &status["share"]["replicas"][0];
    assert_eq!(keys(replica), ["replica", "device", "last_seen", "behind", "branches"]);
    let views = status["views"].as_array().unwrap();
    assert!(views.iter().any(|view| view["state"] == "current" && view["held"] == json!([])), "{status}");
}

#[test]
fn a_healthy_memory_passes_every_check() {
    let sandbox = Sandbox::default();
    sandbox.add("likes tea");
    sandbox.json(&["replace", "likes tea", "likes coffee"]);
    sandbox.sync(&sandbox.path("share"));
    for arguments in [&["doctor"][..], &["doctor", "--deep"], &["doctor", "--repair"]] {
        let answer = sandbox.json(arguments);
        let checks = answer["checks"].as_array().unwrap();
        assert!(!checks.is_empty());
        assert_eq!(keys(&checks[0]), ["name", "ok", "detail", "fix"]);
        assert!(checks.iter().all(|check| check["ok"] == true), "{answer}");
    }
}

#[test]
fn an_export_is_what_its_format_says() {
    let sandbox = Sandbox::default();
    sandbox.json(&["add", "likes tea", "--source", "panel"]);
    sandbox.add("Deploy:\nmigrate first");
    sandbox.json(&["remove", "likes tea"]);
    let lines = sandbox.text(&["export"]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(lines.iter().any(|line| line["text"] == "likes tea"), "what was removed is told too");
    let view = sandbox.text(&["export", "-q", "--format", "hermes"]);
    assert_eq!(view.trim_end(), "Deploy:\nmigrate first");
    let output = sandbox.command().args(["export", "--format", "automerge"]).output().unwrap();
    let document = automerge::Automerge::load(&output.stdout).unwrap();
    assert!(automerge::ReadDoc::length(&document, automerge::ROOT) >= 3);
    for (format, key) in [("jsonl", "lines"), ("hermes", "text"), ("automerge", "base64")] {
        let wrapped = sandbox.json(&["export", "--format", format]);
        assert_eq!(keys(&wrapped), ["format", key, "warnings"]);
    }
}

#[test]
fn every_shell_has_completions() {
    let sandbox = Sandbox::default();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(sandbox.text(&["completions", shell]).contains("memlore"), "{shell}");
    }
    assert!(!sandbox.path("state").exists());
}

#[test]
fn folders_are_named_by_option_before_variable() {
    let sandbox = Sandbox::default();
    let (home, state) = (sandbox.path("elsewhere"), sandbox.path("other"));
    let arguments = ["--home", home.to_str().unwrap(), "init", "--state", state.to_str().unwrap()];
    let answer = sandbox.json(&arguments);
    assert_eq!((&answer["home"], &answer["state"]), (&json!(home), &json!(state)));
    let mut command = sandbox.command();
    command.env_remove("MEMLORE_STATE").env("MEMLORE_HOME", "").args(["init", "--json"]);
    let answer: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    assert_eq!(answer["home"], json!(sandbox.path("nobody").join(".memlore")));
    assert!(
        answer["state"].as_str().unwrap().starts_with(sandbox.path("nobody").to_str().unwrap()),
        "{answer}"
    );
}
