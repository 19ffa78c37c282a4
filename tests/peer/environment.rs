//! Python environments with programs of others in them.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The interpreter of the environment with hermes-agent: the wheel alone, enough for its memory tool and its session
/// database.
pub(crate) fn python() -> PathBuf {
    python_with("MEMLORE_HERMES_PYTHON", "hermes-env", &["--no-deps", "hermes-agent==0.19.0", "pyyaml"])
}

/// The interpreter of an environment in which pip was asked for these packages.
///
/// It is made below the target folder when no variable names one and none was made before.
pub(crate) fn python_with(variable: &str, folder: &str, asked: &[&str]) -> PathBuf {
    if let Some(named) = std::env::var_os(variable).filter(|named| !named.is_empty()) {
        return named.into();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("..").join(folder);
    let python = folder.join("bin/python");
    let made = folder.join("made");
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !made.exists() {
        let help =
            format!("these tests need python3 with venv and pip; or name an interpreter with {variable}");
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder), &help);
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
        run(Command::new(&python).args(pip).args(asked), &help);
        fs::write(made, "").unwrap();
    }
    python
}

fn run(command: &mut Command, help: &str) {
    let ended = command.output();
    let told = match &ended {
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    assert!(ended.is_ok_and(|output| output.status.success()), "{command:?} failed: {told}\n{help}");
}
