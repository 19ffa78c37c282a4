//! Pending files that are torn, broken, copied, restored and renamed.

use super::talk::{append, contents, lines, log, meet, pending, recover, said};
use crate::device::{Device, names};
use serde_json::{Value, json};
use std::fs;

fn ten() -> Vec<Value> {
    (0..10).map(|n| said("user", &format!("r{n}"), 100 + n)).collect()
}

#[test]
fn broken_lines_are_kept_aside_and_reported_once_with_their_numbers() {
    for (broken, bytes) in
        [(1, &b"{\"role\": \"user\", \"cont"[..]), (5, b"\0\0garbage"), (3, b"[1, 2]"), (10, b"\xff")]
    {
        let device = Device::default();
        let mut file: Vec<Vec<u8>> = ten().iter().map(|line| line.to_string().into_bytes()).collect();
        file[broken - 1] = bytes.to_vec();
        let mut content = file.join(&b'\n');
        content.push(b'\n');
        let path = pending(&device, "s.pending.jsonl");
        fs::write(&path, &content).unwrap();
        let (code, answer) = recover(&device);
        assert_eq!((code, &answer["recovered"]), (5, &json!(9)), "{answer:#}");
        assert_eq!(answer["damaged"][0]["line"], broken);
        assert_eq!(fs::read(&path).unwrap(), content, "a file is never rewritten");
        let (code, answer) = recover(&device);
        assert_eq!((code, &answer["recovered"], &answer["damaged"]), (0, &json!(0), &json!([])));
        assert_eq!(contents(&device, "s").len(), 9);
        assert_eq!(device.json(&["status"])["sessions"]["damaged"], 1);
    }
}

#[test]
fn a_torn_last_line_is_told_and_a_whole_one_counts() {
    let whole = said("user", "é is whole", 2).to_string();
    let torn = whole.as_bytes()[..whole.find('é').unwrap() + 1].to_vec();
    let ends: [(&[u8], usize, i32); 4] = [
        (&torn, 0, 5),
        (whole.as_bytes(), 1, 0),
        (&[whole.as_bytes(), b"\0\0\0\0"].concat(), 1, 0),
        (b"\0\0\0\0", 0, 0),
    ];
    for (end, more, code) in ends {
        let device = Device::default();
        let path = pending(&device, "s.pending.jsonl");
        fs::write(&path, [lines(&[said("user", "rec1", 1)]).as_bytes(), end].concat()).unwrap();
        assert_eq!(recover(&device).0, code, "{end:?}");
        let held = super::talk::Held::by_somebody(&device);
        super::talk::append_with(&device, &["--deadline", "0"], "s", &[said("user", "rec3", 3)]);
        drop(held);
        let mut wanted = vec!["rec1"];
        wanted.extend(std::iter::repeat_n("é is whole", more));
        wanted.push("rec3");
        assert_eq!(contents(&device, "s"), wanted, "{end:?}");
        assert!(fs::read_to_string(&path).is_err() || path.exists());
    }
}

#[test]
fn an_unchanged_file_that_comes_back_later_adds_nothing() {
    let device = Device::default();
    let call = json!({"role": "assistant", "content": null, "tool_calls": [{"id": "c1"}], "timestamp": 11});
    let result = json!({"role": "tool", "content": "out", "tool_call_id": "c1", "timestamp": 12});
    let file = lines(&[json!({"role": "user", "content": "A", "timestamp": 10}), call, result]);
    let path = pending(&device, "s.pending.jsonl");
    fs::write(&path, &file).unwrap();
    recover(&device);
    append(&device, "s", &[said("user", "C", 20), said("user", "D", 21)], "stored");
    fs::remove_file(&path).unwrap();
    recover(&device);
    fs::write(&path, &file).unwrap();
    let racing: Vec<_> = (0..2)
        .map(|_| {
            let device = device.clone();
            std::thread::spawn(move || recover(&device).1["recovered"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(racing.into_iter().map(|thread| thread.join().unwrap()).sum::<u64>(), 0);
    let whole = [
        "user@10000000:A",
        "assistant@11000000:null",
        "tool@12000000:out",
        "user@20000000:C",
        "user@21000000:D",
    ];
    assert_eq!(log(&device, "s"), whole);
    let shown = device.json(&["session", "show", "s"]);
    assert_eq!(shown["messages"][1]["tool_calls"][0]["id"], "c1");
    assert!(path.exists(), "lines of another program are left where they are");
}

#[test]
fn two_devices_that_take_in_copies_of_one_file_have_each_message_once() {
    let (a, b) = (Device::default(), Device::default());
    let file: String = (0..3)
        .map(|n| format!("{{\"_fallback_timestamp\": {}.5, \"message\": {{\"role\": \"user\", \"content\": \"m{n}\"}}}}\n", 100 + n))
        .collect();
    fs::write(pending(&a, "s.pending.jsonl"), &file).unwrap();
    fs::write(pending(&b, "s.pending.jsonl"), &file).unwrap();
    fs::write(pending(&b, "s.pending-LAPTOP7.jsonl"), &file[..file.len() / 2]).unwrap();
    recover(&a);
    recover(&b);
    meet(&a, &b);
    let whole = ["user@100500000:m0", "user@101500000:m1", "user@102500000:m2"];
    assert_eq!(log(&a, "s"), whole);
    assert_eq!(log(&b, "s"), whole);
    let share = a.path("share");
    let again = a.json(&["sync", "--share", share.to_str().unwrap()]);
    assert_eq!((&again["imported"]["records"], &again["published"]["records"]), (&json!(0), &json!(0)));
}

#[test]
fn pending_files_are_found_by_name_and_conversation() {
    let device = Device::default();
    let line = |text: &str| lines(&[said("user", text, 1)]);
    for (name, text) in [
        ("One.pending.jsonl", "plain"),
        ("two.pending (Ann's conflicted copy 2026-01-02).jsonl", "dropbox"),
        ("two.pending.sync-conflict-20260102-101010-ABCDEF7.jsonl", "syncthing"),
        ("two.jsonl", "not pending"),
        (".syncthing.two.pending.jsonl.tmp", "unfinished"),
    ] {
        fs::write(pending(&device, name), line(text)).unwrap();
    }
    let other =
        json!({"_session": "../../x", "_fallback_timestamp": 3, "message": {"role": "user", "content": "w"}});
    fs::write(pending(&device, "three.pending.jsonl"), format!("{other}\n")).unwrap();
    assert_eq!(recover(&device).1["files"], 4);
    assert_eq!(contents(&device, "One"), ["plain"]);
    assert_eq!(contents(&device, "two").len(), 2);
    assert_eq!(contents(&device, "../../x"), ["w"]);
    assert_eq!(names(&device.home().join("sessions")).len(), 6);
}

#[test]
fn a_line_longer_than_any_message_is_passed_over_in_bounded_memory() {
    let device = Device::default();
    let long = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "x".repeat(40 << 20));
    let file =
        [lines(&[said("user", "before", 1)]), long.clone(), lines(&[said("user", "after", 2)])].concat();
    fs::write(pending(&device, "s.pending.jsonl"), file).unwrap();
    let mut limited = std::process::Command::new("sh");
    device.environment(&mut limited);
    limited.args([
        "-c",
        "ulimit -v 200000; exec \"$0\" session recover --json",
        env!("CARGO_BIN_EXE_memlore"),
    ]);
    let (code, answers) = super::talk::run(&mut limited, b"");
    assert_eq!((code, &answers[0]["damaged"][0]["line"]), (5, &json!(2)), "{answers:?}");
    assert_eq!(contents(&device, "s"), ["before", "after"]);
    let (code, answers) =
        super::talk::run(device.command().args(["session", "append", "s"]), long.as_bytes());
    assert_eq!((code, &answers[0]["status"]), (6, &json!("failed")));
}

#[test]
fn a_line_that_has_not_ended_is_looked_at_again_when_the_file_changes() {
    let device = Device::default();
    let (whole, torn) = (lines(&[said("user", "before", 1)]), lines(&[said("user", "after", 2)]));
    let (begin, rest) = torn.split_at(torn.len() / 2);
    let path = pending(&device, "s.pending.jsonl");
    fs::write(&path, format!("{whole}{begin}")).unwrap();
    assert_eq!(recover(&device).1["files"], 1);
    assert_eq!(recover(&device).1["files"], 0);
    fs::write(&path, format!("{whole}{begin}{rest}")).unwrap();
    let (code, answer) = recover(&device);
    assert_eq!((code, &answer["files"], &answer["recovered"]), (0, &json!(1), &json!(1)));
    assert_eq!(contents(&device, "s"), ["before", "after"]);
}

#[test]
fn tables_that_were_emptied_come_back_from_the_records() {
    let device = Device::default();
    append(&device, "s", &ten(), "stored");
    let before = log(&device, "s");
    let database = rusqlite::Connection::open(device.path("state").join("memlore.db")).unwrap();
    for damage in
        ["delete from sessions", "delete from messages where num % 2", "update messages set hidden = 2"]
    {
        database.execute(damage, []).unwrap();
        assert_eq!(device.run(&["doctor"]).0, 5, "{damage}");
        assert_eq!(device.run(&["doctor", "--repair"]).0, 0, "{damage}");
        assert_eq!(log(&device, "s"), before, "{damage}");
    }
}
