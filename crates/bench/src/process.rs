//! Processes: memlore itself, other programs, and children of this one whose memory is measured.

use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::turns::timed;
use crate::{device, memory};

/// The first argument of a process that this program starts of itself.
pub(crate) const CHILD: &str = "as-child";

/// What a child of this program is to do in the folder it is given; it prints what it measured.
pub(crate) fn be_child(arguments: &[String]) -> Result<()> {
    let [role, folder, rest @ ..] = arguments else { bail!("a child needs a role and a folder") };
    let folder = Path::new(folder);
    match role.as_str() {
        "add" => memory::add_a_few(folder)?,
        "look" => memory::look(folder)?,
        "take-in" => {
            let share = rest.first().context("a new device needs a share")?;
            println!("{}", device::take_in(folder, Path::new(share))?.as_nanos());
        }
        other => bail!("no child is called {other}"),
    }
    println!("{}", greatest_memory_kib()?);
    Ok(())
}

/// Starts a child and returns what it printed, a number a line.
pub(crate) fn child(role: &str, arguments: &[&Path]) -> Result<Vec<u64>> {
    let output = Command::new(std::env::current_exe()?)
        .args([CHILD, role])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()?;
    let printed = String::from_utf8(output.stdout)?;
    printed.lines().map(|line| line.parse().with_context(|| format!("the child said {line:?}"))).collect()
}

/// The most memory that this process ever had, as the system counts it.
fn greatest_memory_kib() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// Builds the program that is measured beside this one, where cargo is at hand.
pub(crate) fn build_program() -> Result<()> {
    if let Some(cargo) = std::env::var_os("CARGO") {
        let built = Command::new(cargo).args(["build", "--release", "--quiet", "-p", "memlore"]).status()?;
        if !built.success() {
            bail!("memlore cannot be built");
        }
    }
    Ok(())
}

/// The command `memlore` on the home and state in a folder.
pub(crate) fn memlore(folder: &Path, arguments: &[&str]) -> Result<Command> {
    let program: PathBuf = std::env::current_exe()?.with_file_name("memlore");
    let mut command = Command::new(program);
    command.arg("--home").arg(folder.join("home")).arg("--state").arg(folder.join("state")).args(arguments);
    Ok(command)
}

/// The command `sqlite3` on a database.
pub(crate) fn sqlite3(database: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("sqlite3");
    command.arg(database).args(arguments);
    command
}

/// Runs a command to its end and says how long it took.
pub(crate) fn run(mut command: Command) -> Result<Duration> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let (status, passed) = timed(|| Ok(command.status()?))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(passed)
}
