//! A history kept in memory.

use crate::history::History;
use crate::version::{SetHash, Span, Version, VersionNumber};
use memlore_model::TextKey;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

/// The versions of a view as a plain list, for tests and simulations.
///
/// It says in the shortest way what a [`History`] over a database has to answer.
#[derive(Clone, Debug, Default)]
pub struct VersionList {
    versions: Vec<Kept>,
    spans: BTreeMap<TextKey, Vec<Span>>,
    by_set: BTreeMap<SetHash, Vec<usize>>,
    removed: BTreeSet<TextKey>,
}

#[derive(Clone, Debug)]
struct Kept {
    keys: Vec<TextKey>,
    held_back: bool,
    read: Option<bool>,
}

impl VersionList {
    /// Remembers a rendering that was written.
    pub fn rendered(&mut self, keys: impl IntoIterator<Item = TextKey>) -> VersionNumber {
        self.push(keys.into_iter().collect(), false, false)
    }

    /// Remembers an import that was taken, and whether something of it was held.
    pub fn imported(&mut self, keys: impl IntoIterator<Item = TextKey>, held_back: bool) -> VersionNumber {
        self.push(keys.into_iter().collect(), true, held_back)
    }

    /// Says whether a version was read before it was replaced; until then it is not known.
    pub fn set_read(&mut self, number: VersionNumber, read: Option<bool>) {
        if let Some(kept) = index_of(number).and_then(|index| self.versions.get_mut(index)) {
            kept.read = read;
        }
    }

    /// Remembers that a record removed this text.
    pub fn removed(&mut self, key: TextKey) {
        self.removed.insert(key);
    }

    /// The number of the newest version.
    pub fn newest_number(&self) -> Option<VersionNumber> {
        self.versions.len().checked_sub(1).map(number_of)
    }

    fn push(&mut self, keys: Vec<TextKey>, imported: bool, held_back: bool) -> VersionNumber {
        let number = number_of(self.versions.len());
        for (place, key) in keys.iter().enumerate() {
            let spans = self.spans.entry(key.clone()).or_default();
            match spans.last_mut() {
                Some(span) if span.last.0 + 1 == number.0 => span.last = number,
                _ => {
                    spans.push(Span { first: number, last: number, place: imported.then_some(place as u64) });
                }
            }
        }
        self.by_set.entry(SetHash::of(&keys)).or_default().push(self.versions.len());
        self.versions.push(Kept { keys, held_back, read: None });
        number
    }
}

fn number_of(index: usize) -> VersionNumber {
    VersionNumber(index as u64 + 1)
}

fn index_of(number: VersionNumber) -> Option<usize> {
    usize::try_from(number.0.checked_sub(1)?).ok()
}

impl History for VersionList {
    type Problem = Infallible;

    fn newest(&self) -> Result<Option<(VersionNumber, Vec<TextKey>)>, Infallible> {
        Ok(self.newest_number().zip(self.versions.last()).map(|(number, kept)| (number, kept.keys.clone())))
    }

    fn first(&self) -> Result<Vec<TextKey>, Infallible> {
        Ok(self.versions.first().map(|kept| kept.keys.clone()).unwrap_or_default())
    }

    fn spans(&self, key: &TextKey) -> Result<Vec<Span>, Infallible> {
        Ok(self.spans.get(key).cloned().unwrap_or_default())
    }

    fn first_read(
        &self,
        first: VersionNumber,
        last: VersionNumber,
    ) -> Result<Option<VersionNumber>, Infallible> {
        let mut asked = (first.0..=last.0).map(VersionNumber);
        Ok(asked.find(|number| {
            let kept = index_of(*number).and_then(|index| self.versions.get(index));
            kept.is_some_and(|kept| kept.read != Some(false))
        }))
    }

    fn versions_of(&self, set: SetHash) -> Result<Vec<Version>, Infallible> {
        let indexes = self.by_set.get(&set).map(Vec::as_slice).unwrap_or_default();
        let version = |&index: &usize| {
            let kept = &self.versions[index];
            Version { number: number_of(index), held_back: kept.held_back, read: kept.read }
        };
        Ok(indexes.iter().map(version).collect())
    }

    fn ever_removed(&self, key: &TextKey) -> Result<bool, Infallible> {
        Ok(self.removed.contains(key))
    }

    fn known_texts(
        &self,
        chars: std::ops::RangeInclusive<u64>,
        visit: &mut dyn FnMut(&TextKey),
    ) -> Result<(), Infallible> {
        let fits = |key: &&TextKey| chars.contains(&(key.as_str().chars().count() as u64));
        self.spans.keys().filter(fits).for_each(visit);
        Ok(())
    }
}
