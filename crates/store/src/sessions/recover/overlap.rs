//! Lines without timestamps: what a file repeats of its conversation.

use super::super::pending::Locked;
use super::super::project::{Place, SessionRecord, project};
use super::super::session::Session;
use super::is_blank;
use super::lines::{Lines, Text};
use crate::Result;
use crate::writing::Writing;
use memlore_model::message::{Line, SameRecord};
use memlore_model::{Digest, Kind, Stamp};

/// Looks how many lines at a file's beginning, all without timestamps, repeat the end of their conversation, and
/// records that they are the same messages.
pub(super) fn settle(writing: &mut Writing<'_>, locked: &mut Locked, named: &str) -> Result<()> {
    let Some((session_name, lines, whole)) = leading_lines(locked, named) else { return Ok(()) };
    let Some(session) = writing.read(|tx| Session::find(tx, &session_name))? else { return Ok(()) };
    let first = lines.first().copied().unwrap_or((0, Digest([0; 16])));
    if writing.read(|tx| session.knows(tx, first.0, first.1))? {
        return Ok(());
    }
    let last = writing.read(|tx| session.last_identities(tx, lines.len()))?;
    let digests: Vec<Digest> = lines.iter().map(|(_, digest)| *digest).collect();
    let ends: Vec<Digest> = last.iter().map(|(_, digest)| *digest).collect();
    let count = overlap(&ends, &digests);
    if count == 0 || (count < 2 && !(whole && count == lines.len())) {
        return Ok(());
    }
    let there = &last[last.len() - count..];
    let same = lines[..count].iter().zip(there).map(|(line, there)| (line.0, there.0, line.1)).collect();
    let record = SameRecord { session: session_name, same };
    let (number, seq) = writing.append_session(Kind::SAME, record.to_payload())?;
    let place = Place { clock: Stamp::default(), replica: writing.id, number: writing.own, seq };
    writing.read(|tx| project(tx, place, number, &SessionRecord::Same(record)))
}

type Named = (i64, Digest);

/// The lines at the beginning that have no timestamp, of one conversation, and whether they are all there are.
fn leading_lines(locked: &mut Locked, named: &str) -> Option<(String, Vec<Named>, bool)> {
    let mut lines = Lines::begin(&mut locked.file, (0, 0));
    let mut session = None;
    let mut leading = Vec::new();
    let mut whole = true;
    while let Some(piece) = lines.next() {
        let Text::Line(bytes) = piece.text else {
            whole = false;
            break;
        };
        if is_blank(&bytes) {
            continue;
        }
        let line = match Line::parse(&bytes) {
            Ok(line) if line.flush_us.is_none() => line,
            _ => {
                whole = false;
                break;
            }
        };
        let of = line.session.unwrap_or_else(|| named.to_owned());
        if *session.get_or_insert_with(|| of.clone()) != of {
            whole = false;
            break;
        }
        leading.push((i64::try_from(piece.number).unwrap_or(i64::MAX), line.message.digest()));
    }
    session.map(|session| (session, leading, whole))
}

/// How long the longest end of one list is that begins the other.
fn overlap(ends: &[Digest], begins: &[Digest]) -> usize {
    // Where the search stands in `begins` after each of its own elements: Knuth, Morris and Pratt.
    let mut border = vec![0; begins.len()];
    let mut matched = 0;
    for at in 1..begins.len() {
        while matched > 0 && begins[at] != begins[matched] {
            matched = border[matched - 1];
        }
        matched += usize::from(begins[at] == begins[matched]);
        border[at] = matched;
    }
    let mut matched = 0;
    for (at, digest) in ends.iter().enumerate() {
        while matched > 0 && (matched == begins.len() || *digest != begins[matched]) {
            matched = border[matched - 1];
        }
        if matched < begins.len() && *digest == begins[matched] {
            matched += 1;
        }
        if matched == begins.len() && at + 1 < ends.len() {
            matched = border[matched - 1];
        }
    }
    matched
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(text: &str) -> Vec<Digest> {
        text.bytes().map(|byte| Digest([byte; 16])).collect()
    }

    #[test]
    fn the_longest_end_that_begins_the_other_counts() {
        for (ends, begins, count) in [
            ("abc", "abcd", 3),
            ("xabab", "abac", 2),
            ("aaa", "aa", 2),
            ("abc", "abc", 3),
            ("abcabc", "abc", 3),
            ("abcx", "abc", 0),
            ("", "a", 0),
            ("a", "", 0),
        ] {
            assert_eq!(overlap(&digests(ends), &digests(begins)), count, "{ends} {begins}");
        }
    }
}
