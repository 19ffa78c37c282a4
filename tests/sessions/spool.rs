//! What becomes of messages that the database cannot take.

use super::talk::{Held, append, append_with, contents, lines, log, pending, recover, said};
use crate::device::{Device, names};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

#[test]
fn messages_wait_beside_a_locked_database_and_come_in_with_the_next() {
    let device = Device::default();
    append(&device, "s", &[said("user", "m1", 1)], "stored");
    let held = Held::by_somebody(&device);
    let awkward = format!("\"quoted\"\nline \u{1f600} {}", "x".repeat(300_000));
    let talk = [json!({"role": "user", "content": awkward}), json!({"role": "user", "content": "m3"})];
    let mut stamps = Vec::new();
    for message in &talk {
        let (code, answers) =
            append_with(&device, &["--deadline", "0.2"], "s", std::slice::from_ref(message));
        assert_eq!(code, 4);
        assert_eq!(answers[0]["status"], "pending", "{answers:?}");
        stamps.push(answers[0]["flush_timestamp"].as_i64().unwrap());
    }
    assert!(stamps[0] < stamps[1]);
    let file = pending(&device, "s.pending.jsonl");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
    drop(held);
    append(&device, "s", &[json!({"role": "user", "content": "m4"})], "stored");
    assert_eq!(contents(&device, "s"), ["m1", &awkward, "m3", "m4"]);
    assert_eq!(log(&device, "s")[1].split(':').next().unwrap(), format!("user@{}", stamps[0]));
    recover(&device);
    recover(&device);
    assert_eq!(names(&device.home().join("sessions")), [""; 0]);
    assert_eq!(contents(&device, "s").len(), 4);
    assert_eq!(device.json(&["status"])["sessions"]["pending"], 0);
}

#[test]
fn a_retry_of_a_pending_message_is_the_same_message() {
    let device = Device::default();
    append(&device, "s", &[said("user", "m1", 1)], "stored");
    let held = Held::by_somebody(&device);
    let mut message = json!({"role": "user", "content": "m2"});
    let (_, answers) = append_with(&device, &["--deadline", "0"], "s", &[message.clone()]);
    message["flush_timestamp"] = answers[0]["flush_timestamp"].clone();
    append_with(&device, &["--deadline", "0"], "s", &[message.clone()]);
    drop(held);
    append(&device, "s", &[message], "duplicate");
    assert_eq!(contents(&device, "s"), ["m1", "m2"]);
}

#[test]
fn a_recovery_says_how_many_failures_came_before_it() {
    let device = Device::default();
    append(&device, "s", &[said("user", "m1", 1)], "stored");
    let held = Held::by_somebody(&device);
    for text in ["m2", "m3", "m4"] {
        append_with(&device, &["--deadline", "0"], "s", &[json!({"role": "user", "content": text})]);
    }
    drop(held);
    let (code, answer) = recover(&device);
    assert_eq!((code, &answer["recovered"], &answer["files"]), (0, &json!(3), &json!(1)));
    let told = answer["warnings"].to_string();
    assert!(told.contains("3 messages are now stored") && told.contains("3 failures"), "{told}");
}

#[test]
fn a_database_that_was_replaced_or_is_gone_takes_messages_again() {
    let device = Device::default();
    append(&device, "s", &[said("user", "m1", 1)], "stored");
    let database = device.path("state").join("memlore.db");
    for suffix in ["", "-wal", "-shm"] {
        fs::remove_file(format!("{}{suffix}", database.display())).ok();
    }
    append(&device, "s", &[said("user", "m2", 2)], "stored");
    assert_eq!(contents(&device, "s"), ["m2"]);
    fs::write(&database, b"this is no database, and long enough to be looked at".repeat(40)).unwrap();
    let (code, answers) = append_with(&device, &[], "s", &[said("user", "m3", 3)]);
    assert_eq!((code, &answers[0]["status"]), (5, &json!("stored")));
    assert!(names(&device.path("state")).iter().any(|name| name.starts_with("damaged-")));
    assert_eq!(contents(&device, "s"), ["m3"]);
}

#[test]
fn a_database_of_a_later_version_is_left_alone_and_messages_wait() {
    let device = Device::default();
    append(&device, "s", &[said("user", "m1", 1)], "stored");
    let version = |version: i64| {
        let database = rusqlite::Connection::open(device.path("state").join("memlore.db")).unwrap();
        database.pragma_update(None, "user_version", version).unwrap();
    };
    version(99);
    let (code, answers) = append_with(&device, &[], "s", &[said("user", "m2", 2)]);
    assert_eq!((code, &answers[0]["status"]), (4, &json!("pending")));
    version(1);
    assert_eq!(contents(&device, "s"), ["m1", "m2"]);
}

/// Runs the binary as somebody whom permissions hold off.
fn as_nobody(device: &Device) -> Command {
    let program = device.path("memlore");
    if !program.exists() {
        fs::copy(env!("CARGO_BIN_EXE_memlore"), &program).unwrap();
    }
    let root = rustix::process::geteuid().is_root();
    let mut command = if root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        command
    } else {
        Command::new(&program)
    };
    device.environment(&mut command);
    command
}

fn give_to_nobody(path: &Path) {
    if rustix::process::geteuid().is_root() {
        let owned = Command::new("chown").args(["-R", "65534:65534"]).arg(path).status().unwrap();
        assert!(owned.success());
    }
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn messages_wait_while_permissions_are_taken_away() {
    let device = Device::default();
    set_mode(device.home().parent().unwrap(), 0o755);
    fs::create_dir(device.path("state")).unwrap();
    give_to_nobody(device.home().parent().unwrap());
    let append = |messages: &[Value], status: &str, code: i32| {
        let mut command = as_nobody(&device);
        command.args(["session", "append", "s", "--deadline", "0.2"]);
        let (ended, answers) = super::talk::run(&mut command, lines(messages).as_bytes());
        assert!(answers.iter().all(|answer| answer["status"] == status), "{answers:?}");
        assert_eq!(ended, code);
    };
    append(&[said("user", "m1", 1), said("user", "m2", 2)], "stored", 0);
    let state = device.path("state");
    for (mode, file_mode) in [(0o500, 0o400), (0o000, 0o000)] {
        for name in names(&state) {
            let is_file = state.join(&name).is_file();
            set_mode(&state.join(name), if is_file { file_mode } else { 0o500 });
        }
        set_mode(&state, mode);
        append(&[said("user", &format!("while {mode:o}"), 3)], "pending", 4);
        set_mode(&state, 0o700);
        for name in names(&state) {
            set_mode(&state.join(name), 0o700);
        }
    }
    // Neither the database nor any spool.
    set_mode(&state, 0o500);
    set_mode(&state.join("memlore.db"), 0o400);
    set_mode(&device.home().join("sessions"), 0o000);
    append(&[said("user", "nowhere", 4)], "failed", 6);
    set_mode(&device.home().join("sessions"), 0o700);
    set_mode(&state, 0o700);
    set_mode(&state.join("memlore.db"), 0o600);
    append(&[said("user", "m5", 5)], "stored", 0);
    let mut command = as_nobody(&device);
    let shown = super::talk::run(command.args(["session", "show", "s", "--json"]), b"").1.remove(0);
    let texts: Vec<&str> =
        shown["messages"].as_array().unwrap().iter().map(|m| m["content"].as_str().unwrap()).collect();
    assert_eq!(texts, ["m1", "m2", "while 500", "while 0", "m5"]);
}

/// A small file system in memory; nothing where mounting is not allowed.
struct Disk(std::path::PathBuf);

impl Disk {
    fn mount(path: std::path::PathBuf, size: &str) -> Option<Self> {
        fs::create_dir_all(&path).unwrap();
        let options = format!("size={size},mode=700");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(&path).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(path))
    }

    fn grow(&self, size: &str) {
        let options = format!("remount,size={size}");
        assert!(Command::new("mount").args(["-o", &options]).arg(&self.0).status().unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        Command::new("umount").arg(&self.0).status().ok();
    }
}

#[test]
fn a_full_disk_loses_no_message_that_was_answered() {
    let device = Device::default();
    let Some(disk) = Disk::mount(device.path("state"), "1m") else { return };
    append(&device, "s", &[said("user", "first", 0)], "stored");
    let big = "x".repeat(100_000);
    let mut answered = vec!["first".to_owned()];
    let mut pending_any = false;
    for n in 1..20 {
        let text = format!("{n} {big}");
        let (_, answers) = append_with(&device, &["--deadline", "0.1"], "s", &[said("user", &text, n)]);
        let status = answers[0]["status"].as_str().unwrap();
        assert_ne!(status, "failed", "the home has room: {answers:?}");
        pending_any |= status == "pending";
        answered.push(text);
    }
    assert!(pending_any);
    disk.grow("20m");
    assert_eq!(contents(&device, "s"), answered);
    assert_eq!(device.run(&["doctor"]).0, 0);
}

#[test]
fn where_everything_is_full_the_answer_says_so() {
    let device = Device::default();
    let Some(state) = Disk::mount(device.path("state"), "1m") else { return };
    let Some(home) = Disk::mount(device.path("home"), "1m") else { return };
    append(&device, "s", &[said("user", "first", 0)], "stored");
    let big = "x".repeat(200_000);
    let mut answered = vec!["first".to_owned()];
    let mut failed = Vec::new();
    for n in 1..12 {
        let text = format!("{n} {big}");
        let message = said("user", &text, n);
        let (code, answers) = append_with(&device, &["--deadline", "0"], "s", std::slice::from_ref(&message));
        if answers[0]["status"] == "failed" {
            assert_eq!(code, 6);
            assert!(answers[0]["reason"].is_string());
            failed.push((text, message));
        } else {
            answered.push(text);
        }
    }
    assert!(!failed.is_empty());
    state.grow("20m");
    home.grow("20m");
    assert_eq!(contents(&device, "s"), answered);
    for (text, message) in failed {
        append(&device, "s", &[message], "stored");
        answered.push(text);
    }
    assert_eq!(contents(&device, "s"), answered);
}
