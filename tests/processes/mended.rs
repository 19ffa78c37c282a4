//! What must hold where a place fails or a state comes from the past.

use crate::device::Device;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(copied.success());
}

fn sync(device: &Device) -> Value {
    device.run(&["sync"]).1
}

fn texts(device: &Device) -> Vec<String> {
    let mut texts = device.texts();
    texts.sort();
    texts
}

/// Two devices around one share.
fn two() -> (Device, Device) {
    let (ada, bob) = (Device::default(), Device::default());
    let share = ada.path("share");
    for device in [&ada, &bob] {
        device.json(&["init", "--share", share.to_str().unwrap()]);
    }
    (ada, bob)
}

#[test]
fn a_state_from_a_backup_that_writes_before_it_syncs_loses_nothing_and_is_heard() {
    let (ada, bob) = two();
    ada.json(&["add", "before"]);
    ada.json(&["add", "removed after the backup"]);
    sync(&ada);
    sync(&bob);
    copy(&ada.path("state"), &ada.path("backup"));
    ada.json(&["add", "after the backup"]);
    ada.json(&["remove", "removed after the backup"]);
    sync(&ada);
    sync(&bob);
    fs::remove_dir_all(ada.path("state")).unwrap();
    fs::rename(ada.path("backup"), ada.path("state")).unwrap();
    let identity = |device: &Device| device.json(&["status"])["replica"].clone();
    let old = identity(&ada);
    ada.json(&["add", "written by the restored state"]);
    ada.json(&["replace", "before", "before, and changed"]);
    for device in [&ada, &bob, &ada] {
        sync(device);
    }
    ada.json(&["add", "later"]);
    sync(&ada);
    sync(&bob);
    let all = ["after the backup", "before, and changed", "later", "written by the restored state"];
    assert_eq!(texts(&ada), all);
    assert_eq!(texts(&bob), all);
    assert_ne!(identity(&ada), old);
    for device in [&ada, &bob] {
        device.json(&["doctor", "--deep"]);
        let quiet = sync(device);
        assert_eq!(quiet["imported"]["records"], 0);
        assert_eq!(quiet["published"]["records"], 0);
        assert_eq!(quiet["waiting"].as_array().map(Vec::len), Some(0), "{quiet:#}");
    }
}

#[test]
fn two_copies_that_both_wrote_under_one_id_keep_what_both_wrote() {
    let (ada, bob) = two();
    ada.json(&["add", "shared"]);
    sync(&ada);
    // The copy stands where the original stood, so nothing but the share can tell.
    copy(&ada.path("state"), &ada.path("copy"));
    ada.json(&["add", "by the original"]);
    sync(&ada);
    fs::rename(ada.path("state"), ada.path("original")).unwrap();
    fs::rename(ada.path("copy"), ada.path("state")).unwrap();
    ada.json(&["add", "by the copy"]);
    ada.json(&["remove", "shared"]);
    sync(&ada);
    fs::rename(ada.path("state"), ada.path("copy")).unwrap();
    fs::rename(ada.path("original"), ada.path("state")).unwrap();
    ada.json(&["add", "by the original, later"]);
    for device in [&ada, &bob, &ada] {
        sync(device);
    }
    let all = ["by the copy", "by the original", "by the original, later"];
    assert_eq!(texts(&bob), all);
    assert_eq!(texts(&ada), all);
}

#[test]
fn a_segment_that_was_damaged_is_published_again() {
    let (ada, bob) = two();
    ada.json(&["add", "tea"]);
    sync(&ada);
    for replica in fs::read_dir(ada.path("share/r")).unwrap().flatten() {
        for segment in fs::read_dir(replica.path().join("m")).into_iter().flatten().flatten() {
            fs::write(segment.path(), b"").unwrap();
        }
    }
    sync(&ada);
    sync(&bob);
    assert_eq!(texts(&bob), ["tea"]);
}

#[test]
fn undo_reaches_past_an_operation_that_left_nothing_to_reverse() {
    let device = Device::default();
    for text in ["tea", "coffee", "coffee"] {
        device.json(&["add", text]);
    }
    device.json(&["undo"]);
    assert_eq!(texts(&device), ["tea"]);
}

#[test]
fn a_list_of_another_time_is_no_context_for_what_lives_now() {
    let device = Device::default();
    device.json(&["add", "tea"]);
    for list in [&["list", "--at", "0"][..], &["list", "--removed"]] {
        let context = device.json(list)["context"].as_str().unwrap().to_owned();
        let (code, _) = device.run(&["remove", "tea", "--context", &context]);
        assert_eq!(code, 1);
    }
    assert_eq!(texts(&device), ["tea"]);
}

#[test]
fn a_file_of_nothing_but_delimiters_removes_nothing() {
    let device = Device::default();
    device.json(&["add", "tea"]);
    fs::write(device.view(), "\n§\n\n§\n").unwrap();
    let imported = device.json(&["import"]);
    assert_eq!(imported["removed"], 0);
    assert_eq!(device.shown(), ["tea"]);
}

#[test]
fn the_home_and_the_state_are_no_share() {
    let device = Device::default();
    device.json(&["add", "tea"]);
    for folder in ["home", "state"] {
        let (code, _) = device.run(&["sync", "--share", device.path(folder).to_str().unwrap()]);
        assert_eq!(code, 3, "{folder}");
    }
    let (code, _) = device.run(&["sync", "--share", "ftp://bucket/x"]);
    assert_eq!(code, 3);
}

#[test]
fn a_database_that_is_gone_is_told_apart_from_a_memory_that_never_was() {
    let device = Device::default();
    device.json(&["add", "tea"]);
    fs::remove_file(device.path("state/memlore.db")).unwrap();
    assert_eq!(device.run(&["list"]).0, 5);
    device.run(&["add", "coffee"]);
    assert_eq!(texts(&device), ["coffee", "tea"]);
}

#[test]
fn where_no_link_can_be_made_a_view_that_could_not_be_written_is_no_edit() {
    let elsewhere = tempfile::Builder::new().tempdir_in("/dev/shm").unwrap();
    let device = Device::default();
    let home = elsewhere.path().join("home");
    let memlore = |arguments: &[&str]| {
        let output =
            device.command().env("MEMLORE_HOME", &home).args(arguments).arg("--json").output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    };
    memlore(&["add", "one"]);
    let view = home.join("memories/MEMORY.md");
    // A folder in the file's place: nothing can be renamed over it, and nothing read.
    let kept = home.join("memories/kept");
    fs::rename(&view, &kept).unwrap();
    fs::create_dir(&view).unwrap();
    memlore(&["add", "two"]);
    memlore(&["add", "three"]);
    fs::remove_dir(&view).unwrap();
    fs::rename(&kept, &view).unwrap();
    let imported = memlore(&["import"]);
    assert_eq!(imported["held"], 0, "{imported:#}");
    memlore(&["import", "--confirm"]);
    let entries = memlore(&["list"])["entries"].as_array().unwrap().len();
    assert_eq!(entries, 3);
}

#[test]
fn a_file_cut_off_anywhere_inside_its_last_entry_changes_nothing() {
    let device = Device::default();
    device.json(&["add", "likes tea"]);
    device.json(&["add", "ships on Tuesdays and not on Fridays"]);
    let whole = fs::read(device.view()).unwrap();
    for end in ("likes tea\n§\n".len() + 1..whole.len()).step_by(3) {
        fs::write(device.view(), &whole[..end]).unwrap();
        let imported = device.json(&["import"]);
        assert_eq!((&imported["removed"], &imported["replaced"]), (&0.into(), &0.into()), "{end}");
        assert_eq!(fs::read(device.view()).unwrap(), whole);
    }
}

#[test]
fn a_memory_that_is_there_already_gets_its_share_by_init() {
    let device = Device::default();
    device.json(&["add", "tea"]);
    let share = device.path("share");
    let (code, _) = device.run(&["init", "--share", device.path("nowhere/share").to_str().unwrap()]);
    assert_eq!(code, 6);
    let answer = device.json(&["init", "--share", share.to_str().unwrap()]);
    assert_eq!(answer["share"], share.to_str().unwrap());
    assert!(share.join("memlore.json").is_file());
    device.json(&["sync"]);
}
