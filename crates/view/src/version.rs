//! The versions of a view: how they are numbered, compared, and how long a text stood in them.

use memlore_model::TextKey;
use std::fmt;

/// The number of one version of a view. Each rendering that was written and each import is a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VersionNumber(pub u64);

/// A run of versions in which one text stood, without a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The version that brought the text.
    pub first: VersionNumber,
    /// The last version that held it, the newest when it still stands.
    pub last: VersionNumber,
    /// When `first` is an import: the text's index in that file. None when a rendering brought it.
    pub place: Option<u64>,
}

impl Span {
    /// Whether every version of the other span lies in this one.
    pub fn covers(&self, other: &Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

/// What is known of one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Its number.
    pub number: VersionNumber,
    /// Whether it is an import of which something was held: then nobody agreed that it is the memory's state.
    pub held_back: bool,
    /// Whether somebody read it before it was replaced. None when that is not known.
    pub read: Option<bool>,
}

/// Identifies a set of texts, whatever their order.
///
/// Kept up text by text; equal sets have equal hashes. Texts that are one by [`TextKey`] count once, and it is
/// for the caller to insert and remove each of them once.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SetHash(u128);

impl SetHash {
    /// The hash of the set of these keys, which must be distinct.
    pub fn of<'a>(keys: impl IntoIterator<Item = &'a TextKey>) -> Self {
        let mut set = Self::default();
        keys.into_iter().for_each(|key| set.insert(key));
        set
    }

    /// Puts a text in that was not in.
    pub fn insert(&mut self, key: &TextKey) {
        self.0 = self.0.wrapping_add(u128::from_le_bytes(key.digest()));
    }

    /// Puts a text in that was not in, by the digest of its key.
    pub fn insert_digest(&mut self, digest: [u8; 16]) {
        self.0 = self.0.wrapping_add(u128::from_le_bytes(digest));
    }

    /// Takes a text out that was in.
    pub fn remove(&mut self, key: &TextKey) {
        self.0 = self.0.wrapping_sub(u128::from_le_bytes(key.digest()));
    }

    /// The sixteen bytes that stand for it in the database.
    pub fn to_bytes(self) -> [u8; 16] {
        self.0.to_le_bytes()
    }

    /// Reads what [`Self::to_bytes`] gave.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(u128::from_le_bytes(bytes))
    }
}

impl fmt::Debug for SetHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SetHash({:032x})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_the_same_in_any_order_and_after_any_detour() {
        let [a, b, c] = ["a", "b", "c"].map(TextKey::of);
        let mut set = SetHash::of([&a, &b, &c]);
        assert_eq!(set, SetHash::of([&c, &a, &b]));
        set.remove(&b);
        assert_eq!(set, SetHash::of([&a, &c]));
        assert_ne!(set, SetHash::of([&a, &b]));
        assert_eq!(SetHash::from_bytes(set.to_bytes()), set);
    }
}
