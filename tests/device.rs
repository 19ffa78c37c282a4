//! A device on which real processes run at once, under the real clock.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use tempfile::TempDir;

/// A home and a state, and the binary that works on them. A clone is the same device.
#[derive(Clone)]
pub(crate) struct Device {
    folder: Arc<TempDir>,
    variables: Vec<(&'static str, String)>,
}

impl Default for Device {
    fn default() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder: Arc::new(folder), variables: Vec::new() }
    }
}

impl Device {
    /// Gives every later command one more variable of the environment.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.variables.push((name, value.to_owned()));
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    pub(crate) fn memories(&self) -> PathBuf {
        self.home().join("memories")
    }

    /// The view of the book `memory`, in the hermes dialect.
    pub(crate) fn view(&self) -> PathBuf {
        self.memories().join("MEMORY.md")
    }

    pub(crate) fn read_view(&self) -> String {
        std::fs::read_to_string(self.view()).unwrap()
    }

    /// The texts that stand in the view, as hermes-agent takes them apart.
    pub(crate) fn shown(&self) -> Vec<String> {
        let view = self.read_view();
        view.split("\n§\n").filter(|text| !text.is_empty()).map(str::to_owned).collect()
    }

    /// The command, with this device's folders and nothing of the outer environment.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memlore"));
        self.environment(&mut command);
        command
    }

    /// Gives a command this device's folders, and nothing of the outer environment.
    pub(crate) fn environment(&self, command: &mut Command) {
        command.env_clear().env("HOME", self.path("nobody")).env("MEMLORE_DEVICE", "laptop");
        command.env("MEMLORE_HOME", self.home()).env("MEMLORE_STATE", self.path("state"));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.current_dir(self.folder.path()).stdin(Stdio::null());
    }

    /// Runs the binary with `--json`; returns its code and its answer.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, Value) {
        let output = self.command().args(arguments).arg("--json").output().unwrap();
        let answer = serde_json::from_slice(&output.stdout);
        let told = String::from_utf8_lossy(&output.stderr);
        (output.status.code().unwrap_or(-1), answer.unwrap_or_else(|_| panic!("{arguments:?}: {told}")))
    }

    /// Runs the binary, which must succeed, and returns its answer.
    pub(crate) fn json(&self, arguments: &[&str]) -> Value {
        let (code, answer) = self.run(arguments);
        assert_eq!(code, 0, "{arguments:?}: {answer:#}");
        answer
    }

    /// Takes in what was edited, and lists the texts of the book `memory`.
    pub(crate) fn texts(&self) -> Vec<String> {
        self.json(&["import"]);
        let listed = self.json(&["list", "--book", "memory"]);
        let text = |entry: &Value| entry["text"].as_str().unwrap().to_owned();
        listed["entries"].as_array().unwrap().iter().map(text).collect()
    }
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
