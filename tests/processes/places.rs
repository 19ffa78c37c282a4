//! Where a view's file lies: behind links, with modes of its own, in folders that cannot be written.

use crate::device::{Device, names};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// The user that owns nothing.
const NOBODY: u32 = 65_534;

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

/// A device of a user who has no rights beyond their own, also where the tests run as root.
struct Plain {
    device: Device,
    binary: PathBuf,
}

impl Plain {
    fn new() -> Self {
        let device = Device::default();
        let binary = device.path("memlore");
        fs::copy(env!("CARGO_BIN_EXE_memlore"), &binary).unwrap();
        let plain = Self { device, binary };
        if is_root() {
            for path in [plain.device.path("."), plain.device.home()] {
                chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
        plain
    }

    fn run(&self, arguments: &[&str]) -> Value {
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            let nobody = NOBODY.to_string();
            command.args(["--reuid", &nobody, "--regid", &nobody, "--clear-groups"]).arg(&self.binary);
            command
        } else {
            Command::new(&self.binary)
        };
        let path = std::env::var_os("PATH").unwrap_or_default();
        self.device.environment(&mut command);
        let output = command.env("PATH", path).args(arguments).arg("--json").output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {told}{}", String::from_utf8_lossy(&output.stdout));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn warnings(&self, arguments: &[&str]) -> Vec<String> {
        let answer = self.run(arguments);
        answer["warnings"].as_array().unwrap().iter().map(|warning| warning.to_string()).collect()
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn assert_no_temp_file(folder: &Path) {
    let left: Vec<_> = names(folder).into_iter().filter(|name| name.contains("tmp")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_written() {
    let elsewhere = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    for target in [PathBuf::from("../../dotfiles/MEMORY.md"), elsewhere.path().join("MEMORY.md")] {
        for (chain, dangling) in [(false, false), (true, false), (false, true)] {
            let device = Device::default();
            fs::create_dir_all(device.path("dotfiles")).unwrap();
            fs::create_dir(device.memories()).unwrap();
            let file = device.memories().join(&target);
            fs::remove_file(&file).ok();
            if !dangling {
                fs::write(&file, "from before").unwrap();
                set_mode(&file, 0o640);
            }
            if chain {
                symlink(&target, device.memories().join("first")).unwrap();
                symlink("first", device.view()).unwrap();
            } else {
                symlink(&target, device.view()).unwrap();
            }
            device.json(&["add", "likes tea"]);
            assert!(fs::symlink_metadata(device.view()).unwrap().is_symlink());
            let expected = if dangling { "likes tea" } else { "from before\n§\nlikes tea" };
            assert_eq!(fs::read_to_string(&file).unwrap(), expected, "{target:?} {chain} {dangling}");
            assert_eq!(mode(&file), if dangling { 0o600 } else { 0o640 });
            assert_no_temp_file(file.parent().unwrap());
            assert_no_temp_file(&device.memories());
        }
    }
}

#[test]
fn links_in_a_circle_are_told_and_the_entry_is_stored() {
    let device = Device::default();
    fs::create_dir(device.memories()).unwrap();
    symlink("other", device.view()).unwrap();
    symlink("MEMORY.md", device.memories().join("other")).unwrap();
    let added = device.json(&["add", "likes tea"]);
    assert_ne!(added["warnings"].as_array().unwrap().len(), 0, "{added}");
    fs::remove_file(device.view()).unwrap();
    assert_eq!(device.texts(), ["likes tea"]);
    assert_eq!(device.read_view(), "likes tea");
}

#[test]
fn modes_are_kept_and_new_files_are_private() {
    let plain = Plain::new();
    plain.run(&["add", "one"]);
    assert_eq!(mode(&plain.device.view()), 0o600);
    for (kept, text) in [(0o640, "two"), (0o664, "three"), (0o444, "four")] {
        set_mode(&plain.device.view(), kept);
        assert!(plain.warnings(&["add", text]).is_empty());
        assert_eq!(mode(&plain.device.view()), kept);
    }
    assert_eq!(plain.device.shown(), ["one", "two", "three", "four"]);
}

#[test]
fn a_folder_that_cannot_be_written_fails_no_add() {
    let plain = Plain::new();
    plain.run(&["add", "one"]);
    set_mode(&plain.device.memories(), 0o555);
    assert_eq!(plain.warnings(&["add", "two"]).len(), 1);
    assert_eq!(plain.device.shown(), ["one"]);
    let listed = plain.run(&["list"]);
    assert_eq!(listed["entries"].as_array().unwrap().len(), 2);
    assert!(plain.run(&["status"]).to_string().contains("cannot be written"));
    set_mode(&plain.device.memories(), 0o755);
    assert!(plain.warnings(&["render"]).is_empty());
    assert_eq!(plain.device.shown(), ["one", "two"]);
    assert_no_temp_file(&plain.device.memories());
}

#[expect(clippy::print_stdout, reason = "a test that cannot say anything says so")]
fn only_for_root() {
    println!("only root can lay down another user's file; this test has nothing to say here");
}

/// Somebody else's file in a folder where everybody may write, but replace only what is their own: renaming over it is
/// refused until the folder's mode changes, as it is on other systems while a scanner holds a file.
fn held() -> Option<Plain> {
    if !is_root() {
        only_for_root();
        return None;
    }
    let plain = Plain::new();
    plain.run(&["add", "one"]);
    chown(plain.device.memories(), Some(0), Some(0)).unwrap();
    chown(plain.device.view(), Some(0), Some(0)).unwrap();
    set_mode(&plain.device.view(), 0o666);
    set_mode(&plain.device.memories(), 0o1777);
    Some(plain)
}

#[test]
fn a_file_that_is_held_for_a_moment_is_written_all_the_same() {
    let Some(plain) = held() else { return };
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(150));
            set_mode(&plain.device.memories(), 0o777);
        });
        assert_eq!(plain.warnings(&["add", "two"]), Vec::<String>::new());
    });
    assert_eq!(plain.device.shown(), ["one", "two"]);
    assert_no_temp_file(&plain.device.memories());
}

#[test]
fn a_file_that_is_held_for_good_fails_no_add_and_is_mended_later() {
    let Some(plain) = held() else { return };
    let began = Instant::now();
    assert_eq!(plain.warnings(&["add", "two"]).len(), 1);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert_eq!(plain.device.shown(), ["one"]);
    assert_no_temp_file(&plain.device.memories());
    set_mode(&plain.device.memories(), 0o777);
    assert!(plain.warnings(&["add", "three"]).is_empty());
    assert_eq!(plain.device.shown(), ["one", "two", "three"]);
}
