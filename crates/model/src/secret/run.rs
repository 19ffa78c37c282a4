//! Long runs of letters and digits that mean nothing, which nothing but keys are.

use super::link::links;
use super::shape::distinct;
use super::value::is_placeholder;
use super::{label, shape};
use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD};
use std::ops::Range;

/// The shortest run that counts.
const LEAST: usize = 32;

/// Whether the text holds such a run outside links and outside what is public anyway.
pub(super) fn holds_random(text: &str, public: &[Range<usize>]) -> bool {
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut linked: Option<Vec<Range<usize>>> = None;
    while start < bytes.len() {
        let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if length >= LEAST && is_random(&bytes[start..start + length]) {
            let linked = linked.get_or_insert_with(|| links(text));
            // Both are in order, and none ends before one that begins earlier.
            let inside = |ranges: &[Range<usize>]| {
                let after = ranges.partition_point(|range| range.start <= start);
                after > 0 && ranges[after - 1].contains(&start)
            };
            if !inside(linked) && !inside(public) && !is_known(text, start, length) {
                return true;
            }
        }
        start += length.max(1);
    }
    false
}

/// Letters and digits mixed as nobody writes them: no hash, no name, no alphabet.
fn is_random(run: &[u8]) -> bool {
    let digits = run.iter().filter(|byte| byte.is_ascii_digit()).count();
    let number = run.strip_prefix(b"0x").unwrap_or(run);
    if digits == 0 || digits == run.len() || number.iter().all(u8::is_ascii_hexdigit) {
        return false;
    }
    let ascending = run.windows(2).filter(|pair| pair[0].checked_add(1) == Some(pair[1])).count();
    distinct(run) >= 10 && ascending * 2 < run.len() && !is_name(run)
}

/// Whether a run is words and numbers joined: `screenshot20261130window1920`, `UserAuthenticationProvider2`.
fn is_name(run: &[u8]) -> bool {
    let class = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let (mut parts, mut lone, mut words, mut spoken) = (0, 0, 0, 0);
    let mut rest = run;
    while let Some(first) = rest.first() {
        // A capital letter begins a word, or a run of capitals.
        let capital = usize::from(first.is_ascii_uppercase());
        let second = rest.get(capital).map(|byte| class(*byte));
        let kind = second.filter(|kind| !kind.0 || first.is_ascii_digit()).unwrap_or(class(*first));
        let length = capital + rest[capital..].iter().take_while(|byte| class(**byte) == kind).count();
        let (part, after) = rest.split_at(length.max(1));
        rest = after;
        parts += 1;
        if !part[0].is_ascii_digit() {
            words += 1;
            lone += usize::from(part.len() == 1);
            let vowel =
                |byte: &u8| matches!(byte.to_ascii_lowercase(), b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
            spoken += usize::from(part.len() > 1 && part.iter().any(vowel));
        }
    }
    let one_case = !run.iter().any(u8::is_ascii_uppercase) || !run.iter().any(u8::is_ascii_lowercase);
    let readable = lone * 4 <= words && spoken * 5 >= (words - lone) * 4;
    if one_case { run.len() >= parts * 6 } else { readable && run.len() >= parts * 3 }
}

/// How far around a run its word is looked at, in bytes.
const NEAR: usize = 128;

/// Whether a run is part of something that everybody may see: a path, a digest, a public key, an encoded name.
fn is_known(text: &str, start: usize, length: usize) -> bool {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | '<' | '>' | ',');
    let near = text.ceil_char_boundary(start.saturating_sub(NEAR));
    let begin = text[near..start].rfind(ends).map_or(near, |at| text.ceil_char_boundary(near + at + 1));
    let rest = &text[begin..text.floor_char_boundary(start + length + NEAR)];
    let token = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let before = text[near..begin].trim_end();
    let digest = ["sha256", "sha384", "sha512", "sha1", "md5", "h1"].iter().any(|name| {
        let named = text[begin..start].to_ascii_lowercase();
        named.strip_prefix(name).is_some_and(|rest| rest.starts_with(['-', ':', '=']))
    });
    let path = ["/", "./", "../", "~/"].iter().any(|root| token.starts_with(root));
    let public_key = token.starts_with("AAAA") && (before.contains("ssh-") || before.contains("ecdsa-"));
    digest || path || public_key || is_placeholder(token) || is_encoded_name(text, start)
}

/// The longest base64 that may be a name.
const LONGEST_NAME: usize = 512;

/// Whether the run is part of base64 of a readable text, such as the name of an image, that holds no secret itself.
fn is_encoded_name(text: &str, start: usize) -> bool {
    let is_base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_');
    let bytes = text.as_bytes();
    let before = bytes[..start].iter().rev().take(LONGEST_NAME).take_while(|byte| is_base64(byte)).count();
    let begin = start - before;
    let length = bytes[begin..].iter().take(2 * LONGEST_NAME).take_while(|byte| is_base64(byte)).count();
    let encoded = &bytes[begin..begin + length];
    let decoded = BASE64_NOPAD.decode(encoded).or_else(|_| BASE64URL_NOPAD.decode(encoded));
    let Some(decoded) = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok()) else { return false };
    length <= LONGEST_NAME
        && !decoded.chars().any(char::is_control)
        && shape::find(&decoded).is_none()
        && label::find(&decoded).is_none()
}
