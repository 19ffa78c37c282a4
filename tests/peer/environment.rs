//! The Python environment with hermes-agent in it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What is installed: the wheel alone, enough for its memory tool and its session database.
const PACKAGES: [&str; 2] = ["hermes-agent==0.19.0", "pyyaml"];

/// The interpreter of the environment; it is made when nobody names one and none was made before.
pub(crate) fn python() -> PathBuf {
    if let Some(named) = std::env::var_os("MEMLORE_HERMES_PYTHON").filter(|named| !named.is_empty()) {
        return named.into();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../hermes-env");
    let python = folder.join("bin/python");
    let made = folder.join("made");
    let lock = File::create(folder.with_extension("lock")).unwrap();
    lock.lock().unwrap();
    if !made.exists() {
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder));
        let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"];
        run(Command::new(&python).args(pip).args(PACKAGES));
        fs::write(made, "").unwrap();
    }
    python
}

fn run(command: &mut Command) {
    let ended = command.output();
    let told = match &ended {
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    assert!(
        ended.is_ok_and(|output| output.status.success()),
        "{command:?} failed: {told}\n\
         These tests need python3 with venv and pip, and {PACKAGES:?} from its registry; or name an interpreter that has \
         them with MEMLORE_HERMES_PYTHON."
    );
}
