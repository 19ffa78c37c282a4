//! Lists: a home of bullets with its topics, and sections in files that belong to somebody else.

use super::{Sandbox, keys};
use serde_json::json;
use std::fs;

const MEMORY: &str = include_str!("../fixtures/bullets/MEMORY.md");
const TRAVEL: &str = include_str!("../fixtures/bullets/travel.md");

/// A home as DS Bot left it.
fn bot() -> Sandbox {
    let sandbox = Sandbox::default();
    sandbox.write("MEMORY.md", MEMORY);
    sandbox.write("travel.md", TRAVEL);
    sandbox
}

#[test]
fn a_bots_home_is_taken_in_and_not_a_byte_changes() {
    let sandbox = bot();
    let made = sandbox.json(&["init"]);
    assert_eq!(made["books"], json!(["memory", "travel"]));
    assert_eq!(
        (sandbox.read("MEMORY.md"), sandbox.read("travel.md")),
        (MEMORY.to_owned(), TRAVEL.to_owned())
    );
    let listed = sandbox.json(&["list"])["entries"].clone();
    let entry = &listed[2];
    assert_eq!((&entry["text"], &entry["source"]), (&json!("Ships on Tuesdays"), &json!("memory panel")));
    assert_eq!(entry["labels"], json!({"added": "2026-11-07", "by": "user"}));
    assert_eq!((listed.as_array().unwrap().len(), &listed[5]["book"]), (6, &json!("travel")));
    assert_eq!(sandbox.json(&["import"])["added"], 0);
    let checked = sandbox.json(&["render", "--check"]);
    let paths: Vec<_> = checked["views"].as_array().unwrap().iter().map(|view| &view["book"]).collect();
    assert_eq!(paths, ["memory", "travel"]);
    assert!(!sandbox.home().join("MEMORY.md.lock").exists());
}

#[test]
fn new_entries_stand_above_the_index_with_their_source() {
    let sandbox = bot();
    sandbox.json(&["add", "Owns a bike", "--source", "part 3 #1", "--label", "added=2026-11-30"]);
    let after = "* A bullet made by hand, without metadata\n";
    let line = "- Owns a bike [source: part 3 #1; added: 2026-11-30]\n";
    assert_eq!(sandbox.read("MEMORY.md"), MEMORY.replace(after, &format!("{after}{line}")));
    sandbox.json(&["replace", "Owns a bike", "Owns two bikes"]);
    assert!(sandbox.read("MEMORY.md").contains(&line.replace("a bike", "two bikes")));
    sandbox.json(&["remove", "Owns two bikes"]);
    assert_eq!(sandbox.read("MEMORY.md"), MEMORY);
}

#[test]
fn topics_come_and_go_with_their_entries() {
    let sandbox = bot();
    sandbox.json(&["add", "Eats no fish", "--book", "food"]);
    assert_eq!(sandbox.read("food.md"), "# food\n\n- Eats no fish\n");
    assert_eq!(sandbox.read("MEMORY.md"), MEMORY.replace("- [[travel]]", "- [[food]]\n- [[travel]]"));
    sandbox.json(&["remove", "Eats no fish"]);
    assert!(!sandbox.home().join("food.md").exists());
    assert_eq!(sandbox.read("MEMORY.md"), MEMORY);
    for text in ["Prefers the night train to Vienna", "Passport is in the top drawer"] {
        sandbox.json(&["remove", text]);
    }
    assert!(!sandbox.home().join("travel.md").exists());
    assert_eq!(sandbox.read("MEMORY.md"), MEMORY.replace("\n- [[travel]]\n", ""));
    let quiet = sandbox.json(&["import"]);
    assert_eq!((&quiet["added"], &quiet["warnings"]), (&json!(0), &json!([])));
    assert_eq!(sandbox.json(&["render", "--check"])["warnings"], json!([]));
}

#[test]
fn a_topic_that_a_person_wrote_is_taken_in_and_linked() {
    let sandbox = bot();
    sandbox.json(&["init"]);
    sandbox.write("garden.md", "# Garden\n\nMine.\n\n- The roses are red\n");
    sandbox.write("notes.md", "- no topic\n");
    assert_eq!(sandbox.json(&["import"])["added"], 1);
    assert!(sandbox.read("MEMORY.md").ends_with("## Index\n\n- [[garden]]\n- [[travel]]\n"));
    sandbox.json(&["remove", "The roses are red"]);
    // What the person wrote is not ours to throw away.
    assert_eq!(sandbox.read("garden.md"), "# Garden\n\nMine.\n");
    assert_eq!(
        (sandbox.read("MEMORY.md").as_str(), sandbox.read("notes.md").as_str()),
        (MEMORY, "- no topic\n")
    );
}

#[test]
fn a_persons_edit_of_a_list_is_taken_in() {
    let sandbox = bot();
    sandbox.json(&["init"]);
    // Somebody who edits a file has read it.
    let edited = sandbox
        .read("MEMORY.md")
        .replace("Likes tea", "Likes green tea")
        .replace("## Notes by hand\n", "## Notes by hand\n\n- Sings in a choir\n");
    sandbox.write("MEMORY.md", &edited);
    let imported = sandbox.json(&["import"]);
    assert_eq!((&imported["added"], &imported["replaced"]), (&json!(1), &json!(1)), "{imported}");
    assert_eq!(sandbox.read("MEMORY.md"), edited);
    let first = &sandbox.json(&["list", "--book", "memory"])["entries"][0];
    assert_eq!((&first["text"], &first["source"]), (&json!("Likes green tea"), &json!("part 1 #10")));
}

#[test]
fn what_a_shell_appends_is_there_after_the_next_replace() {
    for (dialect, name, tail) in [
        ("bullets", "MEMORY.md", "\n- E2\n- E3\n"),
        ("bullets", "MEMORY.md", "- E2\n- E3"),
        ("gemini", "GEMINI.md", "\n- E2\n- E3\n"),
        ("gemini", "GEMINI.md", "- E2\n\n- E3"),
    ] {
        let sandbox = Sandbox::default();
        sandbox.json(&["init", "--dialect", dialect]);
        sandbox.add("E1");
        let before = sandbox.read(name).replace("\n\n## Index\n", "\n");
        sandbox.write(name, &(before + tail));
        sandbox.json(&["replace", "E1", "E1b"]);
        assert_eq!(sandbox.texts(), ["E1b", "E2", "E3"], "{dialect} {tail:?}");
        let shown = sandbox.read(name);
        assert!(["- E1b", "- E2", "- E3"].iter().all(|line| shown.contains(line)), "{shown:?}");
    }
}

#[test]
fn a_disguised_text_is_one_entry_in_every_dialect() {
    let disguised = [
        "Deploy:\n- \nmigrate first",
        "- x",
        "* x",
        "x\n- y\n",
        "  - D  ",
        "\\- x",
        "x [key: value]",
        "[key: value]",
        "x [key\\: value]",
        "# Memory",
        "## Index",
        "[[travel]]",
        "- [[travel]]",
        "<!-- memlore:begin -->",
        "<!-- memlore:end -->",
        "## Gemini Added Memories",
        "## x",
        "---",
        "* * *",
        "__mem_tomb__:da39a3ee",
        "§",
    ];
    for (dialect, name) in [
        ("bullets", "MEMORY.md"),
        ("section", "AGENTS.md"),
        ("gemini", "GEMINI.md"),
        ("hermes", "memories/MEMORY.md"),
    ] {
        let sandbox = Sandbox::default();
        sandbox.json(&["init", "--dialect", dialect]);
        sandbox.add("n1");
        sandbox.add("n2");
        let view = sandbox.read(name);
        for text in disguised {
            sandbox.json(&["add", text]);
            sandbox.json(&["import"]);
            assert_eq!(sandbox.texts(), ["n1", "n2", text.trim()], "{dialect}");
            sandbox.json(&["remove", text]);
            assert_eq!(sandbox.read(name), view, "{dialect} {text:?}");
        }
        let ops: Vec<_> = disguised.iter().map(|text| json!({"op": "add", "text": text})).collect();
        sandbox.ends_with(0, &["batch"], json!(ops).to_string());
        let other = Sandbox::default();
        other.json(&["init", "--dialect", "bullets"]);
        sandbox.sync(&sandbox.path("share"));
        other.sync(&sandbox.path("share"));
        assert_eq!(other.texts(), sandbox.texts());
        assert_eq!(other.texts().len(), 2 + disguised.len());
        assert_eq!(other.json(&["import"])["added"], 0);
    }
}

#[test]
fn an_add_of_nearly_the_same_bullet_finds_it_there() {
    let sandbox = bot();
    let again = sandbox.json(&["add", "likes  TEA"]);
    assert_eq!((&again["status"], &again["book"]), (&json!("exists"), &json!("memory")));
    let elsewhere = sandbox.json(&["add", "passport is in the top drawer"]);
    assert_eq!((&elsewhere["status"], &elsewhere["book"]), (&json!("exists"), &json!("travel")));
    assert_eq!((sandbox.read("MEMORY.md").as_str(), sandbox.read("travel.md").as_str()), (MEMORY, TRAVEL));
}

#[test]
fn limits_count_utf16_units_on_every_path() {
    for (letter, units) in [("x", 1), ("é", 1), ("🔑", 2)] {
        let sandbox = bot();
        let fits = letter.repeat(300 / units);
        sandbox.json(&["add", &fits, "--source", "not counted"]);
        let refused = sandbox.ends(3, &["add", &format!("{fits}x")]);
        assert_eq!(refused["error"]["kind"], "too_long", "{refused}");
        let by_hand = sandbox.read("MEMORY.md").replace("- Likes tea", &format!("- {fits}y\n- Likes tea"));
        sandbox.write("MEMORY.md", &by_hand);
        let imported = sandbox.json(&["import"]);
        assert_eq!((&imported["added"], imported["warnings"].as_array().unwrap().len()), (&json!(0), 1));
        assert_eq!(sandbox.read("MEMORY.md"), by_hand);
    }
    let sandbox = bot();
    sandbox.json(&["init"]);
    let status = sandbox.json(&["status"]);
    let used = MEMORY.encode_utf16().count();
    assert_eq!(status["books"]["memory"]["used"], used, "{status}");
    assert_eq!(
        (&status["books"]["memory"]["limit"], &status["books"]["travel"]["limit"]),
        (&json!(4000), &json!(16000))
    );
    let mut number = 0;
    let full = loop {
        number += 1;
        let ran = sandbox.run(&["add", &format!("{number} {}", "x".repeat(290)), "--json"]);
        if ran.code != 0 {
            break serde_json::from_str::<serde_json::Value>(&ran.stdout).unwrap();
        }
    };
    assert_eq!(full["error"]["kind"], "full", "{full}");
    assert!(sandbox.read("MEMORY.md").encode_utf16().count() <= 4000);
    sandbox.json(&["remove", "Likes tea"]);
    sandbox.json(&["add", "Likes tea"]);
}

#[test]
fn there_are_forty_topics_at_most() {
    let sandbox = bot();
    for number in 1..40 {
        sandbox.json(&["add", &format!("entry {number}"), "--book", &format!("topic-{number}")]);
    }
    assert_eq!(sandbox.ends(3, &["add", "one more", "--book", "topic-40"])["error"]["kind"], "refused");
    sandbox.json(&["add", "one more", "--book", "topic-39"]);
}

#[test]
fn somebody_elses_file_gets_a_section_and_keeps_its_bytes() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--dialect", "hermes"]);
    let theirs = "\u{feff}# Project\r\n\r\n- their own\r\n";
    sandbox.write("CLAUDE.md", theirs);
    sandbox.json(&["init", "--dialect", "section", "--view", "memory=CLAUDE.md"]);
    assert_eq!(sandbox.read("CLAUDE.md"), theirs);
    sandbox.add("likes tea");
    let section = "\r\n<!-- memlore:begin -->\r\n- likes tea\r\n<!-- memlore:end -->\r\n";
    assert_eq!(sandbox.read("CLAUDE.md"), format!("{theirs}{section}"));
    assert_eq!(sandbox.read_view(), "likes tea");
    // Each view takes in its own edits, and shows the other's.
    let edited = format!("Above.\r\n{theirs}{}Below.", section.replace("tea", "tea\r\n* rye"));
    sandbox.write("CLAUDE.md", &edited);
    sandbox.json(&["import"]);
    assert_eq!(sandbox.read("CLAUDE.md"), edited);
    assert_eq!(sandbox.read_view(), "likes tea\n§\nrye");
    sandbox.write_view("likes tea\n§\nrye\n§\ntwo\nlines");
    sandbox.json(&["import"]);
    assert_eq!(sandbox.read("CLAUDE.md"), edited.replace("* rye\r\n", "* rye\r\n- two lines\r\n"));
    assert_eq!(sandbox.texts(), ["likes tea", "rye", "two\nlines"]);
    assert_eq!(sandbox.json(&["import"])["added"], 0);
    assert_eq!(sandbox.texts(), ["likes tea", "rye", "two\nlines"]);
    sandbox.json(&["remove", "two lines"]);
    assert_eq!(sandbox.read_view(), "likes tea\n§\nrye");
    let checked = sandbox.json(&["render", "--check"]);
    assert_eq!(keys(&checked["views"][0]), ["book", "path", "state", "held", "trouble"]);
}

#[test]
fn a_section_that_is_gone_removes_nothing_and_comes_back() {
    let sandbox = Sandbox::default();
    sandbox.write("AGENTS.md", "# Project\n");
    sandbox.json(&["init", "--dialect", "section"]);
    sandbox.add("likes tea");
    let whole = sandbox.read("AGENTS.md");
    sandbox.write("AGENTS.md", "# Another project\n");
    let imported = sandbox.json(&["import"]);
    assert_eq!((&imported["removed"], imported["warnings"].as_array().unwrap().len()), (&json!(0), 1));
    assert_eq!(sandbox.read("AGENTS.md"), whole.replace("Project", "Another project"));
    assert_eq!(sandbox.texts(), ["likes tea"]);
    let bytes = b"\xff\xfeP\0r\0".to_vec();
    fs::write(sandbox.home().join("AGENTS.md"), &bytes).unwrap();
    sandbox.json(&["add", "likes rye"]);
    assert_eq!(fs::read(sandbox.home().join("AGENTS.md")).unwrap(), bytes);
}

#[test]
fn the_list_is_exported_with_its_metadata() {
    let sandbox = Sandbox::default();
    sandbox.json(&["add", "likes tea", "--source", "panel", "--label", "by=user"]);
    let exported = sandbox.text(&["export", "--format", "bullets"]);
    assert_eq!(exported, "# Memory\n\n- likes tea [source: panel; by: user]\n\n## Index\n");
}

#[test]
fn metadata_that_a_person_changes_are_kept() {
    let sandbox = bot();
    sandbox.json(&["init"]);
    let edited = sandbox.read("MEMORY.md").replace("Likes tea [source: part 1 #10", "Likes tea [source: Ann");
    sandbox.write("MEMORY.md", &edited);
    assert_eq!(sandbox.json(&["import"])["replaced"], 1);
    assert_eq!(sandbox.read("MEMORY.md"), edited);
    let first = || sandbox.json(&["list", "--book", "memory"])["entries"][0].clone();
    assert_eq!((&first()["text"], &first()["source"]), (&json!("Likes tea"), &json!("Ann")));
    // An old file changes nothing back.
    sandbox.write("MEMORY.md", &MEMORY.replace("- [[travel]]", "- [[travel]]\n\n## More\n\n- Sings"));
    let imported = sandbox.json(&["import"]);
    assert_eq!((&imported["added"], &imported["replaced"]), (&json!(1), &json!(0)));
    assert_eq!(first()["source"], "Ann");
    assert!(sandbox.read("MEMORY.md").contains("- Likes tea [source: Ann; added: 2026-11-06]\n"));
}

#[test]
fn a_stale_writer_of_a_list_loses_nobody_an_entry() {
    for (dialect, name) in [("bullets", "MEMORY.md"), ("section", "AGENTS.md"), ("gemini", "GEMINI.md")] {
        let sandbox = Sandbox::default();
        sandbox.json(&["init", "--dialect", dialect]);
        sandbox.add("likes tea");
        let stale = sandbox.read(name);
        let others = ["dentist on Tuesdays", "the bike is blue", "works from Lisbon"];
        others.iter().for_each(|text| drop(sandbox.add(text)));
        let mine = "- likes tea\n- likes rye bread\n";
        sandbox.write(name, &stale.replace("- likes tea\n", mine));
        sandbox.json(&["import"]);
        let texts = sandbox.texts();
        for text in others.iter().chain(&["likes tea", "likes rye bread"]) {
            assert_eq!(texts.iter().filter(|known| known == text).count(), 1, "{dialect} {text}: {texts:?}");
            assert!(sandbox.read(name).contains(&format!("- {text}\n")), "{dialect} {text}");
        }
        assert_eq!(sandbox.json(&["render", "--check"])["views"][0]["state"], "current");
    }
}

#[test]
fn a_topic_of_another_device_alone_has_neither_file_nor_link() {
    let sandbox = bot();
    sandbox.json(&["add", "only here", "--book", "desk", "--here-only"]);
    assert!(sandbox.read("MEMORY.md").contains("- [[desk]]\n"));
    let other = Sandbox::default();
    other.json(&["init", "--dialect", "bullets"]);
    sandbox.sync(&sandbox.path("share"));
    other.sync(&sandbox.path("share"));
    assert_eq!(other.texts().len(), 7);
    assert!(other.read("MEMORY.md").ends_with("## Index\n\n- [[travel]]\n"));
    assert!(!other.home().join("desk.md").exists());
}
