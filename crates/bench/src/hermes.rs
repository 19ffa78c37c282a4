//! hermes-agent's own memory store, in a process of its own that lives as long as the measurement.

use anyhow::{Context as _, Result};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::scratch::text;

const ADD: &str = include_str!("hermes_add.py");
const APPEND: &str = include_str!("hermes_append.py");

/// The interpreter that has hermes-agent, where there is one.
pub(crate) fn python() -> Option<PathBuf> {
    let named = std::env::var_os("MEMLORE_HERMES_PYTHON").map(PathBuf::from);
    let made = std::path::absolute("target/hermes-env/bin/python").ok();
    named.into_iter().chain(made).find(|path| path.is_file())
}

/// A `MemoryStore` with 100 entries, or a `SessionDB` with as many messages.
pub(crate) struct Hermes {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    next: usize,
}

impl Hermes {
    /// Starts its memory on an empty home.
    pub(crate) fn start(python: &Path, home: &Path) -> Result<Self> {
        Self::drive(ADD, python, home)
    }

    /// Starts its log of conversations on an empty home.
    pub(crate) fn start_log(python: &Path, home: &Path) -> Result<Self> {
        Self::drive(APPEND, python, home)
    }

    fn drive(script: &str, python: &Path, home: &Path) -> Result<Self> {
        std::fs::create_dir_all(home.join("memories"))?;
        let driver = home.join("driver.py");
        std::fs::write(&driver, script)?;
        let mut child = Command::new(python)
            .arg(driver)
            .arg(home)
            .current_dir(home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().context("its stdin is a pipe")?;
        let stdout = BufReader::new(child.stdout.take().context("its stdout is a pipe")?);
        let mut hermes = Self { child, stdin, stdout, next: 100 };
        for number in 0..100 {
            hermes.ask("+", number)?;
        }
        Ok(hermes)
    }

    /// Adds an entry and takes it away again, or appends a message; the time is that of the one, taken inside.
    pub(crate) fn add(&mut self) -> Result<Duration> {
        self.next += 1;
        self.ask("", self.next)
    }

    fn ask(&mut self, stays: &str, number: usize) -> Result<Duration> {
        writeln!(self.stdin, "{stays}{}", serde_json::Value::from(text(number)))?;
        let mut answer = String::new();
        self.stdout.read_line(&mut answer)?;
        Ok(Duration::from_nanos(answer.trim().parse().context("hermes gave no answer")?))
    }
}

impl Drop for Hermes {
    fn drop(&mut self) {
        // It holds nothing that anybody needs.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
