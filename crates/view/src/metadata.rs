//! Metadata at the end of a bullet: `[key: value; key: value]`.

use crate::lines::{folded, is_space};
use std::collections::BTreeMap;

/// The keys that stand first, in this order; the others follow by name.
const FIRST: [&str; 3] = ["source", "by", "added"];

/// Takes the metadata off the end of a folded text.
pub(crate) fn take_off(text: &str) -> (&str, BTreeMap<String, String>) {
    match block(text).and_then(|at| Some((at, pairs(&text[at..])?))) {
        Some((at, labels)) => (text[..at].trim_end_matches(is_space), labels),
        None => (text, BTreeMap::new()),
    }
}

/// Appends the labels that can be shown.
pub(crate) fn push(line: &mut String, labels: &BTreeMap<String, String>, source: Option<&str>) {
    let source = source.or_else(|| labels.get("source").map(String::as_str));
    let value = |key: &str| if key == "source" { source } else { labels.get(key).map(String::as_str) };
    let first = FIRST.into_iter().filter_map(|key| value(key).map(|value| (key, value)));
    let others = labels.iter().filter(|(key, _)| !FIRST.contains(&key.as_str()) && is_key(key));
    let mut opened = false;
    for (key, value) in first.chain(others.map(|(key, value)| (key.as_str(), value.as_str()))) {
        let value = folded(&value.replace([';', '[', ']'], " "));
        if !value.is_empty() {
            line.push_str(if opened { "; " } else { " [" });
            opened = true;
            line.push_str(key);
            line.push_str(": ");
            line.push_str(&value);
        }
    }
    if opened {
        line.push(']');
    }
}

/// Makes the end of a folded text plain words, when it would be taken for metadata: its first colon gets one more
/// backslash in front, which Markdown does not show.
pub(crate) fn escape(text: String) -> String {
    match first_colon(&text) {
        Some(colon) => format!("{}\\{}", &text[..colon], &text[colon..]),
        None => text,
    }
}

/// Takes off what [`escape`] put in.
pub(crate) fn unescape(text: &str) -> String {
    match first_colon(text) {
        Some(colon) if text[..colon].ends_with('\\') => format!("{}{}", &text[..colon - 1], &text[colon..]),
        _ => text.to_owned(),
    }
}

/// Where the first colon of the last block stands, when the block is metadata but for backslashes before it.
fn first_colon(text: &str) -> Option<usize> {
    let at = block(text)?;
    let colon = at + text[at..].find(':')?;
    let key = text[at..colon].trim_end_matches('\\');
    pairs(&format!("{key}{}", &text[colon..])).map(|_| colon)
}

/// Where the last block of a text that ends with one begins.
fn block(text: &str) -> Option<usize> {
    text.ends_with(']').then(|| text.rfind('[')).flatten()
}

/// Reads `[key: value; key: value]`; a text in brackets that is anything else is none.
fn pairs(block: &str) -> Option<BTreeMap<String, String>> {
    let inner = block.strip_prefix('[')?.strip_suffix(']')?;
    let mut labels = BTreeMap::new();
    if inner.contains(['[', ']']) {
        return None;
    }
    for pair in inner.split(';') {
        let (key, value) = pair.split_once(':')?;
        let key = key.trim_matches(is_space);
        // `https://…` in brackets is no metadata.
        if !is_key(key) || !(value.is_empty() || value.starts_with(is_space)) {
            return None;
        }
        let value = value.trim_matches(is_space);
        if !value.is_empty() {
            labels.entry(key.to_owned()).or_insert_with(|| value.to_owned());
        }
    }
    Some(labels)
}

fn is_key(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic())
        && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_block_at_the_end_is_metadata_when_all_of_it_is() {
        let (text, found) = take_off("Likes tea [source: part 1 #10; added: 2026-11-06]");
        assert_eq!(
            (text, found),
            ("Likes tea", labels(&[("source", "part 1 #10"), ("added", "2026-11-06")]))
        );
        for text in
            ["a [b]", "a [b: c; d]", "a [1: c]", "a [https://example.org]", "a [b: c] d", "[a]", "a [: b]"]
        {
            assert_eq!(take_off(text), (text, BTreeMap::new()));
            assert_eq!(escape(text.to_owned()), text);
        }
    }

    #[test]
    fn what_only_looks_like_metadata_reads_back_as_text() {
        for text in ["a [b: c]", "[b: c]", "a [b\\: c]", "a [b\\\\: c; d: e]", "a [b: ]", "[x: y] [b: c]"] {
            let escaped = escape(text.to_owned());
            assert_eq!(take_off(&escaped), (escaped.as_str(), BTreeMap::new()), "{escaped}");
            assert_eq!(unescape(&escaped), text);
        }
    }

    #[test]
    fn a_value_never_ends_its_block() {
        let mut line = "a".to_owned();
        push(
            &mut line,
            &labels(&[("z", "1;2]\n[3"), ("by", "user"), ("bad key", "x"), ("e", " ")]),
            Some("panel"),
        );
        assert_eq!(line, "a [source: panel; by: user; z: 1 2 3]");
    }
}
