//! Those who write the file: agents that read it first, people with editors, programs that save an old snapshot.

use super::disk::Page;
use super::home::{Home, World};
use super::oracle::{Oracle, Tokens, Wishes};
use super::thoughts::TextId;
use crate::random::Random;

const SECOND_US: u64 = 1_000_000;

/// A person with an editor: opens the file, edits, saves, and perhaps edits the old buffer later.
pub(super) struct Editor {
    pub(super) buffer: Option<Page>,
    /// How often, in percent, the buffer stays open after it was saved.
    pub(super) keeps_buffer: u64,
    pub(super) in_place: bool,
}

/// A program that holds a snapshot for long and saves it whole.
pub(super) struct StaleSaver {
    snapshot: Option<Page>,
    /// How often, in percent, it saves without a text of its own.
    pub(super) silent: u64,
}

fn holds(page: &Page, text: TextId) -> bool {
    page.iter().any(|(other, _)| *other == text)
}

/// Takes a random text out of a page. The wish counts when the page is saved.
fn take_out(page: &mut Page, random: &mut Random) -> Option<(TextId, Tokens)> {
    if page.is_empty() { None } else { Some(page.remove(random.index(page.len()))) }
}

fn put_in(page: &mut Page, at: usize, (text, tokens): (TextId, Tokens)) {
    if !holds(page, text) {
        page.insert(at, (text, tokens));
    }
}

/// An agent whose every change reads the file again: hermes under its lock, a bot without one.
pub(super) fn agent_changes(home: &mut Home, world: &mut World) {
    if world.random.percent(12) {
        // A new conversation takes its frozen snapshot.
        home.read(world.now_us);
        world.now_us += world.random.between(SECOND_US, 600 * SECOND_US);
    }
    home.agents_change(world, |world, wishes, page| {
        let does = if page.len() < 4 { 0 } else { world.random.below(100) };
        match does {
            0..45 if page.len() < 14 => {
                let thought = world.thought();
                put_in(page, page.len(), thought);
            }
            45..72 => {
                let at = world.random.index(page.len());
                let near = world.thoughts.near(page[at].0, &mut world.random);
                let (text, tokens) =
                    if world.random.percent(75) { (near, world.oracle.thought()) } else { fresh(world) };
                if !holds(page, text) {
                    let old = std::mem::replace(&mut page[at], (text, [tokens].into()));
                    wishes.gone(&mut world.oracle, old.0, &old.1);
                }
            }
            _ => {
                if let Some((text, tokens)) = take_out(page, &mut world.random) {
                    wishes.gone(&mut world.oracle, text, &tokens);
                }
            }
        }
    });
}

fn fresh(world: &mut World) -> (TextId, u32) {
    (world.thoughts.fresh(&mut world.random), world.oracle.thought())
}

/// An agent writes a text again that was removed from its memory.
pub(super) fn agent_adds_again(home: &mut Home, world: &mut World) {
    let gone: Vec<TextId> =
        home.book.entries().filter(|entry| entry.dead.is_some()).map(|entry| entry.text).collect();
    if gone.is_empty() {
        return;
    }
    let text = gone[world.random.index(gone.len())];
    home.agents_change(world, |world, wishes, page| {
        if !holds(page, text) {
            let token = world.oracle.thought();
            wishes.back(text, token);
            page.push((text, [token].into()));
        }
    });
}

/// Something appends to the file without reading it.
pub(super) fn append(home: &mut Home, world: &mut World) {
    let mut page = home.disk.page.clone();
    let thought = world.thought();
    let end = page.len();
    put_in(&mut page, end, thought);
    home.save(page, true, world);
}

impl Editor {
    pub(super) fn new(keeps_buffer: u64, in_place: bool) -> Self {
        Self { buffer: None, keeps_buffer, in_place }
    }

    /// Opens the file, or saves what was opened.
    pub(super) fn act(&mut self, home: &mut Home, world: &mut World) {
        let mut page = match self.buffer.take() {
            Some(buffer) => buffer,
            None => {
                let page = home.read(world.now_us);
                if world.random.percent(40) {
                    self.buffer = Some(page);
                    return;
                }
                world.now_us += world.random.between(2 * SECOND_US, 600 * SECOND_US);
                page
            }
        };
        let edits = if world.random.percent(8) { 4 } else { world.random.between(1, 2) };
        for _ in 0..edits {
            edit(&mut page, world, &mut home.wishes);
        }
        home.save(page.clone(), self.in_place, world);
        if world.random.percent(self.keeps_buffer) {
            self.buffer = Some(page);
        }
    }
}

fn edit(page: &mut Page, world: &mut World, wishes: &mut Wishes) {
    let does = if page.len() < 3 { 0 } else { world.random.below(100) };
    match does {
        0..40 if page.len() < 16 => {
            let thought = world.thought();
            let at = if world.random.percent(70) { page.len() } else { world.random.index(page.len() + 1) };
            put_in(page, at, thought);
        }
        40..65 => {
            let at = world.random.index(page.len());
            let text = world.thoughts.near(page[at].0, &mut world.random);
            if !holds(page, text) {
                let old = std::mem::replace(&mut page[at], (text, [world.oracle.thought()].into()));
                wishes.gone(&mut world.oracle, old.0, &old.1);
            }
        }
        _ => {
            if let Some((text, tokens)) = take_out(page, &mut world.random) {
                wishes.gone(&mut world.oracle, text, &tokens);
            }
        }
    }
}

impl StaleSaver {
    pub(super) fn new(silent: u64) -> Self {
        Self { snapshot: None, silent }
    }

    /// Loads the file once in a long while; else saves the snapshot, mostly with an addition.
    pub(super) fn act(&mut self, home: &mut Home, world: &mut World) {
        if world.random.percent(8) {
            self.snapshot = None;
        }
        let Some(page) = &mut self.snapshot else {
            self.snapshot = Some(home.read(world.now_us));
            return;
        };
        if !world.random.percent(self.silent) {
            if page.len() > 4 && world.random.percent(10) {
                take_out_meant(page, &mut world.random, &mut home.wishes, &mut world.oracle);
            } else {
                let thought = world.thought();
                put_in(page, page.len(), thought);
            }
        }
        home.save(page.clone(), false, world);
    }
}

fn take_out_meant(page: &mut Page, random: &mut Random, wishes: &mut Wishes, oracle: &mut Oracle) {
    if let Some((text, tokens)) = take_out(page, random) {
        wishes.gone(oracle, text, &tokens);
    }
}
