//! hermes instances that live long.

use super::hermes::{Instance, assert_no_backup, must};
use crate::device::Device;
use serde_json::json;
use std::thread;
use std::time::Duration;

#[test]
fn an_instance_that_saves_its_old_snapshot_loses_nothing_and_brings_nothing_back() {
    for looks in [true, false] {
        let device = Device::default();
        for text in ["likes tea", "works on Tuesdays", "old and wrong"] {
            device.json(&["add", text]);
        }
        let mut old = Instance::start(&device);
        device.json(&["add", "added since"]);
        device.json(&["remove", "old and wrong"]);
        device.json(&["replace", "works on Tuesdays", "works on Fridays"]);
        must(&device, json!({"action": "add", "content": "by another hermes"}));
        if looks {
            device.json(&["import"]);
        }
        // Nobody else reads the file in the very second in which it saves.
        thread::sleep(Duration::from_millis(1_200));
        old.order(&json!({"do": "save"}));
        device.json(&["import"]);
        let mut texts = device.texts();
        texts.sort();
        // What another hermes wrote and nobody took in before it was overwritten was never memlore's to keep.
        texts.retain(|text| text != "by another hermes");
        assert_eq!(texts, ["added since", "likes tea", "works on Fridays"]);
        if looks {
            assert!(device.texts().contains(&"by another hermes".to_owned()));
        }
        // It saves again, and again nothing happens.
        old.order(&json!({"do": "save"}));
        let before = device.texts();
        device.json(&["import"]);
        assert_eq!(device.texts(), before);
        assert_eq!(device.shown(), before);
    }
}

#[test]
fn an_instance_that_read_long_ago_may_still_remove_what_it_reads_again() {
    let device = Device::default();
    for n in 0..6 {
        device.json(&["add", &format!("matter number {n} of many")]);
    }
    let mut hermes = Instance::start(&device);
    thread::sleep(Duration::from_millis(1_200));
    hermes.must(&json!({"do": "remove", "old_text": "number 2"}));
    assert_eq!(device.texts().len(), 5);
    thread::sleep(Duration::from_millis(1_200));
    hermes.must(&json!({"do": "replace", "old_text": "number 4", "new_content": "an unlike text"}));
    hermes.must(&json!({"do": "add", "content": "and one more"}));
    let texts = device.texts();
    assert_eq!(texts.len(), 6, "{texts:?}");
    assert!(!texts.iter().any(|text| text.contains("number 4")), "{texts:?}");
    assert_no_backup(&device);
}
