//! Links: where they stand, and passwords inside them.

use super::value::{is_placeholder, is_reference};
use std::ops::Range;

/// Where links stand in a text, in order: from the scheme to the next white space or closing mark.
pub(super) fn links(text: &str) -> Vec<Range<usize>> {
    let mut links: Vec<Range<usize>> = Vec::new();
    let mut end = 0;
    for (at, _) in text.match_indices("://") {
        let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let scheme = text.as_bytes()[..at].iter().rev().take_while(|byte| is_scheme(byte)).count();
        if at >= end {
            let is_end = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|');
            end = text[at..].find(is_end).map_or(text.len(), |length| at + length);
        }
        links.push(at - scheme..end);
    }
    links
}

/// Whether a link holds a password, as `postgres://user:password@host` does.
pub(super) fn holds_password(text: &str) -> bool {
    links(text).into_iter().any(|link| {
        let link = &text[link];
        let Some((_, rest)) = link.split_once("://") else { return false };
        let rest = &rest[..rest.floor_char_boundary(512)];
        let host_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let Some((user, _)) = rest[..host_end].rsplit_once('@') else { return false };
        let Some((name, password)) = user.split_once(':') else { return false };
        let known = ["pass", "pwd", "pw", "user", "x-oauth-basic"];
        password.len() >= 4
            && password != name
            && !known.iter().any(|known| password.eq_ignore_ascii_case(known))
            && !is_placeholder(password)
            && !is_reference(password)
    })
}
