//! Finding entries and messages.

use super::talk::{append, meet, said};
use crate::device::Device;
use serde_json::Value;

fn found(device: &Device, arguments: &[&str]) -> Vec<String> {
    let (code, answer) = device.run(&[&["search"], arguments].concat());
    let hits = answer["hits"].as_array().unwrap();
    assert_eq!(code, i32::from(hits.is_empty()), "{answer}");
    let text = |hit: &Value| format!("{}: {}", hit["kind"].as_str().unwrap(), hit["text"].as_str().unwrap());
    hits.iter().map(text).collect()
}

#[test]
fn words_phrases_prefixes_and_two_characters_are_found_everywhere() {
    let (a, b) = (Device::default(), Device::default());
    a.json(&["add", "tea over coffee, in the Café"]);
    append(
        &b,
        "s",
        &[said("user", "wo liegt die 記憶库 mit dem tea?", 1), said("tool", "coffee then tea", 2)],
        "stored",
    );
    meet(&a, &b);
    for device in [&a, &b] {
        assert_eq!(found(device, &["cafe"]), ["entry: tea over coffee, in the Café"]);
        assert_eq!(found(device, &["\"tea over\""]), ["entry: tea over coffee, in the Café"]);
        assert_eq!(found(device, &["\"over tea\""]), [""; 0]);
        assert_eq!(found(device, &["coff*"]).len(), 1);
        assert_eq!(found(device, &["coff"]).len(), 0);
        assert_eq!(found(device, &["記憶"]).len(), 0);
        let messages = ["message: wo liegt die 記憶库 mit dem tea?"];
        assert_eq!(found(device, &["記憶", "--sessions"]), messages);
        assert_eq!(found(device, &["記憶库", "--sessions"]), messages);
        assert_eq!(found(device, &["库", "--sessions"]), messages);
        assert_eq!(found(device, &["tea", "--sessions"]).len(), 3);
        assert_eq!(found(device, &["tea", "--sessions", "--limit", "2"]).len(), 2);
    }
}

#[test]
fn the_index_catches_up_and_is_made_again() {
    let device = Device::default();
    device.json(&["add", "one green tea"]);
    assert_eq!(found(&device, &["green"]).len(), 1);
    device.json(&["replace", "one green tea", "one black tea"]);
    assert_eq!(found(&device, &["green"]).len(), 0);
    assert_eq!(found(&device, &["black"]).len(), 1);
    std::fs::write(device.path("state").join("search.db"), "no index at all ".repeat(400)).unwrap();
    assert_eq!(found(&device, &["black"]).len(), 1);
    // Another database in the place of the one that was indexed.
    for name in ["memlore.db", "memlore.db-wal", "memlore.db-shm"] {
        std::fs::remove_file(device.path("state").join(name)).ok();
    }
    device.json(&["add", "another world"]);
    assert_eq!(found(&device, &["world"]).len(), 1);
}
