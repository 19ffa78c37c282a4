//! Conversations may have any name.

use super::talk::{Held, append, append_with, contents, said};
use crate::device::{Device, names};
use std::fs;

#[test]
fn any_name_is_a_conversation_of_its_own_and_stays_in_its_folder() {
    let device = Device::default();
    let long = "x".repeat(5000);
    let all = [
        "../../x",
        "/abs",
        "a/b",
        "..",
        "CON",
        "con",
        "",
        "x.pending",
        "a",
        "A",
        "caf\u{e9}",
        "cafe\u{301}",
        "-name",
        &long,
    ];
    append(&device, "first", &[said("user", "begin", 0)], "stored");
    let before = names(device.home().parent().unwrap());
    let held = Held::by_somebody(&device);
    for name in all {
        let (code, _) = append_with(&device, &["--deadline", "0"], name, &[said("user", name, 1)]);
        assert_eq!(code, 4, "{name}");
    }
    drop(held);
    assert_eq!(names(device.home().parent().unwrap()), before);
    let files = names(&device.home().join("sessions"));
    assert_eq!(files.len(), all.len());
    let folded: std::collections::BTreeSet<String> = files.iter().map(|name| name.to_lowercase()).collect();
    assert_eq!(folded.len(), all.len());
    assert!(files.iter().all(|name| name.is_ascii()), "{files:?}");
    for name in all {
        assert_eq!(contents(&device, name), [name]);
    }
    assert!(!fs::exists(device.home().join("x")).unwrap());
}
