//! Links: where they stand, and passwords inside them.

use super::value::{is_placeholder, is_reference};
use std::ops::Range;

/// Where links stand in a text: from the scheme to the next white space or closing mark.
pub(super) fn links(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    text.match_indices("://").map(|(at, _)| {
        let is_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        let scheme = text.as_bytes()[..at].iter().rev().take_while(|byte| is_scheme(byte)).count();
        let is_end = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|');
        let end = text[at..].find(is_end).map_or(text.len(), |length| at + length);
        at - scheme..end
    })
}

/// Whether a link holds a password, as `postgres://user:password@host` does.
pub(super) fn holds_password(text: &str) -> bool {
    links(text).any(|link| {
        let link = &text[link];
        let Some((_, rest)) = link.split_once("://") else { return false };
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
