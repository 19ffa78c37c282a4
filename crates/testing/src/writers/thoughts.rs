//! The texts that people and agents come to think of.

use crate::random::Random;
use memlore_model::TextKey;
use memlore_view::{Dialect, Item, as_shown};
use std::collections::BTreeMap;

/// One text of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TextId(pub(super) usize);

const WORDS: [&str; 48] = [
    "prefers", "likes", "uses", "box", "runs", "server", "port", "tea", "coffee", "deploys", "friday",
    "monday", "branch", "main", "tests", "slow", "fast", "cache", "disk", "backup", "nightly", "weekly",
    "team", "review", "python", "rust", "pnpm", "npm", "debian", "editor", "dark", "theme", "short",
    "answers", "german", "english", "meeting", "morning", "evening", "project", "budget", "invoice",
    "client", "garden", "kitchen", "bicycle", "train", "holiday",
];

/// Every text of one history, thought of so far.
pub(super) struct Thoughts {
    dialect: Dialect,
    items: Vec<Item>,
    ids: BTreeMap<TextKey, TextId>,
}

impl Thoughts {
    /// No thoughts yet, of people who write in this dialect.
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, items: Vec::new(), ids: BTreeMap::new() }
    }

    pub(super) fn dialect(&self) -> Dialect {
        self.dialect
    }

    pub(super) fn item(&self, id: TextId) -> &Item {
        &self.items[id.0]
    }

    pub(super) fn key(&self, id: TextId) -> &TextKey {
        &self.items[id.0].key
    }

    pub(super) fn id(&self, key: &TextKey) -> TextId {
        self.ids[key]
    }

    /// A thought of somebody's own: mostly new, now and then one that somebody else had too, or nearly.
    pub(super) fn fresh(&mut self, random: &mut Random) -> TextId {
        if !self.items.is_empty() {
            let other = TextId(self.items.len() - 1 - random.index(self.items.len().min(8)));
            match random.below(100) {
                0..2 => return other,
                2..4 => return self.near(other, random),
                _ => {}
            }
        }
        let words = random.between(4, 9);
        let words: Vec<_> = (0..words).map(|_| WORDS[random.index(WORDS.len())]).collect();
        let text = words.join(" ");
        // What a list does not show as it is.
        self.remember(match self.dialect {
            Dialect::Hermes => text,
            _ => match random.below(20) {
                0 => format!("- {text}"),
                1 => text.replacen(' ', "\n", 1),
                2 => format!("{text} [by: them]"),
                _ => text,
            },
        })
    }

    /// The text with a word changed, added or left out.
    pub(super) fn near(&mut self, id: TextId, random: &mut Random) -> TextId {
        let mut words: Vec<_> = self.item(id).text.split(' ').map(str::to_owned).collect();
        let word = WORDS[random.index(WORDS.len())].to_owned();
        let at = random.index(words.len());
        match random.below(3) {
            0 => words[at] = word,
            1 => words.insert(at, word),
            _ if words.len() > 3 => drop(words.remove(at)),
            _ => words.push(word),
        }
        self.remember(words.join(" "))
    }

    fn remember(&mut self, text: String) -> TextId {
        // A file shows the folded text; what it gives back is known by that.
        let item = Item { key: TextKey::of(&as_shown(self.dialect, &text)), ..Item::plain(text) };
        if let Some(id) = self.ids.get(&item.key) {
            return *id;
        }
        let id = TextId(self.items.len());
        self.ids.insert(item.key.clone(), id);
        self.items.push(item);
        id
    }
}
