//! rclone's bisync carries the share now and then.

use super::need;
use super::side::{Side, agree, copies, work_at_once};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Bisync {
    shares: [PathBuf; 2],
    /// Where rclone keeps what it remembers.
    memory: tempfile::TempDir,
}

impl Bisync {
    fn run(&self, more: &[&str]) {
        let mut command = Command::new("setpriv");
        command
            .args(["--pdeathsig", "TERM", "timeout", "40", "rclone", "bisync"])
            .args(&self.shares)
            .args(more);
        command.env("HOME", self.memory.path()).env("XDG_CACHE_HOME", self.memory.path());
        command.env("RCLONE_CONFIG", self.memory.path().join("rclone.conf"));
        let ended = command.output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.success(), "rclone bisync {more:?}: {}\n{told}", ended.status);
    }

    /// Carries once.
    fn carry(&self) {
        self.run(&[]);
    }
}

fn joined(a: &Path, b: &Path) -> Bisync {
    need("rclone");
    let bisync = Bisync { shares: [a.to_owned(), b.to_owned()], memory: tempfile::tempdir().unwrap() };
    bisync.shares.iter().for_each(|share| fs::create_dir(share).unwrap());
    bisync
}

#[test]
fn two_devices_that_rclone_joins_now_and_then_end_equal() {
    let mut sides = [Side::new("ann"), Side::new("ben")];
    let bisync = joined(&sides[0].device.path("share"), &sides[1].device.path("share"));
    sides[0].init(&bisync.shares[0]);
    bisync.run(&["--resync"]);
    sides[1].init(&bisync.shares[1]);
    sides[0].add("the office is in Mainz");
    agree(&sides, &|| bisync.carry());

    sides.iter_mut().for_each(|side| side.replace_common("the office is in Mainz"));
    work_at_once(&mut sides, 2);
    bisync.carry();
    work_at_once(&mut sides, 2);
    let [_, _, conflicts] = agree(&sides, &|| bisync.carry());
    assert_eq!(conflicts.as_array().unwrap().len(), 1, "{conflicts:#}");
}

#[test]
fn two_markers_that_rclone_renames_are_one_share() {
    let mut sides = [Side::new("ann"), Side::new("ben")];
    let bisync = joined(&sides[0].device.path("share"), &sides[1].device.path("share"));
    // rclone wants something on both sides before it begins.
    bisync.shares.iter().for_each(|share| fs::write(share.join(".stignore"), "").unwrap());
    bisync.run(&["--resync"]);
    sides.iter().zip(&bisync.shares).for_each(|(side, share)| side.init(share));
    work_at_once(&mut sides, 1);
    bisync.carry();
    assert_eq!(copies(&bisync.shares[0], "memlore.json..path").len(), 2);
    agree(&sides, &|| bisync.carry());
    work_at_once(&mut sides, 1);
    agree(&sides, &|| bisync.carry());
}
