//! How much two texts have in common.

/// Twice the common pairs of neighbouring characters, and the pairs of both texts together.
///
/// A fraction kept as two numbers, so that comparing is exact. Neither the order of words nor the script matters.
#[derive(Clone, Copy, Debug)]
pub struct Nearness {
    common: u64,
    all: u64,
}

impl Nearness {
    /// Whether more than two thirds are common.
    pub fn is_near(self) -> bool {
        self.common * 3 > self.all * 2
    }
}

impl PartialEq for Nearness {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Nearness {}

impl PartialOrd for Nearness {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Nearness {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let (left, right) = (self.common * other.all.max(1), other.common * self.all.max(1));
        left.cmp(&right)
    }
}

/// A text's pairs of neighbouring characters, ready to be compared many times.
pub(crate) struct Pairs {
    sorted: Vec<(char, char)>,
}

impl Pairs {
    pub(crate) fn of(text: &str) -> Self {
        // The ends count as characters, so that a text of one character has pairs too.
        let chars = || std::iter::once('\n').chain(text.chars());
        let mut sorted: Vec<_> = chars().zip(chars().skip(1).chain(['\n'])).collect();
        sorted.sort_unstable();
        Self { sorted }
    }

    pub(crate) fn nearness(&self, other: &Self) -> Nearness {
        let (mut left, mut right, mut common) =
            (self.sorted.iter().peekable(), other.sorted.iter().peekable(), 0);
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            let order = a.cmp(b);
            if order.is_le() {
                left.next();
            }
            if order.is_ge() {
                right.next();
            }
            common += u64::from(order.is_eq());
        }
        Nearness { common: 2 * common, all: (self.sorted.len() + other.sorted.len()) as u64 }
    }

    /// The lengths, in characters, of the texts that can be near this one at all.
    pub(crate) fn near_lengths(&self) -> std::ops::RangeInclusive<u64> {
        // All pairs of the shorter are common at best: 2s / (s + l) > 2/3 means l < 2s.
        let pairs = self.sorted.len() as u64;
        (pairs / 2).saturating_sub(1)..=2 * pairs
    }
}

/// How near two texts are.
pub fn nearness(left: &str, right: &str) -> Nearness {
    Pairs::of(left).nearness(&Pairs::of(right))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_word_leaves_texts_near_and_another_subject_does_not() {
        for (left, right, near) in [
            ("Prefers pnpm over npm", "Prefers pnpm over npm and yarn", true),
            ("The box runs Debian 12", "The box runs Debian 13", true),
            ("喜欢喝绿茶和咖啡", "喜欢喝绿茶和牛奶", false),
            ("他每天早上喜欢喝绿茶", "他每天早上喜欢喝红茶", true),
            ("Likes tea", "Ships on Tuesdays", false),
            ("a", "b", false),
            ("a", "a", true),
        ] {
            assert_eq!(nearness(left, right).is_near(), near, "{left} / {right}");
        }
        assert!(nearness("abcdef", "abcdeg") > nearness("abcdef", "abcxyz"));
        assert_eq!(nearness("ab", "ab"), nearness("abcd", "abcd"));
    }

    #[test]
    fn what_is_near_has_a_near_length() {
        for short in 1..40 {
            for long in short..90 {
                let (a, b) = ("x".repeat(short), "x".repeat(long));
                if nearness(&a, &b).is_near() {
                    assert!(Pairs::of(&a).near_lengths().contains(&(long as u64)));
                    assert!(Pairs::of(&b).near_lengths().contains(&(short as u64)));
                }
            }
        }
    }
}
