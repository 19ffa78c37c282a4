//! A home with memlore in it: the versions, and the file, rendered and parsed and judged by the real rules.

use super::book::{Book, Dead};
use super::disk::{Disk, Page};
use super::oracle::{Oracle, Tokens, Wishes};
use super::thoughts::{TextId, Thoughts};
use crate::random::Random;
use memlore_model::TextKey;
use memlore_view::{
    Dialect, HeldKind, Judgement, NewestRead, Observed, Parsed, Shown, VersionList, VersionNumber, judge,
    parse, render,
};
use std::collections::{BTreeMap, BTreeSet};

/// What the watch saw of the writes since memlore looked last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Chain {
    #[default]
    NoWrite,
    /// Lock, read, replace, and nothing else.
    Episodes,
    Broken,
}

/// What everybody of one history shares.
pub(super) struct World {
    pub(super) random: Random,
    pub(super) thoughts: Thoughts,
    pub(super) oracle: Oracle,
    pub(super) now_us: u64,
}

impl World {
    pub(super) fn new(seed: u64, dialect: Dialect) -> Self {
        let (random, thoughts) = (Random::new(seed), Thoughts::new(dialect));
        Self { random, thoughts, oracle: Oracle::default(), now_us: 1_000_000_000 }
    }

    /// Somebody thinks of a text of his own.
    pub(super) fn thought(&mut self) -> (TextId, Tokens) {
        let text = self.thoughts.fresh(&mut self.random);
        (text, [self.oracle.thought()].into())
    }
}

/// What a person has written around the entries, in the dialects that have room for it.
const THEIRS: [&str; 3] = ["# Notes by hand", "Nobody else's line.", "## Further down"];

/// One device's home.
pub(super) struct Home {
    pub(super) disk: Disk,
    /// What a list's file holds: the page of the disk, and the frame around it.
    file: String,
    pub(super) book: Book,
    pub(super) wishes: Wishes,
    /// Whether `watch` runs here.
    pub(super) watched: bool,
    pub(super) access_times: bool,
    synced: bool,
    lock_file: bool,
    inference_ended: bool,
    chain: Chain,
    versions: VersionList,
    /// The commit at each version, from version 1.
    commits: Vec<u64>,
    newest: Vec<TextId>,
    /// Files that were answered, each with the commit of the answer.
    answered: BTreeMap<Vec<TextId>, u64>,
    /// How often memlore wrote the file.
    pub(super) writes: u64,
}

fn texts(page: &Page) -> Vec<TextId> {
    page.iter().map(|(text, _)| *text).collect()
}

impl Home {
    /// A home whose file grew to this before memlore came.
    pub(super) fn init(replica: u8, synced: bool, page: Page, world: &mut World) -> Self {
        let ahead_us = if synced && world.random.percent(40) { world.random.below(500_000) } else { 0 };
        let mut home = Self {
            disk: Disk::default(),
            file: THEIRS.join("\n\n") + "\n",
            book: Book::new(replica, ahead_us),
            wishes: Wishes::default(),
            watched: false,
            access_times: true,
            synced,
            lock_file: false,
            inference_ended: false,
            chain: Chain::NoWrite,
            versions: VersionList::default(),
            commits: Vec::new(),
            newest: Vec::new(),
            answered: BTreeMap::new(),
            writes: 0,
        };
        let page = home.lay_out(page, &world.thoughts);
        home.disk.replace(page, world.now_us);
        home.run(world);
        home
    }

    /// Writes the entries into the file's text, around what a person has written there; returns them in the order in
    /// which they stand in it.
    fn lay_out(&mut self, page: Page, thoughts: &Thoughts) -> Page {
        let dialect = thoughts.dialect();
        if dialect == Dialect::Hermes {
            // Such a file is its texts, and nobody else's lines.
            return page;
        }
        let entries: Vec<_> = page.iter().map(|(text, _)| Shown::plain(&thoughts.item(*text).text)).collect();
        self.file = render(dialect, &entries, &parse(dialect, &self.file).frame);
        let theirs = self.file.lines().filter(|line| THEIRS.contains(line));
        assert!(theirs.eq(THEIRS), "{:?}", self.file);
        let mut tokens: BTreeMap<TextId, Tokens> = page.into_iter().collect();
        let laid_out: Page = self
            .parsed(&Page::new(), thoughts)
            .items
            .iter()
            .map(|item| thoughts.id(&item.key))
            .map(|text| (text, tokens.remove(&text).expect("what is read was written")))
            .collect();
        assert!(tokens.is_empty(), "what is written is read again: {:?}", self.file);
        laid_out
    }

    /// The file taken apart, which holds this page in the dialect that has no frame.
    fn parsed(&self, page: &Page, thoughts: &Thoughts) -> Parsed {
        match thoughts.dialect() {
            Dialect::Hermes => Parsed::of_items(page.iter().map(|(text, _)| thoughts.item(*text).clone())),
            list => parse(list, &self.file),
        }
    }

    /// Somebody reads the file and does nothing with it yet.
    pub(super) fn read(&mut self, now_us: u64) -> Page {
        let (page, first) = self.disk.read(now_us);
        // The watch saw it and renews the link, so that the next read moves the access time again.
        if first && self.watched {
            self.disk.link();
        }
        page
    }

    /// An agent reads the file and replaces it by what `change` makes of it; where its program has a lock, under it.
    pub(super) fn agents_change(
        &mut self,
        world: &mut World,
        change: impl FnOnce(&mut World, &mut Wishes, &mut Page),
    ) {
        self.lock_file = world.thoughts.dialect() == Dialect::Hermes;
        let (mut page, first) = self.disk.read(world.now_us);
        world.now_us += world.random.between(1_000, 300_000);
        let before = texts(&page);
        change(world, &mut self.wishes, &mut page);
        if texts(&page) == before {
            return;
        }
        let page = self.lay_out(page, &world.thoughts);
        self.disk.replace(page, world.now_us);
        self.chain = match self.chain {
            _ if !self.lock_file => Chain::Broken,
            Chain::NoWrite if first => Chain::Episodes,
            Chain::Episodes => Chain::Episodes,
            Chain::NoWrite | Chain::Broken => Chain::Broken,
        };
    }

    /// Somebody who does not lock replaces the file, or writes into it.
    pub(super) fn save(&mut self, page: Page, in_place: bool, world: &World) {
        let page = self.lay_out(page, &world.thoughts);
        if in_place {
            self.disk.write_in_place(page);
        } else {
            self.disk.replace(page, world.now_us);
        }
        self.chain = Chain::Broken;
    }

    /// A call of memlore: adds a text or removes one, after looking at the file.
    pub(super) fn call(&mut self, world: &mut World) {
        self.run(world);
        world.now_us += 1;
        let page = self.book.page();
        if page.len() > 3 && world.random.percent(40) {
            let (text, tokens) = &page[world.random.index(page.len())];
            world.oracle.gone.extend(tokens);
            self.book.remove(*text, u64::MAX, Dead::Removed);
            self.versions.removed(world.thoughts.key(*text).clone());
        } else {
            let (text, tokens) = world.thought();
            // An explicit add of a text that lives is a replace of it by itself.
            let tokens =
                self.book.live_of(text).flat_map(|entry| &entry.tokens).copied().chain(tokens).collect();
            self.book.remove(text, u64::MAX, Dead::Renewed);
            self.book.add(text, tokens, false, world.now_us);
        }
        self.render(world);
    }

    /// Memlore looks at the file and renders it.
    pub(super) fn run(&mut self, world: &mut World) {
        world.now_us += 1;
        if self.import(world) {
            self.render(world);
        }
    }

    /// Takes the file's edits over. Returns whether the file is to be rendered.
    fn import(&mut self, world: &mut World) -> bool {
        let page = self.disk.page.clone();
        let parsed = self.parsed(&page, &world.thoughts);
        let file: Vec<_> = parsed.items.iter().map(|item| world.thoughts.id(&item.key)).collect();
        assert_eq!(file, texts(&page), "the file holds the page");
        let chain = std::mem::take(&mut self.chain);
        let in_file: BTreeSet<TextId> = file.iter().copied().collect();
        let settled = file == self.newest || file == texts(&self.book.page());
        // Two devices that answer each other's files would never come to rest.
        let answered = self.answered.get(&file) == Some(&self.book.commit);
        if settled || answered {
            self.adopt(&page);
            self.wishes.settle(&in_file, &self.book, &mut world.oracle);
            if file == self.newest {
                self.disk.link_again();
            }
            return settled;
        }
        let observed = Observed {
            episode: self.watched && chain == Chain::Episodes,
            synced: self.synced,
            lock_file: self.lock_file,
            newest_read: self.newest_read(),
            file_born_us: Some(self.disk.born_us),
            inference_ended: self.inference_ended,
        };
        let live: BTreeSet<TextKey> =
            self.book.live().map(|entry| world.thoughts.key(entry.text).clone()).collect();
        let Ok(judgement) = judge(&parsed, &live, &self.versions, &observed);
        self.adopt(&page);
        self.obey(&judgement, &page, world);
        self.wishes.settle(&in_file, &self.book, &mut world.oracle);
        self.remember(&file, world, Some(!judgement.held.is_empty()));
        if self.synced {
            self.answered.insert(file, self.book.commit);
        }
        true
    }

    /// A live text that stands in the file is known to its writer, whoever wrote it first.
    fn adopt(&mut self, page: &Page) {
        page.iter().for_each(|(text, tokens)| self.book.attach(*text, tokens));
    }

    fn obey(&mut self, judgement: &Judgement, page: &Page, world: &mut World) {
        let removed =
            judgement.removed.iter().map(|removed| (&removed.key, removed.seen_at, removed.inferred));
        let replaced = judgement.replaced.iter();
        let replaced = replaced.map(|replaced| (&replaced.old, replaced.seen_at, replaced.inferred));
        for (key, seen_at, inferred) in removed.chain(replaced) {
            let text = world.thoughts.id(key);
            let why = if inferred { Dead::Inferred } else { Dead::Removed };
            if self.book.remove(text, self.commit_at(seen_at), why) > 0 {
                self.versions.removed(key.clone());
            }
        }
        let replacing = judgement.replaced.iter().map(|replaced| replaced.new);
        let returned = judgement.returned.iter().map(|index| (*index, false));
        // A text that is proved to be meant again is nobody's copy, whoever wrote it before.
        let taken = judgement.added.iter().copied().chain(replacing).map(|index| (index, true));
        for (index, copied) in taken.chain(returned) {
            let (text, tokens) = &page[index];
            if !self.synced && tokens.is_subset(&world.oracle.gone) {
                world.oracle.tally.brought_back += 1;
            }
            self.book.add(*text, tokens.clone(), copied, world.now_us);
        }
        assert!(
            judgement.held.iter().all(|held| {
                let live = self.book.live_of(world.thoughts.id(&held.key)).next().is_some();
                live == (held.kind == HeldKind::Absent)
            }),
            "what is held stays as it was"
        );
        if judgement.stale_writer && !self.inference_ended {
            self.inference_ended = true;
            self.put_back_inferred(world);
        }
    }

    /// The first proof of a stale writer undoes everything that was only inferred.
    fn put_back_inferred(&mut self, world: &mut World) {
        let inferred = self.book.entries().filter(|entry| entry.dead == Some(Dead::Inferred));
        let inferred: Vec<_> = inferred.map(|entry| (entry.text, entry.tokens.clone())).collect();
        for (text, tokens) in inferred {
            if self.book.live_of(text).next().is_none() {
                // An honest removal that is undone was refused after all.
                world.oracle.tally.refused += u64::from(tokens.is_subset(&world.oracle.gone));
                self.book.add(text, tokens, false, world.now_us);
            }
        }
    }

    pub(super) fn render(&mut self, world: &mut World) {
        let page = self.lay_out(self.book.page(), &world.thoughts);
        let shown = texts(&page);
        if shown != texts(&self.disk.page) {
            self.disk.replace(page, world.now_us);
            self.writes += 1;
            self.remember(&shown, world, None);
        } else {
            // The same bytes: whoever reads them has what is behind them now.
            self.disk.page = page;
            if shown != self.newest {
                self.remember(&shown, world, None);
            }
        }
    }

    /// Takes in what the other device recorded.
    pub(super) fn take(&mut self, record: super::book::Record, world: &World) {
        if let Some(text) = self.book.take(record) {
            self.versions.removed(world.thoughts.key(text).clone());
        }
    }

    fn remember(&mut self, file: &[TextId], world: &World, import: Option<bool>) {
        if let Some(newest) = self.versions.newest_number() {
            let read = match self.newest_read() {
                NewestRead::NotKnown => None,
                NewestRead::Nobody => Some(false),
                NewestRead::FirstAt(_) | NewestRead::SomeTime => Some(true),
            };
            self.versions.set_read(newest, read);
        }
        let keys = file.iter().map(|text| world.thoughts.key(*text).clone());
        match import {
            Some(held_back) => self.versions.imported(keys, held_back),
            None => self.versions.rendered(keys),
        };
        self.commits.push(self.book.commit);
        self.newest = file.to_vec();
        self.disk.link();
    }

    fn newest_read(&self) -> NewestRead {
        if self.access_times { self.disk.newest_read() } else { NewestRead::NotKnown }
    }

    fn commit_at(&self, version: VersionNumber) -> u64 {
        self.commits[version.0 as usize - 1]
    }
}
