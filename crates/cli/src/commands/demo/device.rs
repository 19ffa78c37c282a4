//! A device of the demo: a home, a state, and real processes that work on them.

use crate::error::CommandError;
use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A device, as far as the demo is concerned.
pub(super) struct Device {
    pub(super) name: &'static str,
    home: PathBuf,
    state: PathBuf,
    share: PathBuf,
}

/// A process at work.
pub(super) struct Process {
    child: Child,
    doing: String,
}

impl Device {
    /// A device whose folders lie below this one.
    pub(super) fn new(folder: &Path, name: &'static str) -> Self {
        let own = folder.join(name);
        Self { name, home: own.join("home"), state: own.join("state"), share: folder.join("share") }
    }

    /// Makes the device's memory, joined to the share.
    pub(super) fn init(&self) -> Result<(), CommandError> {
        let share = self.share.to_string_lossy();
        self.ask(&["init", "--dialect", "hermes", "--entry-limit", "300:utf16", "--share", &share])?;
        self.ask(&["sync", "--share", &share])?;
        Ok(())
    }

    /// Runs one process to its end and returns its answer.
    pub(super) fn ask(&self, arguments: &[&str]) -> Result<Value, CommandError> {
        self.start(arguments, "")?.answer()
    }

    /// Starts a process of this very program.
    pub(super) fn start(&self, arguments: &[&str], stdin: &str) -> Result<Process, CommandError> {
        let doing = format!("memlore {} on the {}", arguments.join(" "), self.name);
        let broken = |problem| CommandError::io(format!("cannot run {doing}"), &problem);
        let program = std::env::current_exe().map_err(broken)?;
        let mut child = Command::new(program)
            .env_remove("MEMLORE_NOW")
            .env_remove("MEMLORE_LOG")
            .args(["--json", "--quiet", "--agent", "demo", "--device", self.name])
            .arg("--home")
            .arg(&self.home)
            .arg("--state")
            .arg(&self.state)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(broken)?;
        if let Some(mut pipe) = child.stdin.take() {
            // A process that ended early says why in its answer.
            pipe.write_all(stdin.as_bytes()).ok();
        }
        Ok(Process { child, doing })
    }

    /// The folder that hermes-agent keeps its memory in.
    fn memories(&self) -> PathBuf {
        self.home.join("memories")
    }

    /// The device's MEMORY.md.
    fn view(&self) -> PathBuf {
        self.memories().join("MEMORY.md")
    }

    /// What MEMORY.md holds.
    pub(super) fn read_view(&self) -> Result<String, CommandError> {
        let path = self.view();
        std::fs::read_to_string(&path)
            .map_err(|problem| CommandError::io(format!("cannot read {}", path.display()), &problem))
    }

    /// Writes a file of memories, as a program does that knows nothing of memlore.
    pub(super) fn write(&self, name: &str, content: &str) -> Result<(), CommandError> {
        let path = self.memories().join(name);
        std::fs::write(&path, content)
            .map_err(|problem| CommandError::io(format!("cannot write {}", path.display()), &problem))
    }
}

impl Process {
    /// Waits for the process and returns its answer.
    pub(super) fn answer(self) -> Result<Value, CommandError> {
        let Self { child, doing } = self;
        let output = child
            .wait_with_output()
            .map_err(|problem| CommandError::io(format!("cannot wait for {doing}"), &problem))?;
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        if output.status.success() {
            return Ok(answer);
        }
        let message = answer["error"]["message"].as_str().unwrap_or("it answered nothing").to_owned();
        let error = CommandError::new(crate::error::Exit::Busy, "demo", format!("{doing} failed"));
        Err(CommandError { causes: vec![message], ..error }
            .hint("`memlore demo --keep` leaves the folder behind"))
    }
}
