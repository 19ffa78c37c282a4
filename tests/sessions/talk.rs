//! Handing messages to a device and reading its conversations back.

use crate::device::Device;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// A message of a role with a text, at a second.
pub(super) fn said(role: &str, text: &str, second: i64) -> Value {
    json!({"role": role, "content": text, "flush_timestamp": second * 1_000_000})
}

/// Runs a command with something on stdin; returns its code and the JSON values it printed.
pub(super) fn run(command: &mut Command, stdin: &[u8]) -> (i32, Vec<Value>) {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(stdin).unwrap();
    let output = child.wait_with_output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    let line = |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}\n{told}"));
    (output.status.code().unwrap_or(-1), printed.lines().map(line).collect())
}

/// Lines of JSON.
pub(super) fn lines(messages: &[Value]) -> String {
    messages.iter().map(|message| format!("{message}\n")).collect()
}

/// Appends messages; returns the code and what became of each.
pub(super) fn append_with(
    device: &Device,
    options: &[&str],
    session: &str,
    messages: &[Value],
) -> (i32, Vec<Value>) {
    let mut command = device.command();
    command.args(["session", "append", session]).args(options);
    run(&mut command, lines(messages).as_bytes())
}

/// Appends messages, each of which must end so.
pub(super) fn append(device: &Device, session: &str, messages: &[Value], status: &str) {
    let (_, answers) = append_with(device, &[], session, messages);
    let ends: Vec<&str> = answers.iter().map(|answer| answer["status"].as_str().unwrap()).collect();
    assert_eq!(ends, vec![status; messages.len()], "{answers:?}");
}

/// A conversation, each message as `role@microseconds:content`.
pub(super) fn log(device: &Device, session: &str) -> Vec<String> {
    device.json(&["session", "show", session])["messages"].as_array().unwrap().iter().map(told).collect()
}

fn told(message: &Value) -> String {
    let content = message["content"].as_str().map_or_else(|| message["content"].to_string(), str::to_owned);
    format!("{}@{}:{content}", message["role"].as_str().unwrap_or("?"), message["flush_timestamp"])
}

/// The contents of a conversation's messages.
pub(super) fn contents(device: &Device, session: &str) -> Vec<String> {
    let without_stamp = |told: String| told.split_once(':').unwrap().1.to_owned();
    log(device, session).into_iter().map(without_stamp).collect()
}

/// Where pending messages lie.
pub(super) fn pending(device: &Device, name: &str) -> PathBuf {
    let folder = device.home().join("sessions");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

/// Takes pending files in; returns the code and the answer.
pub(super) fn recover(device: &Device) -> (i32, Value) {
    device.run(&["session", "recover"])
}

/// Both devices get all that the other has.
pub(super) fn meet(one: &Device, other: &Device) {
    let share = one.path("share");
    let share = share.to_str().unwrap();
    for device in [one, other, one] {
        device.json(&["sync", "--share", share]);
    }
}

/// Holds the database so that nobody else can write, until it is dropped.
pub(super) struct Held(rusqlite::Connection);

impl Held {
    pub(super) fn by_somebody(device: &Device) -> Self {
        let database = rusqlite::Connection::open(device.path("state").join("memlore.db")).unwrap();
        database.execute_batch("begin exclusive").unwrap();
        Self(database)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.execute_batch("rollback").ok();
    }
}
