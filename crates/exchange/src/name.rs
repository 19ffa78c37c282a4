//! Names of segment files.

use std::fmt;
use std::str::FromStr;

/// How much of the file's hash its name holds, in bytes.
const HASH_BYTES: usize = 10;
const SUFFIX: &str = ".seg";

/// The name of a segment's file, such as `1to250h4k2rq7mzx3tw5abc.seg`.
///
/// A name is only a hint for listing: what a file holds is said by its content. It is made of lower-case
/// letters, digits and one dot, so it survives every file system and sync program; equal names mean equal
/// bytes, and no two spellings mean one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentName {
    /// The number of the first record.
    pub first: u64,
    /// The number of the last record.
    pub last: u64,
    /// The beginning of the hash that ends the file.
    pub hash: [u8; HASH_BYTES],
}

impl SegmentName {
    /// The name of the file with these record numbers, whose last 32 bytes are `hash`.
    pub fn new(first: u64, last: u64, hash: &[u8; 32]) -> Self {
        let mut short = [0; HASH_BYTES];
        short.copy_from_slice(&hash[..HASH_BYTES]);
        Self { first, last, hash: short }
    }
}

impl fmt::Display for SegmentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}to{}h{}{SUFFIX}", self.first, self.last, base32(&self.hash))
    }
}

/// The text is no name of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name is not that of a segment")]
pub struct NoSegmentName;

impl FromStr for SegmentName {
    type Err = NoSegmentName;

    fn from_str(text: &str) -> Result<Self, NoSegmentName> {
        let parsed = || {
            let (numbers, hash) = text.strip_suffix(SUFFIX)?.split_once('h')?;
            let (first, last) = numbers.split_once("to")?;
            let hash = unbase32(hash)?;
            Some(Self { first: first.parse().ok()?, last: last.parse().ok()?, hash })
        };
        // Written again, so that leading zeros, signs and the like are no second spelling.
        parsed()
            .filter(|name| 1 <= name.first && name.first <= name.last && name.to_string() == text)
            .ok_or(NoSegmentName)
    }
}

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Ten bytes are sixteen characters, with no bits left over.
fn base32(bytes: &[u8; HASH_BYTES]) -> String {
    let mut bits = bytes.iter().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
    let mut characters = [0; 16];
    for character in characters.iter_mut().rev() {
        *character = ALPHABET[(bits & 31) as usize];
        bits >>= 5;
    }
    characters.iter().map(|character| char::from(*character)).collect()
}

fn unbase32(text: &str) -> Option<[u8; HASH_BYTES]> {
    if text.len() != 16 {
        return None;
    }
    let mut bits = 0u128;
    for character in text.bytes() {
        let value = ALPHABET.iter().position(|letter| *letter == character)?;
        bits = bits << 5 | value as u128;
    }
    bits.to_be_bytes()[6..].try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for (first, last) in [(1, 1), (1, 250), (7, u64::MAX), (u64::MAX, u64::MAX)] {
            for byte in [0, 0x5a, 0xff] {
                let name = SegmentName::new(first, last, &[byte; 32]);
                assert_eq!(name.to_string().parse(), Ok(name));
            }
        }
    }

    #[test]
    fn the_longest_name_is_short_and_plain() {
        let name = SegmentName::new(u64::MAX, u64::MAX, &[0xa5; 32]).to_string();
        assert!(name.len() <= 64);
        let stem = name.strip_suffix(SUFFIX).unwrap();
        assert!(stem.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()), "{name}");
    }

    #[test]
    fn one_name_has_one_spelling() {
        let good = SegmentName::new(3, 12, &[1; 32]).to_string();
        let bad = [
            good.to_uppercase(),
            good.replace("3to", "03to"),
            good.replace("3to", "+3to"),
            good.replace("3to", "0to"),
            good.replace("3to", "13to"),
            good.replace(".seg", ""),
            good.replace(".seg", ".seg.seg"),
            good.replace(".seg", "-LAPTOP7.seg"),
            good.replace(".seg", " (1).seg"),
            good.replace(".seg", " 2.seg"),
            good.replace(".seg", ".sync-conflict-20260102-101010-ABCDEF7.seg"),
            format!("{good}.conflict1"),
            format!(" {good}"),
        ];
        assert!(good.parse::<SegmentName>().is_ok());
        for bad in bad {
            assert_eq!(bad.parse::<SegmentName>(), Err(NoSegmentName), "{bad}");
        }
    }
}
