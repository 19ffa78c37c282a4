//! Names of replicas, entries and books.

use crate::{RecordHash, base32};
use std::fmt;
use std::str::FromStr;

/// A text that is no id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no {wanted}")]
pub struct IdProblem {
    /// What was wanted, for people: "replica id", "entry id", "book name".
    pub wanted: &'static str,
    /// The text as it was given, cut to 80 characters.
    pub text: String,
}

impl IdProblem {
    fn new(wanted: &'static str, text: &str) -> Self {
        Self { wanted, text: text.chars().take(80).collect() }
    }
}

/// Names one copy of the store, for ever.
///
/// Invariant: no two copies that can change on their own share an id; it is minted anew on any doubt.
/// Shown as 26 lower-case base32 characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReplicaId(pub [u8; 16]);

impl ReplicaId {
    /// Derives the id that stands for content nobody wrote: the copies of one file give one id.
    pub fn from_content(hash: &[u8; 32]) -> Self {
        let mut id = [0; 16];
        id.copy_from_slice(&hash[..16]);
        Self(id)
    }

    /// Derives the id of one branch of a stream that two copies went on with: from the id that both wrote, and the
    /// hash of the first record that is the branch's own.
    pub fn of_branch(written: Self, first: &RecordHash) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&written.0).update(&first.0);
        Self::from_content(hasher.finalize().as_bytes())
    }
}

impl fmt::Display for ReplicaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&base32::encode(&self.0))
    }
}

impl fmt::Debug for ReplicaId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReplicaId({self})")
    }
}

impl FromStr for ReplicaId {
    type Err = IdProblem;

    fn from_str(text: &str) -> Result<Self, IdProblem> {
        let problem = || IdProblem::new("replica id", text);
        let bytes = base32::decode(text).ok_or_else(problem)?;
        Ok(Self(bytes.try_into().map_err(|_| problem())?))
    }
}

/// Names one add of one entry, for ever.
///
/// Shown as `<replica>-<counter>-<nonce>`, the last two as eight hexadecimal digits, so that the ids of one
/// replica are neighbours wherever they are sorted: automerge's cost of merging depends on it.
///
/// Invariant: a replica never gives two entries one counter; the nonce tells the entries of a forked replica
/// apart.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId {
    /// The replica that added the entry.
    pub replica: ReplicaId,
    /// The operation's number in the automerge document.
    pub counter: u32,
    /// Random bits.
    pub nonce: u32,
}

impl EntryId {
    /// The id as 24 bytes that sort as the id does.
    pub fn to_bytes(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        bytes[..16].copy_from_slice(&self.replica.0);
        bytes[16..20].copy_from_slice(&self.counter.to_be_bytes());
        bytes[20..].copy_from_slice(&self.nonce.to_be_bytes());
        bytes
    }

    /// The id that [`Self::to_bytes`] made these bytes from.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, IdProblem> {
        let problem = || IdProblem::new("entry id", &data_encoding::HEXLOWER.encode(bytes));
        let bytes: &[u8; 24] = bytes.try_into().map_err(|_| problem())?;
        let mut replica = [0; 16];
        replica.copy_from_slice(&bytes[..16]);
        let word = |at: usize| u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        Ok(Self { replica: ReplicaId(replica), counter: word(16), nonce: word(20) })
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:08x}-{:08x}", self.replica, self.counter, self.nonce)
    }
}

impl fmt::Debug for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EntryId({self})")
    }
}

impl FromStr for EntryId {
    type Err = IdProblem;

    fn from_str(text: &str) -> Result<Self, IdProblem> {
        let problem = || IdProblem::new("entry id", text);
        let mut parts = text.split('-');
        let (Some(replica), Some(counter), Some(nonce), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(problem());
        };
        let word = |digits: &str| {
            let plain = digits.len() == 8 && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
            plain.then(|| u32::from_str_radix(digits, 16).ok()).flatten().ok_or_else(problem)
        };
        let replica = replica.parse().map_err(|_| problem())?;
        Ok(Self { replica, counter: word(counter)?, nonce: word(nonce)? })
    }
}

/// Names a set of entries within a profile: `memory`, `user`, or a topic.
///
/// Invariant: 1 to 48 characters, letters, digits, `-` and `_`, lower case, beginning with a letter or digit,
/// in NFC. So a book's name is also a safe file name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BookName(String);

impl BookName {
    /// The book that is meant when none is named.
    pub fn memory() -> Self {
        Self("memory".to_owned())
    }

    /// The book of what is known of the user.
    pub fn user() -> Self {
        Self("user".to_owned())
    }

    /// The book that several agents share, where a home shows it.
    pub fn team() -> Self {
        Self("team".to_owned())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BookName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for BookName {
    type Err = IdProblem;

    fn from_str(text: &str) -> Result<Self, IdProblem> {
        use unicode_normalization::UnicodeNormalization as _;
        let name: String = text.nfc().collect();
        let mut characters = name.chars();
        let first = characters.next().is_some_and(char::is_alphanumeric);
        let rest = characters.all(|c| c.is_alphanumeric() || c == '-' || c == '_');
        let lower = name.chars().all(|c| !c.is_uppercase());
        if first && rest && lower && name.chars().count() <= 48 {
            Ok(Self(name))
        } else {
            Err(IdProblem::new("book name (1 to 48 lower-case letters, digits, - or _)", text))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_from_what_they_show() {
        let replica = ReplicaId([7; 16]);
        let entry = EntryId { replica, counter: 0x1a, nonce: 0xdead_beef };
        assert_eq!(replica.to_string().len(), 26);
        assert_eq!(replica.to_string().parse(), Ok(replica));
        assert_eq!(entry.to_string().parse(), Ok(entry));
        assert_eq!(EntryId::from_bytes(&entry.to_bytes()), Ok(entry));
    }

    #[test]
    fn one_id_has_one_spelling() {
        let text = EntryId { replica: ReplicaId([1; 16]), counter: 10, nonce: 11 }.to_string();
        assert!(text.to_uppercase().parse::<EntryId>().is_err());
        assert!(format!("{text}-").parse::<EntryId>().is_err());
        assert!(text.replace("0000000a", "+000000a").parse::<EntryId>().is_err());
    }

    #[test]
    fn book_names_are_safe_file_names() {
        for bad in ["", "../x", "a/b", "Memory", ".hidden", "a b", "-x"] {
            assert!(bad.parse::<BookName>().is_err(), "{bad:?}");
        }
        for good in ["memory", "user", "reise-2026", "記憶"] {
            assert!(good.parse::<BookName>().is_ok(), "{good:?}");
        }
    }
}
