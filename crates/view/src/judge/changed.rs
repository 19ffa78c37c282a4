//! Which new texts are changed forms of absent ones.

use super::differences::Differences;
use crate::frame::Parsed;
use crate::history::History;
use crate::nearness::{Nearness, Pairs};
use memlore_model::TextKey;
use std::collections::BTreeMap;

/// The absent texts that a new one was made from.
#[derive(Default)]
pub(super) struct Changed {
    new_of: BTreeMap<TextKey, (usize, Nearness)>,
}

impl Changed {
    /// Finds for each new text the nearest of all texts ever known, and keeps it when that is an absent one.
    ///
    /// A text that another one is as near to was perhaps made from that one, which proves nothing.
    pub(super) fn find<H: History>(
        file: &Parsed,
        found: &Differences,
        history: &H,
    ) -> Result<Self, H::Problem> {
        if found.new.is_empty() {
            return Ok(Self::default());
        }
        let absent: Vec<_> = found.absent.iter().map(|key| (key, Pairs::of(key.as_str()))).collect();
        let mut changed = Self::default();
        for &index in &found.new {
            let new = &file.items[index].key;
            let pairs = Pairs::of(new.as_str());
            let near = absent.iter().map(|(key, old)| (pairs.nearness(old), *key));
            let Some((nearness, old)) = near.max_by_key(|(nearness, _)| *nearness) else { break };
            if !nearness.is_near() {
                continue;
            }
            let mut rival = false;
            history.known_texts(pairs.near_lengths(), &mut |known| {
                rival |=
                    known != old && known != new && pairs.nearness(&Pairs::of(known.as_str())) >= nearness;
            })?;
            let nearer = changed.new_of.get(old).is_none_or(|(_, other)| nearness > *other);
            if !rival && nearer {
                changed.new_of.insert(old.clone(), (index, nearness));
            }
        }
        Ok(changed)
    }

    /// The item that was made from this text.
    pub(super) fn new_of(&self, old: &TextKey) -> Option<usize> {
        self.new_of.get(old).map(|(index, _)| *index)
    }
}
