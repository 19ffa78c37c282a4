//! Where an entry stands in its book.

/// A place in the order of a book; the texts of two positions sort as the positions do.
///
/// A letter says how many digits of base 36 follow, so that a longer number sorts after a shorter one. Places
/// are only ever appended or taken over from a replaced entry, never made in between.
///
/// Invariant: empty, which sorts first, or a letter from `a` to `l` and as many digits as it says.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position(String);

const FIRST: &str = "a0";
const MOST_DIGITS: usize = 12;

impl Position {
    /// Reads a position; text that is none counts as the first place, on every replica alike.
    pub fn read(text: &str) -> Self {
        let digits = text.as_bytes().split_first().map(|(letter, digits)| {
            let wanted = usize::from(letter.wrapping_sub(b'a')) + 1;
            wanted == digits.len()
                && wanted <= MOST_DIGITS
                && digits.iter().all(|d| matches!(d, b'0'..=b'9' | b'a'..=b'z'))
        });
        if digits == Some(true) { Self(text.to_owned()) } else { Self::default() }
    }

    /// The place right after `last`, or the first one of an empty book.
    pub fn after(last: Option<&Self>) -> Self {
        let Some(last) = last.filter(|last| !last.0.is_empty()) else {
            return Self(FIRST.to_owned());
        };
        let (letter, digits) = last.0.split_at(1);
        let mut digits = digits.as_bytes().to_vec();
        for digit in digits.iter_mut().rev() {
            *digit = match *digit {
                b'z' => b'0',
                b'9' => b'a',
                other => other + 1,
            };
            if *digit != b'0' {
                return Self(format!("{letter}{}", String::from_utf8_lossy(&digits)));
            }
        }
        if digits.len() == MOST_DIGITS {
            // The last place there is: whatever follows shares it and is ordered by its id.
            return last.clone();
        }
        let longer = char::from(letter.as_bytes()[0] + 1);
        Self(format!("{longer}1{}", "0".repeat(digits.len())))
    }

    /// The position as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn appending_always_sorts_last() {
        let mut last = Position::after(None);
        for _ in 0..60_000 {
            let next = Position::after(Some(&last));
            assert!(last < next, "{last:?} {next:?}");
            assert_eq!(Position::read(next.as_str()), next);
            last = next;
        }
    }

    #[test]
    fn a_strange_position_counts_as_the_first() {
        for strange in ["", "z", "b1", "a!", "{{{", "lzzzzzzzzzzzzz"] {
            assert_eq!(Position::read(strange), Position::default(), "{strange}");
        }
        let end = Position::read("lzzzzzzzzzzzz");
        assert_eq!(Position::after(Some(&end)), end);
    }
}
