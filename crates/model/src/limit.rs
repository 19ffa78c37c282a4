//! How large a book or one entry may be, and in which unit that is counted.

use std::fmt;
use std::str::FromStr;

/// What a size counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Unit {
    /// Unicode code points, as Python's `len` counts.
    #[default]
    Chars,
    /// UTF-16 code units, as JavaScript's `length` counts.
    Utf16,
    /// Bytes of UTF-8.
    Bytes,
}

impl Unit {
    /// The size of a text in this unit.
    pub fn count(self, text: &str) -> u64 {
        let count = match self {
            Self::Chars => text.chars().count(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
            Self::Bytes => text.len(),
        };
        count as u64
    }

    /// The unit's name on the command line and in answers.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chars => "chars",
            Self::Utf16 => "utf16",
            Self::Bytes => "bytes",
        }
    }
}

/// A text that names no limit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no limit: write N, N:chars, N:utf16 or N:bytes")]
pub struct LimitProblem(String);

/// The greatest size that is allowed, and the unit it is counted in. Written `N` or `N:unit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The greatest size.
    pub most: u64,
    /// What is counted.
    pub unit: Unit,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.most, self.unit.name())
    }
}

impl FromStr for Limit {
    type Err = LimitProblem;

    fn from_str(text: &str) -> Result<Self, LimitProblem> {
        let problem = || LimitProblem(text.to_owned());
        let (most, unit) = text.split_once(':').unwrap_or((text, "chars"));
        let unit = [Unit::Chars, Unit::Utf16, Unit::Bytes].into_iter().find(|known| known.name() == unit);
        // i64 is what the database can hold; nothing real is larger.
        let most = most.parse::<u64>().ok().filter(|most| *most <= i64::MAX as u64);
        Ok(Self { most: most.ok_or_else(problem)?, unit: unit.ok_or_else(problem)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_unit_counts_its_own_way() {
        let text = "é🔑";
        assert_eq!(Unit::Chars.count(text), 2);
        assert_eq!(Unit::Utf16.count(text), 3);
        assert_eq!(Unit::Bytes.count(text), 6);
    }

    #[test]
    fn limits_read_back_from_what_they_show() {
        let limit: Limit = "2200".parse().unwrap();
        assert_eq!(limit, Limit { most: 2200, unit: Unit::Chars });
        let limit: Limit = "300:utf16".parse().unwrap();
        assert_eq!(limit.to_string().parse(), Ok(limit));
        assert!("-1".parse::<Limit>().is_err() && "5:words".parse::<Limit>().is_err());
    }
}
