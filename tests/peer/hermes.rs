//! hermes-agent's memory tool in processes of its own.

use super::environment::python;
use crate::device::Device;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

fn peer(device: &Device, command: &str) -> Command {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/peer/peer.py");
    let mut peer = Command::new(python());
    device.environment(&mut peer);
    peer.env("PYTHONDONTWRITEBYTECODE", "1").arg(script).arg(command).arg(device.home());
    peer.stdout(Stdio::piped()).stderr(Stdio::piped());
    peer
}

/// Calls hermes' memory tool on the book `memory`, all calls in one process; returns its answers.
pub(super) fn tool(device: &Device, calls: &[Value]) -> Vec<Value> {
    let mut peer = peer(device, "tool");
    for call in calls {
        let mut call = call.clone();
        call["target"] = json!("memory");
        peer.arg(call.to_string());
    }
    let output = peer.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    answer["answers"].as_array().unwrap().clone()
}

/// Calls hermes' memory tool once; it must do what it is asked.
pub(super) fn must(device: &Device, call: Value) {
    let answers = tool(device, &[call]);
    assert_eq!(answers[0]["success"], true, "{}", answers[0]);
}

/// A hermes instance that lives on with what it read when it began.
pub(super) struct Instance {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Instance {
    /// Starts an instance, which reads the memory once.
    pub(super) fn start(device: &Device) -> Self {
        let mut child = peer(device, "stale").stdin(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let mut instance = Self { child, stdin, stdout };
        instance.order(&json!({"do": "snapshot"}));
        instance
    }

    /// Gives one order and returns the answer.
    pub(super) fn order(&mut self, order: &Value) -> Value {
        writeln!(self.stdin, "{order}").unwrap();
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Gives one order, which must be carried out.
    pub(super) fn must(&mut self, order: &Value) {
        let answer = self.order(order);
        assert_eq!(answer["success"], true, "{answer}");
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// Asserts that hermes never thought that somebody had spoilt its file: it then leaves a backup beside it.
pub(super) fn assert_no_backup(device: &Device) {
    let names = crate::device::names(&device.memories());
    assert!(names.iter().all(|name| !name.contains(".bak")), "{names:?}");
}
