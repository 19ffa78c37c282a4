//! An entry's text: how it is cleaned, and when two texts are the same.

use std::fmt;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

/// The longest text that one entry may have in any profile, in bytes of UTF-8.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// Why a text can be no entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TextProblem {
    /// Nothing but white space.
    #[error("the text is empty")]
    Empty,
    /// Longer than [`MAX_TEXT_BYTES`].
    #[error("the text has {bytes} bytes; one entry may have {MAX_TEXT_BYTES}")]
    TooLong {
        /// Its length in UTF-8.
        bytes: usize,
    },
    /// Sync programs pad files with NUL bytes, so a view cannot tell a text's own from theirs.
    #[error("the text holds a NUL character")]
    Nul,
}

/// White space for every reader of a view: Unicode's, and the separators that Python's `strip` takes too.
fn is_outer_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// Returns the text as an entry keeps it: line ends as LF, outer white space trimmed.
///
/// # Errors
/// Returns why this text can be no entry.
pub fn clean_text(text: &str) -> Result<String, TextProblem> {
    let cleaned = lines_as_lf(text);
    let cleaned = cleaned.trim_matches(is_outer_space);
    if cleaned.is_empty() {
        Err(TextProblem::Empty)
    } else if cleaned.len() > MAX_TEXT_BYTES {
        Err(TextProblem::TooLong { bytes: cleaned.len() })
    } else if cleaned.contains('\0') {
        Err(TextProblem::Nul)
    } else {
        Ok(cleaned.to_owned())
    }
}

fn lines_as_lf(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

/// What makes two texts of one book the same: NFC, line ends as LF, outer white space trimmed.
///
/// Case, inner spaces and compatibility forms differ. Ordered as the normalised text is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextKey(String);

impl TextKey {
    /// The key of a text.
    pub fn of(text: &str) -> Self {
        let text = lines_as_lf(text);
        let text = text.trim_matches(is_outer_space);
        Self(if is_nfc(text) { text.to_owned() } else { text.nfc().collect() })
    }

    /// The normalised text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Sixteen bytes that stand for the key in an index.
    pub fn digest(&self) -> [u8; 16] {
        let mut digest = [0; 16];
        digest.copy_from_slice(&blake3::hash(self.0.as_bytes()).as_bytes()[..16]);
        digest
    }
}

impl fmt::Debug for TextKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TextKey({:?})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_in_two_spellings_is_one_text() {
        assert_eq!(TextKey::of("caf\u{e9}\r\nbar "), TextKey::of(" cafe\u{301}\nbar"));
        assert_eq!(TextKey::of("\u{1f}a\u{2003}"), TextKey::of("a"));
        assert_ne!(TextKey::of("Tea"), TextKey::of("tea"));
        assert_ne!(TextKey::of("a  b"), TextKey::of("a b"));
        assert_ne!(TextKey::of("\u{fb01}"), TextKey::of("fi"));
    }

    #[test]
    fn cleaning_keeps_the_letters_as_they_were_written() {
        assert_eq!(clean_text("  cafe\u{301}\r\nx\r "), Ok("cafe\u{301}\nx".to_owned()));
        assert_eq!(clean_text(" \n\t"), Err(TextProblem::Empty));
        assert_eq!(clean_text("a\0b"), Err(TextProblem::Nul));
    }
}
