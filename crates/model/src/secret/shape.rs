//! Keys that tell what they are by their shape.

use super::SecretKind;
use super::value::is_placeholder;

/// What the tail of a key consists of.
#[derive(Clone, Copy)]
enum Letters {
    /// Letters and digits.
    Alnum,
    /// Capital letters and digits.
    Upper,
    /// Letters, digits, `-` and `_`.
    Url,
    /// Letters, digits and `_`.
    Word,
}

impl Letters {
    fn take(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Word => byte.is_ascii_alphanumeric() || byte == b'_',
        }
    }
}

/// How a key begins, what follows, and at least how much of it.
const SHAPES: [(&str, Letters, usize); 44] = [
    ("sk-", Letters::Url, 20),
    ("sk_live_", Letters::Word, 16),
    ("rk_live_", Letters::Word, 16),
    ("whsec_", Letters::Alnum, 24),
    ("ghp_", Letters::Alnum, 30),
    ("gho_", Letters::Alnum, 30),
    ("ghu_", Letters::Alnum, 30),
    ("ghs_", Letters::Alnum, 30),
    ("ghr_", Letters::Alnum, 30),
    ("github_pat_", Letters::Word, 22),
    ("glpat-", Letters::Url, 20),
    ("AKIA", Letters::Upper, 16),
    ("ASIA", Letters::Upper, 16),
    ("xoxb-", Letters::Url, 10),
    ("xoxp-", Letters::Url, 10),
    ("xoxa-", Letters::Url, 10),
    ("xoxr-", Letters::Url, 10),
    ("xoxs-", Letters::Url, 10),
    ("xoxe-", Letters::Url, 10),
    ("xoxe.xoxp-", Letters::Url, 10),
    ("xapp-", Letters::Url, 20),
    ("AIza", Letters::Url, 35),
    ("GOCSPX-", Letters::Url, 20),
    ("ya29.", Letters::Url, 20),
    ("hf_", Letters::Alnum, 30),
    ("gsk_", Letters::Alnum, 40),
    ("xai-", Letters::Alnum, 40),
    ("pplx-", Letters::Alnum, 40),
    ("r8_", Letters::Alnum, 30),
    ("tvly-", Letters::Url, 20),
    ("dapi", Letters::Alnum, 32),
    ("npm_", Letters::Alnum, 36),
    ("pypi-", Letters::Url, 50),
    ("dop_v1_", Letters::Alnum, 40),
    ("shpat_", Letters::Alnum, 32),
    ("shpss_", Letters::Alnum, 32),
    ("tskey-", Letters::Url, 20),
    ("glsa_", Letters::Word, 30),
    ("lin_api_", Letters::Alnum, 30),
    ("sntrys_", Letters::Url, 30),
    ("dckr_pat_", Letters::Url, 20),
    ("SG.", Letters::Url, 20),
    ("EAAC", Letters::Alnum, 60),
    ("AGE-SECRET-KEY-1", Letters::Upper, 40),
];

/// The shortest key of any shape.
const SHORTEST: usize = 15;

/// How much of a key is looked at: more tells no more.
const LONGEST: usize = 512;

/// Finds a key by its shape.
pub(super) fn find(text: &str) -> Option<SecretKind> {
    let bytes = text.as_bytes();
    let mut before = b' ';
    let mut word_end = 0;
    for (start, &byte) in bytes.iter().enumerate() {
        // Only where a word begins: `task-…` and `risk-…` end in the beginning of a key.
        if byte.is_ascii_alphanumeric() && !before.is_ascii_alphanumeric() {
            if start >= word_end {
                let joined =
                    |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
                word_end = start + run(&bytes[start..], joined);
            }
            let rest = &bytes[start..word_end];
            if rest.len() < SHORTEST {
                before = byte;
                continue;
            }
            if SHAPES.iter().any(|shape| has_shape(text, start, rest, *shape)) || is_bot_token(rest) {
                return Some(SecretKind::Key);
            }
            if rest.starts_with(b"eyJ") && is_signed_token(rest) {
                return Some(SecretKind::SignedToken);
            }
        }
        before = byte;
    }
    None
}

fn has_shape(
    text: &str,
    start: usize,
    rest: &[u8],
    (prefix, letters, least): (&str, Letters, usize),
) -> bool {
    let Some(tail) = rest.strip_prefix(prefix.as_bytes()) else { return false };
    let tail = &tail[..tail.len().min(LONGEST)];
    let length = run(tail, |byte| letters.take(byte));
    // The tail is ASCII, so its end is the end of a character.
    let key = &text[start..start + prefix.len() + length];
    let exact = matches!(prefix, "AKIA" | "ASIA");
    if length < least || exact && (length > least || tail.get(length).is_some_and(u8::is_ascii_alphanumeric))
    {
        return false;
    }
    let tail = &tail[..length];
    let longest = tail.split(|byte| !byte.is_ascii_alphanumeric()).max_by_key(|part| part.len());
    let longest = longest.unwrap_or_default();
    // `sk-learn-pipeline-with-many-steps` is words, a key is one long part or has digits in it.
    let drawn = match prefix {
        "sk-" => longest.len() >= 20 || longest.len() >= 12 && longest.iter().any(u8::is_ascii_digit),
        _ => longest.len() >= 16 || tail.iter().any(u8::is_ascii_digit),
    };
    drawn && distinct(tail) >= 6 && !is_placeholder(key)
}

/// A Telegram bot's token: its number, a colon, 35 letters that begin with `AA`.
fn is_bot_token(rest: &[u8]) -> bool {
    let digits = run(rest, |byte| byte.is_ascii_digit());
    (8..=10).contains(&digits)
        && rest[digits..].starts_with(b":AA")
        && run(&rest[digits + 1..], |byte| Letters::Url.take(byte)) == 35
}

/// Two parts of base64 that begin as JSON does, or one, and a signature.
fn is_signed_token(rest: &[u8]) -> bool {
    let mut rest = rest;
    for part in 0..3 {
        let length = run(&rest[..rest.len().min(8 * LONGEST)], |byte| Letters::Url.take(byte));
        if length < 10 || distinct(&rest[..length]) < 6 {
            return false;
        }
        rest = &rest[length..];
        if part < 2 {
            let Some(after) = rest.strip_prefix(b".") else { return false };
            rest = after;
        }
    }
    true
}

fn run(bytes: &[u8], takes: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|byte| !takes(*byte)).unwrap_or(bytes.len())
}

/// How many different bytes there are.
pub(super) fn distinct(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    bytes.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    seen.iter().filter(|seen| **seen).count()
}
