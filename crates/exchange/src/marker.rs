//! The marker: which store a share belongs to.

mod decide;
mod facts;

pub use decide::{MarkerDecision, Refusal, decide};
pub use facts::MarkerFacts;

use crate::layout::MARKER;
use crate::{Share, ShareProblem, Written};
use memlore_model::{IdProblem, ReplicaId};
use serde_json::{Value, json};
use std::fmt;
use std::str::FromStr;

/// The layout of shares that this version writes, and the greatest that it reads.
pub const SHARE_FORMAT: u64 = 1;

/// Names the store that the replicas around one share make up: 16 random bytes, shown as 26 base32 characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoreId(pub [u8; 16]);

impl fmt::Display for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        ReplicaId(self.0).fmt(f)
    }
}

impl fmt::Debug for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreId({self})")
    }
}

impl FromStr for StoreId {
    type Err = IdProblem;

    fn from_str(text: &str) -> Result<Self, IdProblem> {
        text.parse()
            .map(|ReplicaId(bytes)| Self(bytes))
            .map_err(|problem: IdProblem| IdProblem { wanted: "store id", ..problem })
    }
}

/// What one marker, or a conflict copy of one, says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Marker {
    /// The share belongs to this store.
    Store(StoreId),
    /// The share has a layout of a later version.
    Newer(u64),
    /// The marker is there and cannot be read: empty, torn, or still on its way.
    Unreadable,
}

impl Marker {
    /// The marker's text for a store.
    pub fn json_of(store: StoreId) -> String {
        format!("{:#}\n", json!({ "format": SHARE_FORMAT, "store": store.to_string() }))
    }

    /// Reads a marker's bytes. Fields that this version does not know are passed over.
    pub fn read(bytes: &[u8]) -> Self {
        let Ok(Value::Object(fields)) = serde_json::from_slice(bytes) else { return Self::Unreadable };
        let store = fields.get("store").and_then(Value::as_str).and_then(|id| id.parse().ok());
        match (fields.get("format").and_then(Value::as_u64), store) {
            (Some(SHARE_FORMAT), Some(store)) => Self::Store(store),
            (Some(newer), _) if newer > SHARE_FORMAT => Self::Newer(newer),
            _ => Self::Unreadable,
        }
    }
}

/// Makes the marker, unless there is one: then it is left, and what it says decides anew.
///
/// # Errors
/// Returns why it could not be written.
pub fn make_marker(share: &dyn Share, store: StoreId) -> Result<Written, ShareProblem> {
    share.write_new(MARKER, Marker::json_of(store).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_reads_back() {
        let store = StoreId([9; 16]);
        assert_eq!(Marker::read(Marker::json_of(store).as_bytes()), Marker::Store(store));
    }

    #[test]
    fn a_later_version_may_add_fields_but_not_change_the_format() {
        let store = StoreId([9; 16]);
        let more = format!(r#"{{"store":"{store}","format":1,"since":"2026"}}"#);
        assert_eq!(Marker::read(more.as_bytes()), Marker::Store(store));
        assert_eq!(Marker::read(br#"{"format":2}"#), Marker::Newer(2));
    }

    #[test]
    fn whatever_else_is_unreadable() {
        let store = StoreId([9; 16]);
        let torn = &Marker::json_of(store)[..30];
        for bytes in ["", "\0\0\0", "{}", "[1]", r#"{"format":1,"store":"x"}"#, r#"{"format":0}"#, torn] {
            assert_eq!(Marker::read(bytes.as_bytes()), Marker::Unreadable, "{bytes:?}");
        }
    }
}
