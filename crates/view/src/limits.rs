//! The limits that a dialect's own program has, in its own way of counting.

use crate::dialect::Dialect;
use memlore_model::{BookName, Limit, Unit};

/// The limits of a book where nobody named any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DefaultLimits {
    /// How large the book may be, counted as [`crate::usage`] does.
    pub book: Option<Limit>,
    /// How large one entry's text may be.
    pub entry: Option<Limit>,
    /// How many topics there may be.
    pub topics: Option<usize>,
}

/// The limits of a dialect's own program.
///
/// hermes-agent counts code points and has its limits in its configuration, for two books; these are the ones it has
/// without it. Programs with bullets count UTF-16 units. Files that belong to somebody else have none.
pub fn default_limits(dialect: Dialect, book: &BookName) -> DefaultLimits {
    let chars = |most| Some(Limit { most, unit: Unit::Chars });
    let utf16 = |most| Some(Limit { most, unit: Unit::Utf16 });
    match (dialect, book.as_str()) {
        (Dialect::Hermes, "memory") => DefaultLimits { book: chars(2_200), ..DefaultLimits::default() },
        (Dialect::Hermes, "user") => DefaultLimits { book: chars(1_375), ..DefaultLimits::default() },
        (Dialect::Bullets, name) => DefaultLimits {
            book: utf16(if matches!(name, "memory" | "team") { 4_000 } else { 16_000 }),
            entry: utf16(300),
            topics: Some(40),
        },
        (Dialect::Hermes | Dialect::Section | Dialect::Gemini, _) => DefaultLimits::default(),
    }
}
