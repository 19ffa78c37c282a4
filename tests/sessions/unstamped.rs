//! Lines without timestamps, as older programs wrote them.

use super::talk::{append, contents, lines, meet, pending, recover, said};
use crate::device::Device;
use serde_json::{Value, json};
use std::fs;

fn plain(texts: &[&str]) -> String {
    lines(&texts.iter().map(|text| json!({"role": "user", "content": text})).collect::<Vec<Value>>())
}

#[test]
fn what_a_file_repeats_of_its_conversation_is_not_stored_again() {
    let device = Device::default();
    append(&device, "s", &[said("user", "a", 1), said("user", "b", 2), said("user", "c", 3)], "stored");
    fs::write(pending(&device, "s.pending.jsonl"), plain(&["b", "c", "d"])).unwrap();
    assert_eq!(recover(&device).1["recovered"], 1);
    assert_eq!(contents(&device, "s"), ["a", "b", "c", "d"]);
    fs::write(pending(&device, "s.pending.jsonl"), plain(&["b", "c", "d", "e"])).unwrap();
    recover(&device);
    assert_eq!(contents(&device, "s"), ["a", "b", "c", "d", "e"]);
}

#[test]
fn a_conversation_handed_over_whole_at_each_turn_is_stored_once() {
    let device = Device::default();
    let mut talk = Vec::new();
    for text in ["hi", "yes", "yes", "no", "yes", "yes"] {
        talk.push(text);
        fs::write(pending(&device, "s.pending.jsonl"), plain(&talk)).unwrap();
        recover(&device);
        assert_eq!(contents(&device, "s"), talk);
    }
}

#[test]
fn one_message_alone_repeats_nothing_unless_it_is_the_whole_file() {
    let device = Device::default();
    append(&device, "s", &[said("user", "a", 1), said("user", "yes", 2)], "stored");
    fs::write(pending(&device, "s.pending.jsonl"), plain(&["yes", "new"])).unwrap();
    recover(&device);
    assert_eq!(contents(&device, "s"), ["a", "yes", "yes", "new"]);
    append(&device, "t", &[said("user", "a", 1), said("user", "yes", 2)], "stored");
    fs::write(pending(&device, "t.pending.jsonl"), plain(&["yes"])).unwrap();
    recover(&device);
    assert_eq!(contents(&device, "t"), ["a", "yes"]);
}

#[test]
fn a_device_that_knew_nothing_learns_that_two_names_are_one_message() {
    let (a, b) = (Device::default(), Device::default());
    append(&a, "s", &[said("user", "a", 1), said("user", "b", 2)], "stored");
    for device in [&a, &b] {
        fs::write(pending(device, "s.pending.jsonl"), plain(&["a", "b", "c"])).unwrap();
        recover(device);
    }
    assert_eq!(contents(&b, "s"), ["a", "b", "c"]);
    meet(&a, &b);
    for device in [&a, &b] {
        assert_eq!(contents(device, "s"), ["a", "b", "c"]);
        assert_eq!(device.json(&["session", "list"])["sessions"][0]["messages"], 3);
        assert_eq!(device.run(&["doctor"]).0, 0);
    }
}
