//! The order of a conversation: the total order, with each tool result right after its call.

use super::tools::{Links, Tool};
use rusqlite::{Connection, params};

/// The numbers of the messages in sight, the last `last` of them or all, in the order in which they are shown.
///
/// The last few cost the same in a conversation of any length.
pub(super) fn order(db: &Connection, session: i64, last: Option<usize>) -> rusqlite::Result<Vec<i64>> {
    let mut links = Links::new(db, session);
    let Some(last) = last else {
        let all = tail(db, session, None)?;
        return arrange(&mut links, &all);
    };
    let mut window = last.max(1);
    loop {
        let numbers = tail(db, session, Some(window))?;
        let complete = numbers.len() < window;
        let mut arranged = arrange(&mut links, &numbers)?;
        if arranged.len() >= last || complete {
            arranged.drain(..arranged.len().saturating_sub(last));
            return Ok(arranged);
        }
        window = window.saturating_mul(2);
    }
}

/// The last messages in sight, in total order.
fn tail(db: &Connection, session: i64, most: Option<usize>) -> rusqlite::Result<Vec<i64>> {
    let most = most.and_then(|most| i64::try_from(most).ok()).unwrap_or(-1);
    let mut numbers: Vec<i64> = db
        .prepare_cached(
            "select messages.num from messages join replicas on replicas.num = replica
             where session = ?1 and hidden <= 1 and merged = 0
             order by clock_us desc, clock_logical desc, id desc, seq desc limit ?2",
        )?
        .query_map(params![session, most], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    numbers.reverse();
    Ok(numbers)
}

/// Puts the results behind their calls, for an end of the total order.
///
/// A result whose call stands before this end belongs there and is left out; one that stands before this end and
/// belongs to a call within is taken in.
fn arrange(links: &mut Links<'_>, numbers: &[i64]) -> rusqlite::Result<Vec<i64>> {
    let mut arranged = Vec::with_capacity(numbers.len());
    for number in numbers {
        match links.tool(*number)? {
            Some(Tool::Result { call: Some(_) }) => {}
            Some(Tool::Call { results }) => {
                arranged.push(*number);
                arranged.extend(results);
            }
            Some(Tool::Result { call: None }) | None => arranged.push(*number),
        }
    }
    Ok(arranged)
}
