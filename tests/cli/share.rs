//! What is told of the share, how it is kept small, and what a newer version left there.

use super::sandbox::{Sandbox, keys};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Every file below a folder.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

fn segments(share: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = files(share);
    found.retain(|path, _| path.extension().is_some_and(|extension| extension == "seg"));
    found
}

fn lines(answer: &Value, what: &str) -> Vec<String> {
    let lines = answer["share"][what].as_array().unwrap();
    lines.iter().map(|line| line.as_str().unwrap().to_owned()).collect()
}

#[test]
fn compact_merges_at_once_and_deletes_after_the_grace() {
    let sandbox = Sandbox::default();
    let share = sandbox.path("share");
    for text in ["one", "two", "three"] {
        sandbox.add(text);
        sandbox.sync(&share);
    }
    let answer = sandbox.json(&["compact"]);
    assert_eq!(keys(&answer), ["merged", "written", "deleted", "segments", "warnings"]);
    assert_eq!(answer["merged"], json!({"segments": 3}));
    assert_eq!(answer["written"], json!({"records": 3, "segments": 1}));
    assert_eq!((&answer["deleted"]["segments"], &answer["segments"]), (&json!(0), &json!(4)));
    sandbox.wait(7 * 24 * 3_600 - 1);
    assert_eq!(sandbox.json(&["compact"])["deleted"]["segments"], 0);
    sandbox.wait(1);
    assert_eq!(sandbox.json(&["compact"])["deleted"]["segments"], 3);
    assert_eq!(segments(&share).len(), 1);
    sandbox.add("four");
    sandbox.sync(&share);
    let answer = sandbox.json(&["compact", "--grace", "0"]);
    assert_eq!((&answer["deleted"]["segments"], &answer["segments"]), (&json!(2), &json!(1)));
    assert_eq!(sandbox.json(&["sync"])["published"]["records"], 0);
}

#[test]
fn compact_needs_a_share_that_is_there() {
    let sandbox = Sandbox::default();
    sandbox.add("likes tea");
    sandbox.ends(2, &["compact"]);
    let share = sandbox.path("share");
    sandbox.sync(&share);
    fs::remove_dir_all(&share).unwrap();
    let answer = sandbox.ends(6, &["compact"]);
    assert_eq!(answer["error"]["kind"], "unreachable");
}

#[test]
fn a_newer_share_ends_with_7_and_not_a_byte_of_it_is_written() {
    let sandbox = Sandbox::default();
    let share = sandbox.path("share");
    sandbox.add("likes tea");
    sandbox.sync(&share);
    let marker = share.join("memlore.json");
    let mut newer: Value = serde_json::from_slice(&fs::read(&marker).unwrap()).unwrap();
    newer["format"] = json!(2);
    fs::write(&marker, newer.to_string()).unwrap();
    sandbox.add("likes rye bread");
    let before = files(&share);
    let named = share.to_str().unwrap();
    for arguments in [&["sync"][..], &["sync", "--share", named], &["compact"]] {
        let answer = sandbox.ends(7, arguments);
        assert_eq!((&answer["error"]["kind"], &answer["error"]["stored"]), (&json!("newer"), &json!(true)));
    }
    assert_eq!(files(&share), before);
    assert_eq!(sandbox.texts(), ["likes tea", "likes rye bread"], "at home everything goes on");
}

#[test]
fn a_newer_segment_is_left_as_it_is_told_of_and_stops_nothing() {
    let (old, upgraded) = (Sandbox::default(), Sandbox::default());
    let share = old.path("share");
    old.add("from the old version");
    old.sync(&share);
    upgraded.sync(&share);
    upgraded.add("from the new version");
    let before = segments(&share);
    upgraded.sync(&share);
    let (path, bytes) = segments(&share).into_iter().find(|(path, _)| !before.contains_key(path)).unwrap();
    // The major version, and the hash over everything before it.
    let mut newer = bytes.clone();
    newer[8] = 2;
    let end = newer.len() - 32;
    let hash = *blake3::hash(&newer[..end]).as_bytes();
    newer[end..].copy_from_slice(&hash);
    fs::write(&path, &newer).unwrap();
    old.add("told later");
    let answer = old.json(&["sync"]);
    assert_eq!(answer["published"]["records"], 1);
    assert!(answer["warnings"][0].as_str().unwrap().contains("a later version wrote it"), "{answer}");
    assert_eq!(fs::read(&path).unwrap(), newer);
    let status = old.json(&["status"]);
    assert!(lines(&status, "ignored")[0].contains("a later version wrote it"), "{status}");
    assert_eq!(status["share"]["replicas"][0]["behind"], 1);
    assert!(old.text(&["status"]).contains("ignored"));
    // What the newer version writes so that this one can read it is taken as ever.
    fs::write(&path, &bytes).unwrap();
    old.json(&["sync"]);
    let status = old.json(&["status"]);
    assert_eq!((lines(&status, "ignored").len(), &status["share"]["replicas"][0]["behind"]), (0, &json!(0)));
    assert_eq!(old.texts().len(), 3);
}

#[test]
fn status_says_what_waits_for_what_and_what_the_share_lacks() {
    let (one, two) = (Sandbox::default(), Sandbox::default());
    let share = one.path("share");
    one.add("first");
    one.sync(&share);
    two.sync(&share);
    let first = segments(&share);
    for text in ["second", "third"] {
        one.add(text);
        one.sync(&share);
    }
    let second = segments(&share).into_keys().find(|path| path.to_string_lossy().contains("/2to2h")).unwrap();
    let bytes = fs::read(&second).unwrap();
    fs::remove_file(&second).unwrap();
    two.json(&["sync"]);
    let status = two.json(&["status"]);
    let waiting = lines(&status, "waiting");
    assert!(
        waiting[0].contains("1 records of laptop (") && waiting[0].contains("wait for record 2"),
        "{waiting:?}"
    );
    assert_eq!(status["share"]["replicas"][0]["behind"], 1);
    fs::write(&second, &bytes[..bytes.len() - 1]).unwrap();
    two.json(&["sync"]);
    let status = two.json(&["status"]);
    assert!(lines(&status, "waiting")[0].contains("cut off"), "{status}");
    assert!(two.text(&["doctor"]).contains("wait for record 2"));
    fs::write(&second, &bytes).unwrap();
    two.json(&["sync"]);
    assert_eq!(lines(&two.json(&["status"]), "waiting"), Vec::<String>::new());
    // The writer's folder is gone.
    fs::remove_dir_all(first.keys().next().unwrap().parent().unwrap().parent().unwrap()).unwrap();
    two.json(&["sync"]);
    let lacking = lines(&two.json(&["status"]), "lacking");
    assert!(lacking[0].contains("3 records of laptop ("), "{lacking:?}");
    two.sync(&share);
    assert_eq!(lines(&two.json(&["status"]), "lacking"), Vec::<String>::new());
}

#[test]
fn an_address_that_no_bucket_has_is_wrong_usage_and_is_not_remembered() {
    let sandbox = Sandbox::default();
    sandbox.add("likes tea");
    for address in ["s3://", "s3:///folder", "gs://"] {
        let answer = sandbox.ends(2, &["sync", "--share", address]);
        assert_eq!((&answer["error"]["kind"], &answer["error"]["stored"]), (&json!("address"), &json!(true)));
    }
    sandbox.json(&["sync"]);
}

#[test]
fn a_torn_marker_is_told_of_and_made_again_when_somebody_deletes_it_as_told() {
    let sandbox = Sandbox::default();
    let share = sandbox.path("share");
    sandbox.add("likes tea");
    sandbox.sync(&share);
    let marker = share.join("memlore.json");
    let whole = fs::read(&marker).unwrap();
    fs::write(&marker, &whole[..whole.len() / 2]).unwrap();
    let answer = sandbox.ends(6, &["sync"]);
    assert!(answer["error"]["message"].as_str().unwrap().contains("can be deleted"), "{answer}");
    fs::remove_file(&marker).unwrap();
    sandbox.ends(6, &["sync"]);
    sandbox.sync(&share);
    assert_eq!(fs::read(&marker).unwrap(), whole);
}
