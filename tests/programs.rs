//! Two devices joined by a real program: Syncthing, rclone, or an S3 server.
//!
//! The sync programs are those of Debian's packages `syncthing` and `rclone`; moto, from Python's registry, plays S3. They speak to nobody but each other, on
//! loopback, and end with the test.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

mod buckets;
mod node;
mod rclone;
mod s3;
mod side;
mod syncthing;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Fails the test with words that help when a program is not there.
fn need(program: &str) {
    let there = Command::new(program).arg("--version").output();
    assert!(
        there.is_ok_and(|output| output.status.success()),
        "this test runs the real {program}, which is not installed: `apt-get install {program}`, or .ci/run"
    );
}

/// Waits until something holds, for a bounded time.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(40), "waited in vain until {what}");
        thread::sleep(Duration::from_millis(100));
    }
}

/// Every file below a folder with its bytes; what memlore takes for a sync program's own is left out.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in std::fs::read_dir(inner).unwrap().flatten() {
            let path = entry.path();
            if memlore_exchange::ignored(&entry.file_name().to_string_lossy()) {
                continue;
            } else if path.is_dir() {
                folders.push(path);
            } else if let Ok(bytes) = std::fs::read(&path) {
                files.insert(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned(), bytes);
            }
        }
    }
    files
}
