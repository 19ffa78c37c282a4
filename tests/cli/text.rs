//! How answers read in a terminal.

use super::Sandbox;

#[test]
fn changes_are_told_in_two_lines() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--limit", "memory=100"]);
    insta::assert_snapshot!(sandbox.text(&["add", "likes tea"]), @r"
    + likes tea
      memory · 9 of 100 chars (9 %)
    ");
    insta::assert_snapshot!(sandbox.text(&["add", "likes tea"]), @r"
    + likes tea (it was there already)
      memory · 9 of 100 chars (9 %)
    ");
    insta::assert_snapshot!(sandbox.text(&["replace", "tea", "likes coffee\nand cake"]), @"~ tea → likes coffee…");
    insta::assert_snapshot!(sandbox.text(&["remove", "coffee"]), @"- coffee");
}

#[test]
fn a_list_shows_ages_and_indents_later_lines() {
    let sandbox = Sandbox::default();
    sandbox.add("likes tea");
    sandbox.wait(3 * 86_400);
    sandbox.add("Deploy:\nmigrate first");
    sandbox.json(&["add", "Ada", "--book", "user"]);
    sandbox.wait(7_200);
    insta::assert_snapshot!(sandbox.text(&["list"]), @r"
    memory 2
      3d  likes tea
      2h  Deploy:
          migrate first

    user 1
      2h  Ada
    ");
    let removed = sandbox.text(&["list", "--removed"]);
    insta::assert_snapshot!(removed, @"nothing was removed");
}

#[test]
fn a_detailed_list_tells_ids_in_full() {
    let sandbox = Sandbox::default();
    let id = sandbox.json(&["--agent", "hermes", "add", "likes tea", "--source", "panel"]);
    let listed = sandbox.text(&["list", "-v"]);
    insta::assert_snapshot!(listed.replace(id["id"].as_str().unwrap(), "[id]"), @r"
    memory 1
      2026-11-30 14:00  likes tea
                        [id] · hermes on laptop · source panel
    ");
}

#[test]
fn the_log_marks_what_came_went_and_changed() {
    let sandbox = Sandbox::default();
    sandbox.json(&["--agent", "hermes", "add", "Runs Debian 11"]);
    sandbox.wait(3_600);
    sandbox.json(&["replace", "Debian 11", "Runs Debian 12"]);
    sandbox.json(&["remove", "Debian 12", "--why", "sold it"]);
    insta::assert_snapshot!(sandbox.text(&["log"]), @r"
    now - Runs Debian 12  memory · laptop · because sold it
    now ~ Runs Debian 11 → Runs Debian 12  memory · laptop
     1h + Runs Debian 11  memory · hermes on laptop
    ");
}

#[test]
fn colours_are_for_terminals() {
    let sandbox = Sandbox::default();
    sandbox.add("likes tea");
    assert!(!sandbox.text(&["list"]).contains('\u{1b}'));
    assert!(sandbox.text(&["list", "--color", "always"]).contains('\u{1b}'));
    assert!(!sandbox.text(&["list", "--color", "never"]).contains('\u{1b}'));
}

#[test]
fn a_text_cannot_steer_the_terminal() {
    let sandbox = Sandbox::default();
    sandbox.add("red \u{1b}[31malert");
    assert!(!sandbox.text(&["list"]).contains('\u{1b}'));
    assert!(sandbox.texts()[0].contains('\u{1b}'), "programs get it verbatim");
}

#[test]
fn warnings_are_silent_on_request() {
    let sandbox = Sandbox::default();
    sandbox.json(&["init", "--dialect", "hermes"]);
    sandbox.add("likes tea");
    sandbox.write_view("");
    let ran = sandbox.run(&["import"]);
    assert!(ran.stderr.starts_with("warning: "), "{}", ran.stderr);
    sandbox.write_view("");
    let ran = sandbox.run(&["import", "-q"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
}
