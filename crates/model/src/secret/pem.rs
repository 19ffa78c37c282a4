//! Keys and certificates between `-----BEGIN …-----` and `-----END …-----`.

use std::ops::Range;

const BEGIN: &str = "-----BEGIN ";
const DASHES: &str = "-----";

/// A block's title, and the text between its two lines (to the end of the text when the second is missing).
struct Block<'t> {
    title: &'t str,
    body: &'t str,
    range: Range<usize>,
}

fn blocks(text: &str) -> impl Iterator<Item = Block<'_>> {
    text.match_indices(BEGIN).filter_map(|(start, _)| {
        let rest = &text[start + BEGIN.len()..];
        // A title is a few capital words; anything else only quotes the dashes.
        let title = &rest[..rest.floor_char_boundary(48)];
        let title = &title[..title.find(DASHES)?];
        if !title.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b' ') {
            return None;
        }
        let body = &rest[title.len() + DASHES.len()..];
        let body = &body[..body.find(DASHES).unwrap_or(body.len())];
        let begin = start + BEGIN.len() + title.len() + DASHES.len();
        Some(Block { title, body, range: begin..begin + body.len() })
    })
}

/// Whether the text holds a private key, whole or cut; the bare title in a sentence is none.
pub(super) fn holds_private_key(text: &str) -> bool {
    blocks(text).any(|block| block.title.contains("PRIVATE KEY") && has_key_bytes(block.body))
}

fn has_key_bytes(body: &str) -> bool {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    // Line ends may be written out, as in a JSON string.
    let body = body.replace("\\r", "\n").replace("\\n", "\n");
    let mut runs = body.split(|c| !is_base64(c)).filter(|run| !run.is_empty());
    let mixed = |run: &str| {
        run.bytes().any(|byte| byte.is_ascii_lowercase())
            && run.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
    };
    runs.any(|run| run.len() >= 6 && mixed(run) || run.len() >= 24)
}

/// Where the text holds what everybody may see: certificates, public keys, signatures.
pub(super) fn public_blocks(text: &str) -> Vec<Range<usize>> {
    blocks(text).filter(|block| !block.title.contains("PRIVATE")).map(|block| block.range).collect()
}
