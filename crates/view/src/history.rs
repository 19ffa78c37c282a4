//! What the store remembers of a view, as the rules ask for it.

use crate::version::{SetHash, Span, Version, VersionNumber};
use memlore_model::TextKey;

/// The versions of one view.
///
/// Every question can be answered from an index, so an import's cost does not grow with the number of versions;
/// callers ask only about texts that the file or the newest version holds. Answers must be of one moment: an
/// implementer over a database asks inside one transaction.
pub trait History {
    /// Why the history could not be read.
    type Problem;

    /// The newest version and its keys in its order. None before the first version.
    fn newest(&self) -> Result<Option<(VersionNumber, Vec<TextKey>)>, Self::Problem>;

    /// The keys of the first version, in its order; empty before it.
    fn first(&self) -> Result<Vec<TextKey>, Self::Problem>;

    /// The runs of versions in which a text stood, oldest first; empty for a text that no version held.
    fn spans(&self, key: &TextKey) -> Result<Vec<Span>, Self::Problem>;

    /// The first version from `first` to `last`, both included, that somebody read or of which it is not known
    /// that nobody did. The newest version is never asked about.
    fn first_read(
        &self,
        first: VersionNumber,
        last: VersionNumber,
    ) -> Result<Option<VersionNumber>, Self::Problem>;

    /// The versions whose texts are exactly this set.
    fn versions_of(&self, set: SetHash) -> Result<Vec<Version>, Self::Problem>;

    /// Whether any record here ever removed this text from the view's books. Asked in synced homes only.
    fn ever_removed(&self, key: &TextKey) -> Result<bool, Self::Problem>;

    /// Calls `visit` with every text that the view's books ever held, or a version did, whose length in characters
    /// lies in the range. Others may be visited too, and one text several times.
    fn known_texts(
        &self,
        chars: std::ops::RangeInclusive<u64>,
        visit: &mut dyn FnMut(&TextKey),
    ) -> Result<(), Self::Problem>;
}
