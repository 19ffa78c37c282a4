//! Rows that a compaction inserted again.
//!
//! hermes hides every row in sight and inserts, with new numbers, the first messages, a summary and the last messages.
//! Rows that had been loaded keep their timestamps; the others follow one another by a microsecond. What was inserted
//! again is the message that was hidden, not another one.

use memlore_model::Digest;

/// How far apart two neighbours of one insert may lie, in microseconds: a double rounds.
const STEP_US: i64 = 2;

/// A row, as far as it matters here.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) number: i64,
    /// The timestamp that hermes gave it.
    pub(super) written_us: i64,
    /// The timestamp of the message that it is.
    pub(super) flush_us: i64,
    pub(super) active: bool,
    pub(super) compacted: bool,
    pub(super) digest: Option<Digest>,
    /// Whether it was taken in before.
    pub(super) known: bool,
    /// Whether an earlier row is the same message.
    pub(super) repeats: bool,
}

impl Row {
    fn hidden_by_compaction(&self) -> bool {
        self.compacted && !self.active
    }

    fn taken_back(&self) -> bool {
        !self.compacted && !self.active
    }
}

/// Finds the rows that repeat hidden ones, and gives them the timestamps of those.
pub(super) fn find_repeated(rows: &mut [Row]) {
    // The rows in sight just before the one that is looked at.
    let mut live: Vec<usize> = Vec::new();
    let mut at = 0;
    while at < rows.len() {
        let end = if may_begin(rows, &live, at) { insert_end(rows, &live, at) } else { at };
        if end == at {
            if !rows[at].taken_back() {
                live.push(at);
            }
            at += 1;
            continue;
        }
        match_insert(rows, &live, at, end);
        live = (at..end).filter(|index| !rows[*index].taken_back()).collect();
        at = end;
    }
}

/// An insert begins with the first message in sight, when everything in sight is hidden.
fn may_begin(rows: &[Row], live: &[usize], at: usize) -> bool {
    live.first().is_some_and(|first| rows[*first].digest == rows[at].digest)
        && live.iter().all(|index| rows[*index].hidden_by_compaction())
}

/// Where the insert ends that may begin here; where it begins, when it is none.
fn insert_end(rows: &[Row], live: &[usize], begin: usize) -> usize {
    let mut last_new: Option<i64> = None;
    let mut kept_any = false;
    let mut end = begin;
    while let Some(row) = rows.get(end) {
        let kept = live
            .iter()
            .any(|index| rows[*index].written_us == row.written_us && rows[*index].digest == row.digest);
        let steps = last_new.is_none_or(|last| (0..=STEP_US).contains(&(row.written_us - last)));
        if !kept && !steps {
            break;
        }
        kept_any |= kept;
        if !kept {
            last_new = Some(row.written_us);
        }
        end += 1;
    }
    // One row with a new timestamp alone is a message like any other.
    if kept_any || end - begin >= 2 { end } else { begin }
}

fn match_insert(rows: &mut [Row], live: &[usize], begin: usize, end: usize) {
    let mut first = 0;
    let mut at = begin;
    while at < end && first < live.len() && rows[live[first]].digest == rows[at].digest {
        repeat(rows, live[first], at);
        first += 1;
        at += 1;
    }
    let mut last = live.len();
    for index in (at..end).rev() {
        let found = (first..last).rev().find(|place| rows[live[*place]].digest == rows[index].digest);
        if let Some(place) = found {
            repeat(rows, live[place], index);
            last = place;
        }
    }
}

fn repeat(rows: &mut [Row], hidden: usize, index: usize) {
    let flush_us = rows[hidden].flush_us;
    // What was taken in before keeps the name it got then.
    if !rows[index].known {
        rows[index].flush_us = flush_us;
        rows[index].repeats = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows from their texts, timestamps, and `h` for hidden, `r` for taken back.
    fn rows(list: &[(&str, i64, char)]) -> Vec<Row> {
        let row = |(number, (text, at, state)): (usize, &(&str, i64, char))| Row {
            number: number as i64,
            written_us: *at,
            flush_us: *at,
            active: *state == 'a',
            compacted: *state == 'h',
            digest: Some(Digest(
                [text.bytes().fold(0, |sum: u8, byte| sum.wrapping_mul(31) + byte % 32); 16],
            )),
            known: false,
            repeats: false,
        };
        list.iter().enumerate().map(row).collect()
    }

    fn stamps(mut rows: Vec<Row>) -> Vec<i64> {
        find_repeated(&mut rows);
        rows.iter().map(|row| row.flush_us).collect()
    }

    #[test]
    fn what_a_compaction_inserts_again_is_what_it_hid() {
        let found = stamps(rows(&[
            ("a", 10, 'h'),
            ("b", 20, 'h'),
            ("yes", 30, 'h'),
            ("c", 40, 'h'),
            ("yes", 50, 'h'),
            ("a", 900, 'a'),
            ("b", 901, 'a'),
            ("summary", 902, 'a'),
            ("yes", 903, 'a'),
            ("yes", 2000, 'a'),
        ]));
        assert_eq!(found, [10, 20, 30, 40, 50, 10, 20, 902, 50, 2000]);
    }

    #[test]
    fn loaded_rows_keep_their_timestamps_and_need_no_more() {
        let found = stamps(rows(&[
            ("a", 10, 'h'),
            ("b", 20, 'h'),
            ("c", 30, 'h'),
            ("a", 10, 'a'),
            ("summary", 900, 'a'),
            ("c", 30, 'a'),
            ("d", 950, 'a'),
        ]));
        assert_eq!(found, [10, 20, 30, 10, 900, 30, 950]);
    }

    #[test]
    fn a_second_compaction_repeats_the_first_ones_rows() {
        let found = stamps(rows(&[
            ("a", 10, 'h'),
            ("b", 20, 'h'),
            ("c", 30, 'h'),
            ("a", 500, 'h'),
            ("one", 501, 'h'),
            ("c", 502, 'h'),
            ("d", 600, 'h'),
            ("a", 900, 'a'),
            ("two", 901, 'a'),
            ("d", 902, 'a'),
        ]));
        assert_eq!(found, [10, 20, 30, 10, 501, 30, 600, 10, 901, 600]);
    }

    #[test]
    fn a_turn_that_repeats_itself_is_no_compaction() {
        let found = stamps(rows(&[
            ("yes", 10, 'h'),
            ("b", 20, 'h'),
            ("yes", 30, 'h'),
            ("b", 40, 'h'),
            ("x", 90, 'a'),
        ]));
        assert_eq!(found, [10, 20, 30, 40, 90]);
        let found = stamps(rows(&[("yes", 10, 'a'), ("b", 20, 'a'), ("yes", 30, 'a'), ("b", 31, 'a')]));
        assert_eq!(found, [10, 20, 30, 31]);
    }

    #[test]
    fn what_was_taken_back_is_not_in_sight() {
        let found = stamps(rows(&[
            ("a", 10, 'h'),
            ("b", 20, 'r'),
            ("c", 30, 'h'),
            ("a", 900, 'a'),
            ("summary", 901, 'a'),
            ("c", 902, 'a'),
        ]));
        assert_eq!(found, [10, 20, 30, 10, 901, 30]);
    }
}
