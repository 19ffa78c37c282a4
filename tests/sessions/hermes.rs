//! hermes-agent's `state.db`: taken in, followed, and never disturbed.

use super::talk::{append, contents, log, meet, said};
use crate::device::Device;
use crate::peer::python;
use serde_json::json;
use std::path::Path;
use std::process::Command;

fn fixture(device: &Device) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hermes-0.19.0/state.db");
    std::fs::copy(from, device.home().join("state.db")).unwrap();
}

/// Lets hermes' own session database do something; `db` is open, `S` is the conversation.
fn hermes(device: &Device, code: &str) {
    let script = format!(
        "import os, sys, logging\nfrom pathlib import Path\nlogging.disable(logging.CRITICAL)\n\
         from hermes_state import SessionDB\n\
         db = SessionDB(Path(sys.argv[1]) / 'state.db')\nS = '20261130_141502_3fa9c1'\n{code}\n"
    );
    let mut command = Command::new(python());
    device.environment(&mut command);
    command.env("HERMES_HOME", device.home()).env("PYTHONDONTWRITEBYTECODE", "1");
    let output = command.args(["-c", &script]).arg(device.home()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

const S: &str = "20261130_141502_3fa9c1";

#[test]
fn a_home_with_a_state_db_shows_its_conversations_on_both_devices() {
    let (a, b) = (Device::default(), Device::default());
    fixture(&a);
    fixture(&b);
    append(&b, "b only", &[said("user", "hi", 1)], "stored");
    meet(&a, &b);
    for device in [&a, &b] {
        let listed = device.json(&["session", "list"]);
        let counts: Vec<u64> =
            listed["sessions"].as_array().unwrap().iter().map(|s| s["messages"].as_u64().unwrap()).collect();
        assert_eq!(counts.iter().sum::<u64>(), 121, "{listed}");
        assert_eq!(counts.len(), 4);
        let share = a.path("share");
        let again = device.json(&["sync", "--share", share.to_str().unwrap()]);
        assert_eq!((&again["imported"]["records"], &again["published"]["records"]), (&json!(0), &json!(0)));
    }
    assert_eq!(log(&a, "20261130_120000_000000"), log(&b, "20261130_120000_000000"));
    let shown = a.json(&["session", "show", "20261130_120000_000000"]);
    assert_eq!(shown["messages"][0]["flush_timestamp"], 1_796_073_533_827_929_i64);
    assert_eq!(shown["messages"][1]["tool_calls"][0]["id"], "c1");
    assert_eq!(shown["messages"][1]["content"], json!(null));
    assert_eq!(shown["messages"][3]["content"], json!([{"type": "text", "text": "answer 3"}]));
    assert_eq!(shown["messages"][3]["reasoning"], "short");
}

#[test]
fn hermes_is_followed_as_it_writes() {
    let device = Device::default();
    hermes(
        &device,
        "db.create_session(S, 'cli')\n\
         for i in range(5): db.append_message(S, 'user' if i % 2 == 0 else 'assistant', content=f'm{i}')\n\
         db.set_session_title(S, 'Tea')",
    );
    let import = device.home().join("state.db");
    let import = ["session", "import", "hermes", import.to_str().unwrap()];
    assert_eq!(device.json(&import)["messages"], 5);
    assert_eq!(device.json(&import)["messages"], 0);
    hermes(&device, "db.append_message(S, 'user', content='m5')");
    device.json(&["sync"]);
    assert_eq!(contents(&device, S), ["m0", "m1", "m2", "m3", "m4", "m5"]);
    let listed = device.json(&["session", "list"]);
    assert_eq!(listed["sessions"][0]["title"], "Tea");
    assert_eq!(listed["sessions"][0]["facts"]["source"], "cli");
    assert_eq!(device.json(&["search", "m5", "--sessions"])["hits"][0]["session"], S);
}

#[test]
fn a_compaction_hides_and_repeats_but_adds_only_its_summary() {
    let devices = [Device::default(), Device::default()];
    // One device follows from turn to turn, the other sees everything at once.
    let steps = [
        "db.create_session(S, 'cli')\nfor i in range(8): db.append_message(S, 'user', content=f'm{i}')",
        "rows = db.get_messages_as_conversation(S)\n\
         keep = [{'role': r['role'], 'content': r['content']} for r in rows]\n\
         db.archive_and_compact(S, keep[:3] + [{'role': 'assistant', 'content': 'summary'}] + keep[6:])\n\
         db.append_message(S, 'user', content='m8')",
        "rows = db.get_messages_as_conversation(S)\n\
         keep = [{'role': r['role'], 'content': r['content']} for r in rows]\n\
         db.archive_and_compact(S, keep[:3] + [{'role': 'assistant', 'content': 'second'}] + keep[-1:])\n\
         db.append_message(S, 'user', content='m9')",
    ];
    for (device, follows) in devices.iter().zip([true, false]) {
        for step in steps {
            hermes(device, step);
            if follows {
                device.json(&["sync"]);
            }
        }
        device.json(&["sync"]);
        device.json(&["sync"]);
        let told = contents(device, S);
        let wanted = ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "summary", "m8", "second", "m9"];
        assert_eq!(told, wanted, "follows: {follows}");
        let shown = device.json(&["session", "show", S]);
        let hidden: Vec<&str> = shown["messages"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|message| message["hidden"] == "compacted")
            .map(|message| message["content"].as_str().unwrap())
            .collect();
        assert_eq!(hidden, ["m3", "m4", "m5", "m6", "m7", "summary"], "follows: {follows}");
    }
}

#[test]
fn what_was_taken_back_stays_out_of_sight_on_every_device() {
    let (a, b) = (Device::default(), Device::default());
    hermes(
        &a,
        "db.create_session(S, 'cli')\nfor i in range(1, 7): db.append_message(S, 'user', content=f'm{i}')",
    );
    meet(&a, &b);
    hermes(
        &a,
        "rows = db.get_messages(S)\ndb.rewind_to_message(S, rows[4]['id'])\n\
         db.append_message(S, 'user', content='m7')",
    );
    meet(&a, &b);
    for device in [&a, &b] {
        assert_eq!(contents(device, S), ["m1", "m2", "m3", "m4", "m7"]);
    }
}

#[test]
fn messages_without_their_conversation_and_columns_of_later_versions_are_taken_in() {
    let device = Device::default();
    fixture(&device);
    let path = device.home().join("state.db");
    let state = rusqlite::Connection::open(&path).unwrap();
    state
        .execute_batch(
            "pragma foreign_keys = off; delete from sessions; alter table messages add column mood text; update messages set mood = 'fine';
             alter table messages drop column reasoning_content; update schema_version set version = 30",
        )
        .unwrap();
    let imported = device.json(&["session", "import", "hermes", path.to_str().unwrap()]);
    assert_eq!((&imported["sessions"], &imported["messages"]), (&json!(3), &json!(120)));
    let shown = device.json(&["session", "show", "20261130_120000_000000", "--last", "1"]);
    assert_eq!(shown["messages"][0]["mood"], "fine");
}

#[test]
fn hermes_writes_while_its_file_is_read() {
    let device = Device::default();
    hermes(&device, "db.create_session(S, 'cli')");
    let writer = {
        let device = device.clone();
        std::thread::spawn(move || {
            hermes(&device, "for i in range(300): db.append_message(S, 'user', content=f'm{i}')");
        })
    };
    while !writer.is_finished() {
        device.json(&["sync"]);
    }
    writer.join().unwrap();
    device.json(&["sync"]);
    assert_eq!(contents(&device, S), (0..300).map(|i| format!("m{i}")).collect::<Vec<_>>());
}

#[test]
fn what_is_no_state_db_is_refused() {
    let device = Device::default();
    std::fs::write(device.path("x.db"), "no database").unwrap();
    let run =
        |name: &str| device.run(&["session", "import", "hermes", device.path(name).to_str().unwrap()]).0;
    assert_eq!(run("x.db"), 3);
    assert_eq!(run("nothing.db"), 6);
    rusqlite::Connection::open(device.path("y.db")).unwrap().execute_batch("create table t (a)").unwrap();
    assert_eq!(run("y.db"), 3);
}
