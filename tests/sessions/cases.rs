//! What a conversation is after retries, wrong clocks and other devices.

use super::talk::{append, append_with, contents, log, meet, pending, recover, said};
use crate::device::Device;
use serde_json::{Value, json};

#[test]
fn the_same_batch_again_stores_nothing_again() {
    let device = Device::default();
    let batch: Vec<Value> = (0..4).map(|n| said("user", &format!("m{n}"), 1000 + n)).collect();
    append(&device, "s", &batch[..2], "stored");
    let (code, answers) = append_with(&device, &[], "s", &batch);
    let ends: Vec<&str> = answers.iter().map(|answer| answer["status"].as_str().unwrap()).collect();
    assert_eq!((code, ends), (0, vec!["duplicate", "duplicate", "stored", "stored"]));
    for _ in 0..3 {
        append(&device, "s", &batch, "duplicate");
    }
    assert_eq!(contents(&device, "s"), ["m0", "m1", "m2", "m3"]);
}

#[test]
fn a_turn_that_repeats_itself_is_another_turn_on_every_device() {
    let (a, b) = (Device::default(), Device::default());
    let turns = [
        said("user", "yes", 1000),
        said("assistant", "done", 1001),
        said("user", "yes", 2000),
        said("assistant", "done", 2001),
    ];
    append(&a, "s", &turns, "stored");
    append(&b, "s", &turns[..2], "stored");
    std::fs::write(pending(&b, "s.pending.jsonl"), super::talk::lines(&turns)).unwrap();
    recover(&b);
    meet(&a, &b);
    let whole = [
        "user@1000000000:yes",
        "assistant@1001000000:done",
        "user@2000000000:yes",
        "assistant@2001000000:done",
    ];
    assert_eq!(log(&a, "s"), whole);
    assert_eq!(log(&b, "s"), whole);
}

#[test]
fn messages_of_one_instant_are_told_apart_by_what_they_say() {
    let (a, b) = (Device::default(), Device::default());
    let at = 5_000_000_000_i64;
    let call = |id: &str| json!({"role": "tool", "content": "ok", "tool_call_id": id, "flush_timestamp": at});
    let calls = json!({"role": "assistant", "content": null, "flush_timestamp": at,
        "tool_calls": [{"id": "c1"}, {"id": "c2"}]});
    let flush = [said("user", "start", 5000), calls, call("c1"), call("c2")];
    append(&a, "s", &flush, "stored");
    append(&a, "s", &flush, "duplicate");
    append(&b, "s", &[said("user", "late", 4999)], "stored");
    meet(&a, &b);
    assert_eq!(log(&a, "s").len(), 5);
    assert_eq!(log(&a, "s"), log(&b, "s"));
    let shown = a.json(&["session", "show", "s"]);
    let roles: Vec<&str> = shown["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| message["role"].as_str().unwrap())
        .collect();
    assert_eq!(roles[..4], ["user", "assistant", "tool", "tool"]);
}

#[test]
fn no_clock_turns_the_order_of_a_conversation() {
    let (a, b) = (Device::default(), Device::default());
    let at_clock = |device: &Device, now_us: i64, text: &str| {
        let mut command = device.command();
        command.env("MEMLORE_NOW", now_us.to_string()).args(["session", "append", "s"]);
        let message = json!({"role": "user", "content": text});
        let (code, answers) = super::talk::run(&mut command, format!("{message}\n").as_bytes());
        assert_eq!(code, 0, "{answers:?}");
    };
    const DAY_US: i64 = 86_400_000_000;
    let begin = 1_796_047_200_000_000;
    for (n, now_us) in [108_382, 108_484, 108_441, 108_490, -DAY_US, 108_600].into_iter().enumerate() {
        at_clock(&a, begin + now_us, &format!("m{}", n + 1));
    }
    meet(&a, &b);
    at_clock(&b, begin - 300_000_000, "m7");
    meet(&a, &b);
    let whole = ["m1", "m2", "m3", "m4", "m5", "m6", "m7"];
    assert_eq!(contents(&a, "s"), whole);
    assert_eq!(contents(&b, "s"), whole);
}

#[test]
fn one_device_in_the_far_future_carries_nobody_away() {
    let (a, b) = (Device::default(), Device::default());
    let far = json!({"role": "user", "content": "future"});
    let mut command = a.command();
    command.env("MEMLORE_NOW", i64::MAX.to_string()).args(["session", "append", "s"]);
    assert_eq!(super::talk::run(&mut command, format!("{far}\n").as_bytes()).0, 0);
    append(&b, "other", &[json!({"role": "user", "content": "before"})], "stored");
    meet(&a, &b);
    append(&b, "s", &[json!({"role": "user", "content": "reply"})], "stored");
    append(&b, "other", &[json!({"role": "user", "content": "after"})], "stored");
    meet(&a, &b);
    assert_eq!(contents(&a, "s"), ["future", "reply"]);
    assert_eq!(contents(&a, "other"), ["before", "after"]);
    let listed = b.json(&["session", "list"]);
    let other = listed["sessions"].as_array().unwrap().iter().find(|session| session["session"] == "other");
    assert!(other.unwrap()["last"].as_i64().unwrap() < 4_000_000_000_000_000, "{listed}");
}

#[test]
fn what_was_handed_over_whole_at_every_turn_is_stored_once() {
    let device = Device::default();
    let mut talk: Vec<Value> = (0..50).map(|n| said("user", &format!("old {n}"), n)).collect();
    append(&device, "s", &talk, "stored");
    let size = || std::fs::metadata(device.path("state").join("memlore.db")).unwrap().len();
    for turn in 0..8 {
        let shown = device.json(&["session", "show", "s"]);
        talk = shown["messages"].as_array().unwrap().clone();
        talk.push(json!({"role": "user", "content": format!("new {turn}")}));
        let (code, answers) = append_with(&device, &[], "s", &talk);
        assert_eq!(code, 0);
        assert_eq!(answers.iter().filter(|answer| answer["status"] == "stored").count(), 1);
    }
    assert_eq!(log(&device, "s").len(), 58);
    assert!(size() < 1_000_000, "{}", size());
}

#[test]
fn a_half_of_a_character_harms_its_own_message_alone() {
    let (a, b) = (Device::default(), Device::default());
    let given = concat!(
        r#"{"role":"user","content":"ok","flush_timestamp":1}"#,
        "\n",
        r#"{"role":"user","content":"bad \ud83d end","flush_timestamp":2,"tool_calls":[{"id":"\ude00"}]}"#,
        "\n",
        r#"{"role":"user","content":"fine 😀 \u0000 \u2028","flush_timestamp":3}"#,
        "\n",
        r#"{"role":"user","content":"\ud83d\ude00","flush_timestamp":4}"#,
        "\n",
    );
    for status in ["stored", "duplicate"] {
        let mut command = a.command();
        let (code, answers) = super::talk::run(command.args(["session", "append", "s"]), given.as_bytes());
        assert_eq!(code, 0);
        assert!(answers.iter().all(|answer| answer["status"] == status), "{answers:?}");
    }
    std::fs::write(pending(&b, "s.pending.jsonl"), given).unwrap();
    assert_eq!(recover(&b).0, 0);
    meet(&a, &b);
    let whole = ["ok", "bad \u{fffd} end", "fine 😀 \0 \u{2028}", "😀"];
    assert_eq!(contents(&a, "s"), whole);
    assert_eq!(contents(&b, "s"), whole);
}

#[test]
fn a_message_comes_back_as_it_was_given() {
    let device = Device::default();
    let given = r#"{"z": 1.50, "role": "assistant", "content": [{"type": "text", "text": ""}], "empty": "", "none": null, "big": 123456789012345678901234567890, "list": [1e5, {}], "_note": "\u00e9"}"#;
    let (code, _) = super::talk::run(device.command().args(["session", "append", "s"]), given.as_bytes());
    assert_eq!(code, 0);
    let exported = device.command().args(["session", "export", "s"]).output().unwrap();
    let line = String::from_utf8(exported.stdout).unwrap();
    let message = line.trim_end().split_once("\"message\": ").unwrap().1.strip_suffix('}').unwrap();
    assert_eq!(message, given);
    let other = Device::default();
    let file = other.path("export.jsonl");
    std::fs::write(&file, &line).unwrap();
    let import = ["session", "import", "jsonl", file.to_str().unwrap()];
    assert_eq!(other.json(&import)["messages"], 1);
    assert_eq!(other.json(&import)["duplicates"], 1);
    assert_eq!(log(&other, "s"), log(&device, "s"));
}

#[test]
fn a_tool_result_stands_behind_its_call() {
    let device = Device::default();
    let result = |id: &str, text: &str| json!({"role": "tool", "content": text, "tool_call_id": id});
    let call = |id: &str| json!({"role": "assistant", "content": "", "tool_calls": [{"id": id}]});
    let talk = [
        result("b", "early b"),
        call("a"),
        json!({"role": "user", "content": "meanwhile"}),
        result("a", "result a"),
        call("b"),
        result("x", "of nobody"),
        json!({"role": "user", "content": "end"}),
    ];
    append(&device, "s", &talk, "stored");
    let whole = ["", "result a", "meanwhile", "", "early b", "of nobody", "end"];
    assert_eq!(contents(&device, "s"), whole);
    for last in 1..=whole.len() {
        let shown = device.json(&["session", "show", "s", "--last", &last.to_string()]);
        let shown: Vec<&str> =
            shown["messages"].as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap()).collect();
        assert_eq!(shown, whole[whole.len() - last..], "{last}");
    }
}

fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    let copied = std::process::Command::new("cp").arg("-a").arg(from).arg(to).status().unwrap();
    assert!(copied.success());
}

#[test]
fn a_copied_state_and_its_original_both_go_on() {
    let (a, b, c) = (Device::default(), Device::default(), Device::default());
    append(&a, "s", &[said("user", "before", 1)], "stored");
    copy_folder(&a.path("state"), &c.path("state"));
    append(&a, "s", &[said("user", "from A", 2)], "stored");
    append(&c, "s", &[said("user", "from C", 2)], "stored");
    meet(&b, &a);
    meet(&b, &c);
    meet(&b, &a);
    let whole = contents(&b, "s");
    assert_eq!(whole.len(), 3, "{whole:?}");
    assert_eq!(contents(&a, "s"), whole);
    assert_eq!(contents(&c, "s"), whole);
    append(&c, "s", &[said("user", "later", 3)], "stored");
    meet(&b, &c);
    meet(&b, &a);
    assert_eq!(contents(&a, "s").last().map(String::as_str), Some("later"));
}

#[test]
fn a_restored_state_takes_back_what_it_had_written_and_goes_on() {
    let (a, b) = (Device::default(), Device::default());
    let talk =
        |from: i64, to: i64| (from..=to).map(|n| said("user", &format!("m{n}"), n)).collect::<Vec<Value>>();
    append(&a, "s", &talk(1, 5), "stored");
    copy_folder(&a.path("state"), &a.path("backup"));
    append(&a, "s", &talk(6, 10), "stored");
    meet(&b, &a);
    std::fs::remove_dir_all(a.path("state")).unwrap();
    copy_folder(&a.path("backup"), &a.path("state"));
    meet(&b, &a);
    append(&a, "s", &talk(11, 11), "stored");
    meet(&b, &a);
    let all: Vec<String> = (1..=11).map(|n| format!("m{n}")).collect();
    for device in [&a, &b] {
        assert_eq!(contents(device, "s"), all);
    }
}
