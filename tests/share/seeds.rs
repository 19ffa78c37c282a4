//! Scenes of many seeds.

use memlore_testing::share::{Medium, Mischief, Scene};
use std::ops::Range;

/// How many scenes each test plays, unless the environment says otherwise.
const EACH: u64 = 125;

/// How many tests share the seeds.
const TESTS: u64 = 8;

/// So many stories are told when scenes break; of the others only the seeds.
const STORIES: usize = 3;

/// Seeds that once broke, and what each showed.
const KEPT: [(u64, &str); 7] = [
    (3937, "the marker is lost, and of a device's own segments only a renamed one is left"),
    (8331, "the same"),
    (23133, "the marker is lost, and no segment is left but of a replica that nobody is any more"),
    (23664, "the same"),
    (44828, "a clock is a year ahead when records are first lacking, and then put right"),
    (49067, "the same"),
    (63447, "the same"),
];

/// The part of a range that one test plays.
fn part(number: u64) -> Vec<u64> {
    seeds().filter(|seed| seed % TESTS == number).collect()
}

fn seeds() -> Range<u64> {
    let Ok(named) = std::env::var("MEMLORE_SEEDS") else { return 0..EACH * TESTS };
    let (from, to) = named.split_once("..").expect("MEMLORE_SEEDS is FROM..TO");
    from.parse().expect("FROM is a number")..to.parse().expect("TO is a number")
}

fn mischief() -> Vec<Mischief> {
    match std::env::var("MEMLORE_MISCHIEF") {
        Ok(named) => {
            let kind = |name| Mischief::named(name).unwrap_or_else(|| panic!("no mischief is named {name}"));
            named.split(',').filter(|name| !name.is_empty()).map(kind).collect()
        }
        // One more kind would be another scene for every seed: twins have scenes of their own.
        Err(_) => Mischief::ALL.into_iter().filter(|kind| *kind != Mischief::Twins).collect(),
    }
}

/// How many scenes are played of devices that each made the share.
const OF_TWINS: u64 = 200;

fn play(medium: Medium, seeds: impl IntoIterator<Item = u64>) {
    play_with(&mischief(), medium, seeds);
}

fn play_with(kinds: &[Mischief], medium: Medium, seeds: impl IntoIterator<Item = u64>) {
    let broken: Vec<(u64, String)> =
        seeds.into_iter().filter_map(|seed| Some((seed, Scene::play(seed, medium, kinds).err()?))).collect();
    let stories: Vec<&str> = broken.iter().take(STORIES).map(|(_, story)| story.as_str()).collect();
    let numbers: Vec<u64> = broken.iter().map(|(seed, _)| *seed).collect();
    assert!(broken.is_empty(), "{}\n\nscenes that break: {numbers:?}", stories.join("\n\n"));
}

#[test]
fn scenes_that_once_broke_hold() {
    play(Medium::Memory, KEPT.map(|(seed, _)| seed));
}

/// They meet by their files, or somebody makes one store of two.
#[test]
fn devices_that_each_made_the_share_become_one_store() {
    play_with(&Mischief::ALL, Medium::Memory, 0..OF_TWINS);
}

/// Of the real folders only what everybody's file system does is played.
#[test]
fn nothing_is_lost_in_real_folders_either() {
    play(Medium::Disk, seeds().step_by(50));
}

macro_rules! parts {
    ($($name:ident = $number:literal;)*) => {
        $(
            #[test]
            fn $name() {
                play(Medium::Memory, part($number));
            }
        )*
    };
}

parts! {
    nothing_is_lost_whatever_happens_to_the_share_0 = 0;
    nothing_is_lost_whatever_happens_to_the_share_1 = 1;
    nothing_is_lost_whatever_happens_to_the_share_2 = 2;
    nothing_is_lost_whatever_happens_to_the_share_3 = 3;
    nothing_is_lost_whatever_happens_to_the_share_4 = 4;
    nothing_is_lost_whatever_happens_to_the_share_5 = 5;
    nothing_is_lost_whatever_happens_to_the_share_6 = 6;
    nothing_is_lost_whatever_happens_to_the_share_7 = 7;
}
