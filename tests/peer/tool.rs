//! hermes' own tool on a home that memlore keeps.

use super::hermes::{assert_no_backup, must, tool};
use crate::device::Device;
use serde_json::json;
use std::fs;
use std::path::Path;

#[test]
fn hermes_works_on_what_memlore_rendered() {
    let device = Device::default();
    for text in ["likes tea", "two\nlines", "a\n§\nb", "a § inside a line"] {
        device.json(&["add", text]);
    }
    let answers = tool(
        &device,
        &[
            json!({"action": "add", "content": "by hermes"}),
            json!({"action": "replace", "old_text": "likes tea", "content": "likes green tea"}),
            json!({"action": "remove", "old_text": "two\nlines"}),
        ],
    );
    for answer in &answers {
        assert_eq!(answer["success"], true, "{answer}");
    }
    assert_no_backup(&device);
    let mut texts = device.texts();
    texts.sort();
    assert_eq!(texts, ["a\n§\nb", "a § inside a line", "by hermes", "likes green tea"]);
    assert_no_backup(&device);
}

#[test]
fn what_hermes_changes_is_taken_up_at_once_whether_memlore_runs_in_between_or_not() {
    for looks in [true, false] {
        let device = Device::default();
        for n in 0..8 {
            device.json(&["add", &format!("matter number {n} of many")]);
        }
        let look = || {
            if looks {
                drop(device.json(&["import"]));
            }
        };
        must(&device, json!({"action": "add", "content": "something else entirely"}));
        look();
        must(&device, json!({"action": "replace", "old_text": "number 3", "content": "an unlike text"}));
        look();
        must(&device, json!({"action": "remove", "old_text": "number 5"}));
        look();
        must(&device, json!({"action": "remove", "old_text": "something else"}));
        look();
        let imported = device.json(&["import"]);
        assert_eq!(imported["held"], 0, "{imported}");
        let texts = device.texts();
        assert_eq!(texts.len(), 7, "{texts:?}");
        assert!(texts.iter().any(|text| text == "an unlike text"));
        assert!(!texts.iter().any(|text| text.contains("number 3") || text.contains("number 5")));
        assert_eq!(device.shown(), texts);
        assert_no_backup(&device);
    }
}

#[test]
fn a_home_as_hermes_left_it_comes_back_to_the_byte() {
    let device = Device::default();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/hermes-0.19.0/memories");
    fs::create_dir(device.memories()).unwrap();
    for name in ["MEMORY.md", "USER.md"] {
        fs::copy(fixture.join(name), device.memories().join(name)).unwrap();
    }
    device.json(&["init"]);
    device.json(&["render"]);
    for name in ["MEMORY.md", "USER.md"] {
        assert_eq!(
            fs::read(device.memories().join(name)).unwrap(),
            fs::read(fixture.join(name)).unwrap(),
            "{name}"
        );
    }
    // Made again out of the store alone, it is the same.
    fs::remove_file(device.view()).unwrap();
    device.json(&["render"]);
    assert_eq!(fs::read(device.view()).unwrap(), fs::read(fixture.join("MEMORY.md")).unwrap());
    must(&device, json!({"action": "add", "content": "and on it goes"}));
    assert_eq!(device.texts().len(), 11);
    assert_no_backup(&device);
}
