//! Whether to use a share: the whole table of decisions, as a function of what lies there.

use super::{Marker, MarkerFacts, StoreId};
use std::collections::BTreeSet;

/// What to do with a share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarkerDecision {
    /// It is ours: read and write.
    Use,
    /// Make the marker, with our own store's id or a new one; then use it.
    Make,
    /// It is ours under these ids too: accept them from now on, then use it.
    Adopt(BTreeSet<StoreId>),
    /// The share, or its marker, is not there. Nothing is read or written there; nothing local changes.
    Missing,
    /// Nothing is read or written there.
    Refuse(Refusal),
}

/// Why a share is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It belongs to another store.
    #[error(
        "the share belongs to another store ({}); name an empty folder, or the share of this store; copying all files of \
         one share into the other, and keeping both memlore.json, makes one store of two",
        list(.0)
    )]
    Foreign(BTreeSet<StoreId>),
    /// It has a marker, this store never met a share, and nobody named this one.
    #[error("this store never used a share; name this one with --share to join it")]
    NotNamed,
    /// A later version made it.
    #[error("the share has format {0}, which needs a newer version of memlore")]
    Newer(u64),
    /// Its marker cannot be read.
    #[error(
        "memlore.json in the share is empty or damaged; perhaps it is still being synced; one that stays so can be deleted: \
             `memlore sync --share` makes it again"
    )]
    Unreadable,
    /// Other replicas' segments are here and the marker is not.
    #[error("the share holds segments but no memlore.json; perhaps it is still being synced")]
    NoMarkerYet,
    /// It holds other files and no marker.
    #[error("the folder holds other files and no memlore.json; name an empty folder")]
    NotEmpty,
}

/// Decides whether to use a share.
///
/// Only a share that somebody named is ever given a marker, and only one that cannot be anybody else's. A share
/// that has lost its marker is not touched until somebody names it again.
pub fn decide(facts: &MarkerFacts) -> MarkerDecision {
    use MarkerDecision::{Adopt, Make, Missing, Refuse, Use};
    if !facts.there {
        return Missing;
    }
    let newer = facts.markers.iter().find_map(|marker| match marker {
        Marker::Newer(format) => Some(*format),
        _ => None,
    });
    if let Some(format) = newer {
        return Refuse(Refusal::Newer(format));
    }
    let stores: BTreeSet<StoreId> = facts.stores().collect();
    if stores.is_empty() {
        return match (facts.markers.is_empty(), facts.named) {
            (false, _) => Refuse(Refusal::Unreadable),
            (true, false) => Missing,
            (true, true) if facts.empty || facts.own_files || facts.known_files => Make,
            (true, true) if facts.segments => Refuse(Refusal::NoMarkerYet),
            (true, true) => Refuse(Refusal::NotEmpty),
        };
    }
    let strangers: BTreeSet<StoreId> = stores.difference(&facts.accepted).copied().collect();
    if strangers.is_empty() {
        Use
    } else if strangers.len() < stores.len() || facts.own_files {
        // Two devices that started at once made two markers, or we were here before.
        Adopt(strangers)
    } else if !facts.accepted.is_empty() {
        Refuse(Refusal::Foreign(strangers))
    } else if facts.named {
        Adopt(strangers)
    } else {
        Refuse(Refusal::NotNamed)
    }
}

fn list(stores: &BTreeSet<StoreId>) -> String {
    stores.iter().map(StoreId::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
