//! Everybody who writes a view's file, in random histories, against what each kind of use may cost.
//!
//! `MEMLORE_HISTORIES` plays more than the usual number of histories of each kind, `MEMLORE_SEED` one alone. The table
//! is printed (`--no-capture`); a history that breaks names its seed.

use memlore_testing::writers::{Kind, Tally};
use std::panic::catch_unwind;

/// Histories of each kind, unless the environment says otherwise.
const HISTORIES: u64 = 250;

/// Of kinds whose every file is rendered and parsed.
const HISTORIES_OF_LISTS: u64 = 25;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 }
}

/// Plays the kinds whose names begin like this and holds them to their bounds.
#[expect(clippy::print_stdout, reason = "the table is what people run this for")]
fn check(names: &[&str]) {
    let kinds = Kind::all().into_iter().filter(|kind| names.iter().any(|name| kind.name.starts_with(name)));
    let mut broken = Vec::new();
    println!("{:38} {:>8} {:>8} {:>8} {:>8}", "kind", "removals", "refused", "lost", "back");
    for kind in kinds {
        let seeds = match number("MEMLORE_SEED") {
            Some(seed) => seed..seed + 1,
            None if kind.is_of_lists() => 0..number("MEMLORE_HISTORIES").unwrap_or(HISTORIES_OF_LISTS),
            None => 0..number("MEMLORE_HISTORIES").unwrap_or(HISTORIES),
        };
        let mut tally = Tally::default();
        for seed in seeds {
            match catch_unwind(|| kind.run(seed)) {
                Ok(history) => tally += history,
                Err(_) => broken.push(format!("{} breaks: MEMLORE_SEED={seed}", kind.name)),
            }
        }
        let refused = percent(tally.refused, tally.wishes);
        let lost = percent(tally.lost, tally.entries);
        let back = percent(tally.brought_back, tally.wishes);
        println!("{:38} {:8} {refused:7.2}% {lost:7.3}% {back:7.3}%", kind.name, tally.wishes);
        let bound = kind.bound;
        if refused > bound.refused || lost > bound.lost || back > bound.brought_back {
            broken.push(format!(
                "{}: refused {refused}, lost {lost}, brought back {back}, {bound:?}",
                kind.name
            ));
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn watched_hermes_is_refused_nothing_and_loses_nothing() {
    check(&["hermes, watched", "two hermes, watched"]);
}

#[test]
fn hermes_loses_nothing_when_memlore_looks_after_each_change() {
    check(&["hermes, looked at after each", "hermes and calls, after each", "two hermes, after each"]);
}

#[test]
fn hermes_loses_nothing_when_memlore_looks_after_every_third_change() {
    check(&["hermes, looked at after every", "hermes and calls, after every", "two hermes, after every"]);
}

#[test]
fn a_person_with_an_editor_loses_nothing() {
    check(&["editor"]);
}

#[test]
fn a_stale_writer_costs_others_next_to_nothing() {
    check(&["stale"]);
}

#[test]
fn two_stale_writers_and_appenders_cost_others_next_to_nothing() {
    check(&["two stale", "appender"]);
}

#[test]
fn a_home_that_everybody_writes_keeps_its_entries() {
    check(&["everybody"]);
}

#[test]
fn two_devices_with_one_synced_file_come_to_rest_and_agree() {
    check(&["two devices"]);
}

#[test]
fn a_list_that_nobody_locks_keeps_its_entries_and_everybodys_lines() {
    check(&["bullets"]);
}

#[test]
fn a_section_in_somebody_elses_file_keeps_its_entries_and_their_lines() {
    check(&["section", "gemini"]);
}
