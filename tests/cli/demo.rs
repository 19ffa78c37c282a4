//! The demo: it needs nothing, loses nothing and leaves nothing behind.

use super::{Sandbox, keys};
use serde_json::json;

#[test]
fn the_demo_loses_nothing_and_leaves_nothing_behind() {
    let sandbox = Sandbox::default();
    let temporary = sandbox.path("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let output = sandbox.command().env("TMPDIR", &temporary).args(["demo", "--json"]).output().unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{answer:#}");
    assert_eq!(keys(&answer), ["scenes", "memory", "wrong", "folder", "warnings"]);
    assert_eq!((&answer["wrong"], &answer["folder"]), (&json!([]), &json!(null)));
    let memory = answer["memory"].as_str().unwrap();
    assert!(memory.contains("Dentist on Tuesdays") && !memory.contains("password"), "{memory}");
    let review = answer["scenes"].as_array().unwrap().last().unwrap()["outcome"].as_str().unwrap();
    assert!(review.starts_with("2 changes were applied; 1 text too long"), "{review}");
    assert!(review.contains("1 secret without a word") && review.contains("from line 12; "), "{review}");
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
    assert!(!sandbox.path("state").exists());
}
