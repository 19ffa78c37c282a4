//! Where and with what was measured.

use anyhow::Result;
use std::process::Command;

use crate::hermes;
use crate::scratch::Scratch;

/// The date, the machine and the versions, in a sentence.
pub(crate) fn described(scratch: &Scratch) -> Result<String> {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let cores = std::thread::available_parallelism()?;
    let disk = said("df", &["--output=fstype", &scratch.path("").to_string_lossy()]);
    let disk = disk.lines().last().unwrap_or_default();
    let hermes = hermes::python().map(|python| {
        let ask = "import importlib.metadata as m; print(m.version('hermes-agent'))";
        said(&python.to_string_lossy(), &["-c", ask])
    });
    let sqlite3 = said("sqlite3", &["--version"]);
    Ok(format!(
        "{}, {}, {cores} cores of {}, {disk}; memlore {} with SQLite {}, sqlite3 {}, hermes-agent {}, {}.",
        said("date", &["-u", "+%F"]),
        said("uname", &["-sr"]),
        cpu.trim_start_matches([' ', '\t', ':']),
        env!("CARGO_PKG_VERSION"),
        rusqlite::version(),
        sqlite3.split(' ').next().unwrap_or_default(),
        hermes.as_deref().unwrap_or("none"),
        said("rustc", &["--version"]),
    ))
}

fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let said = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    said.unwrap_or_else(|_| format!("no {program}"))
}
