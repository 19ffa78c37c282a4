//! A person at a terminal sees how far a new device has come; nobody else is told.

use super::sandbox::Sandbox;
use rusqlite::Connection;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

/// Runs the binary with a terminal as its stderr; returns what it drew.
fn at_a_terminal(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&ours).unwrap();
    unlockpt(&ours).unwrap();
    let size = Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(&ours, size).unwrap();
    let name = ptsname(&ours, Vec::new()).unwrap();
    let theirs = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    let mut command = sandbox.command();
    command.args(arguments).env("TERM", "xterm").stdin(Stdio::null()).stdout(Stdio::null()).stderr(theirs);
    let mut child = command.spawn().unwrap();
    // Our own end of their side goes, so that reading ends with the process.
    drop(command);
    let mut drawn = Vec::new();
    // At its end Linux tells of an error.
    File::from(ours).read_to_end(&mut drawn).ok();
    assert!(child.wait().unwrap().success());
    String::from_utf8_lossy(&drawn).into_owned()
}

/// A device that is new to a share in which something lies.
fn newcomer(share: &Path) -> Sandbox {
    let writer = Sandbox::default();
    writer.add("likes tea");
    writer.sync(share);
    let newcomer = Sandbox::default();
    newcomer.add("likes coffee");
    newcomer
}

/// Keeps everybody else from writing to a device's database for longer than the bar waits.
fn hold(sandbox: &Sandbox) -> std::thread::JoinHandle<()> {
    let database = Connection::open(sandbox.path("state").join("memlore.db")).unwrap();
    database.execute_batch("begin immediate").unwrap();
    std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(1_200));
        database.execute_batch("rollback").unwrap();
    })
}

#[test]
fn a_bar_is_drawn_at_a_terminal_when_taking_in_lasts() {
    let place = tempfile::tempdir().unwrap();
    let share = place.path().join("share");
    let sandbox = newcomer(&share);
    let held = hold(&sandbox);
    let drawn = at_a_terminal(&sandbox, &["sync", "--share", share.to_str().unwrap()]);
    held.join().unwrap();
    assert!(drawn.contains("taking in what others published ["), "{drawn:?}");
    let last = drawn.rsplit('\r').next().unwrap_or_default();
    assert!(!last.contains("taking in"), "it is gone in the end: {drawn:?}");
}

#[test]
fn no_bar_is_drawn_for_programs_for_who_wants_quiet_and_for_what_is_soon_done() {
    let place = tempfile::tempdir().unwrap();
    let share = place.path().join("share");
    let name = share.to_str().unwrap();
    for arguments in [["sync", "--share", name, "--json"], ["sync", "--share", name, "--quiet"]] {
        let sandbox = newcomer(&share);
        let held = hold(&sandbox);
        let drawn = at_a_terminal(&sandbox, &arguments);
        held.join().unwrap();
        assert_eq!(drawn, "", "{arguments:?}");
    }
    let sandbox = newcomer(&share);
    let held = hold(&sandbox);
    sandbox.text(&["sync", "--share", name]);
    held.join().unwrap();
    sandbox.add("likes milk");
    assert_eq!(at_a_terminal(&sandbox, &["sync"]), "");
}
