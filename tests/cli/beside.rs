//! What stands beside the text of a bullet and may be kept nowhere: the line is somebody else's then, to the byte.

use super::sandbox::Sandbox;
use serde_json::json;

/// Made up, of a common shape.
const SECRET: &str = concat!("ghp_16C7e42F292c6912E771", "0c838347Ae178B4a");

const BEFORE: &str = "# Memory\n\n- Likes tea [source: chat]\n- Likes coffee\n\n## Index\n";

/// A home of bullets into whose file somebody wrote.
fn edited(file: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::default();
    sandbox.write("MEMORY.md", BEFORE);
    sandbox.json(&["init", "--dialect", "bullets"]);
    sandbox.write("MEMORY.md", file);
    let warnings = sandbox.json(&["import"])["warnings"].to_string();
    assert!(!warnings.contains(SECRET), "{warnings}");
    assert_eq!(sandbox.json(&["import"])["warnings"], json!([]), "it is told once");
    assert_eq!(sandbox.read("MEMORY.md"), file);
    (sandbox, warnings)
}

#[test]
fn a_line_with_a_secret_beside_its_text_stays_and_stands_for_the_entry() {
    let line = format!("-   Likes tea  [source: chat;  note: {SECRET}]");
    let file = BEFORE.replace("- Likes tea [source: chat]", &line);
    let (sandbox, warnings) = edited(&file);
    assert!(warnings.contains("metadata in MEMORY.md is not taken over"), "{warnings}");
    let entries = sandbox.json(&["list"])["entries"].clone();
    assert_eq!((&entries[0]["text"], &entries[0]["labels"]), (&json!("Likes tea"), &json!({})));
    assert_eq!(sandbox.json(&["status"])["views"][0]["state"], "current");

    sandbox.add("Likes juice");
    assert_eq!(
        sandbox.read("MEMORY.md"),
        file.replace("- Likes coffee\n", "- Likes coffee\n- Likes juice\n")
    );
    // The entry goes, and the line is the person's.
    sandbox.json(&["remove", "Likes tea"]);
    assert!(sandbox.read("MEMORY.md").contains(&line));
    assert_eq!(sandbox.texts(), ["Likes coffee", "Likes juice"]);
    assert_eq!(sandbox.json(&["import"])["added"], 0);
}

#[test]
fn the_line_is_the_entrys_again_when_the_secret_is_gone_from_it() {
    let (sandbox, _) = edited(&BEFORE.replace("chat]", &format!("chat; note: {SECRET}]")));
    sandbox.write("MEMORY.md", &BEFORE.replace("chat]", "chat; note: none]"));
    sandbox.json(&["import"]);
    assert_eq!(sandbox.json(&["list"])["entries"][0]["labels"], json!({"note": "none"}));
    assert_eq!(sandbox.texts(), ["Likes tea", "Likes coffee"]);
}

#[test]
fn a_second_line_of_a_text_with_a_secret_beside_it_stays_below_the_entrys_own() {
    let second = format!("- Likes tea [note: {SECRET}]\n");
    for file in [
        BEFORE.replace("- Likes coffee\n", &format!("{second}- Likes coffee\n")),
        BEFORE.replace("- Likes tea", &format!("{second}- Likes tea")),
    ] {
        let (sandbox, _) = edited(&file);
        assert_eq!(sandbox.json(&["list"])["entries"][0]["source"], "chat");
        sandbox.json(&["replace", "Likes coffee", "Likes milk"]);
        assert_eq!(sandbox.read("MEMORY.md"), file.replace("coffee", "milk"));
    }
}

#[test]
fn a_new_text_with_a_secret_beside_it_is_no_entry_and_its_line_stays() {
    let file =
        BEFORE.replace("- Likes coffee\n", &format!("- Likes milk [note: {SECRET}]\n- Likes coffee\n"));
    let (sandbox, warnings) = edited(&file);
    assert!(warnings.contains("a text in MEMORY.md is not taken over: it holds an access key"), "{warnings}");
    assert_eq!(sandbox.texts(), ["Likes tea", "Likes coffee"]);
    sandbox.add("Likes juice");
    assert_eq!(
        sandbox.read("MEMORY.md"),
        file.replace("- Likes coffee\n", "- Likes coffee\n- Likes juice\n")
    );
}

#[test]
fn other_files_give_what_is_fit_and_no_text_with_a_secret_beside_it() {
    let (sandbox, _) = edited(BEFORE);
    let lines = format!("- Likes rye\n- Likes milk [note: {SECRET}]\n");
    sandbox.write("notes.md", &lines);
    let notes = sandbox.home().join("notes.md");
    let imported = sandbox.json(&["import", notes.to_str().unwrap()]);
    assert_eq!((&imported["added"], imported["warnings"].as_array().map(Vec::len)), (&json!(1), Some(1)));
    // And a conflict copy, which stays where it is for the secret.
    let copy = BEFORE.replace("- Likes coffee\n", &format!("- Likes coffee\n- Likes oats\n{lines}"));
    sandbox.write("MEMORY (1).md", &copy);
    sandbox.json(&["import"]);
    assert_eq!(sandbox.texts(), ["Likes tea", "Likes coffee", "Likes rye", "Likes oats"]);
    assert_eq!(sandbox.read("MEMORY (1).md"), copy);
}
