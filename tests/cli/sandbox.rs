//! A device in a temporary folder, on which the real binary runs.

use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// 2026-11-30T14:00:00Z, the wall time of every sandbox.
pub(super) const NOW_US: u64 = 1_796_047_200_000_000;

/// A home, a state and a share, and the binary that works on them.
pub(super) struct Sandbox {
    folder: TempDir,
    now_us: std::cell::Cell<u64>,
}

/// How one run ended.
pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Default for Sandbox {
    fn default() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("home")).unwrap();
        Self { folder, now_us: NOW_US.into() }
    }
}

impl Sandbox {
    pub(super) fn home(&self) -> PathBuf {
        self.path("home")
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Lets time pass.
    pub(super) fn wait(&self, seconds: u64) {
        self.now_us.set(self.now_us.get() + seconds * 1_000_000);
    }

    /// The view of the book `memory`, in the hermes dialect.
    pub(super) fn view(&self) -> PathBuf {
        self.home().join("memories").join("MEMORY.md")
    }

    pub(super) fn read_view(&self) -> String {
        std::fs::read_to_string(self.view()).unwrap()
    }

    /// Writes the view as a program does that knows nothing of memlore.
    pub(super) fn write_view(&self, content: impl AsRef<[u8]>) {
        std::fs::create_dir_all(self.view().parent().unwrap()).unwrap();
        std::fs::write(self.view(), content).unwrap();
    }

    /// A file of the home.
    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.home().join(name)).unwrap()
    }

    /// Writes a file of the home.
    pub(super) fn write(&self, name: &str, content: &str) {
        std::fs::write(self.home().join(name), content).unwrap();
    }

    /// The command, with this sandbox's folders and nothing of the outer environment.
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_memlore"));
        command.env_clear();
        command.env("HOME", self.path("nobody")).env("MEMLORE_DEVICE", "laptop");
        command.env("MEMLORE_HOME", self.home()).env("MEMLORE_STATE", self.path("state"));
        command.env("MEMLORE_NOW", self.now_us.get().to_string());
        command.current_dir(self.folder.path());
        command
    }

    /// Runs the binary.
    pub(super) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, "")
    }

    /// Runs the binary with something on stdin.
    pub(super) fn run_with(&self, arguments: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // The process may end without reading; then its answer says why.
        child.stdin.take().unwrap().write_all(stdin.as_ref()).ok();
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs the binary in the text mode, which must succeed silently beside the answer.
    pub(super) fn text(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{arguments:?}");
        ran.stdout
    }

    /// Runs the binary with `--json`, which must succeed, and returns its answer.
    pub(super) fn json(&self, arguments: &[&str]) -> Value {
        self.ends(0, arguments)
    }

    /// Runs the binary with `--json`, which must end with this code, and returns its answer.
    pub(super) fn ends(&self, code: i32, arguments: &[&str]) -> Value {
        self.ends_with(code, arguments, "")
    }

    /// Runs the binary with `--json` and something on stdin, which must end with this code.
    pub(super) fn ends_with(&self, code: i32, arguments: &[&str], stdin: impl AsRef<[u8]>) -> Value {
        let ran = self.run_with(&[arguments, &["--json"]].concat(), stdin);
        assert_eq!(ran.code, code, "{arguments:?}\n{}\n{}", ran.stdout, ran.stderr);
        let answer: Value = serde_json::from_str(&ran.stdout).expect("one JSON value on stdout");
        assert_eq!(answer.get("error").is_some(), code != 0, "{answer}");
        if let Some(error) = answer.get("error") {
            assert_eq!(error["exit"], code);
            assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
            assert!(error["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{answer}");
            assert!(error["kind"].is_string() && error["stored"].is_boolean(), "{answer}");
        }
        answer
    }

    /// Adds a text and returns its id.
    pub(super) fn add(&self, text: &str) -> String {
        self.json(&["add", text])["id"].as_str().unwrap().to_owned()
    }

    /// The texts that are listed.
    pub(super) fn texts(&self) -> Vec<String> {
        let listed = self.json(&["list"]);
        let text = |entry: &Value| entry["text"].as_str().unwrap().to_owned();
        listed["entries"].as_array().unwrap().iter().map(text).collect()
    }

    /// Exchanges through a share once.
    pub(super) fn sync(&self, share: &Path) -> Value {
        self.json(&["sync", "--share", share.to_str().unwrap()])
    }
}

/// The keys of an answer, in their order.
pub(super) fn keys(answer: &Value) -> Vec<&str> {
    answer.as_object().unwrap().keys().map(String::as_str).collect()
}
