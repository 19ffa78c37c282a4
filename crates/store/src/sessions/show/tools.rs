//! Which tool result belongs to which call.

use rusqlite::{Connection, params};
use std::collections::{BTreeMap, BTreeSet};

/// What a message has to do with tools.
#[derive(Clone, Debug)]
pub(super) enum Tool {
    /// It makes calls, and these are the results that belong to it, in total order.
    Call { results: Vec<i64> },
    /// It is a result, of this call when there is one.
    Result { call: Option<i64> },
}

/// The calls and results of a conversation, looked up as they are met.
pub(super) struct Links<'a> {
    db: &'a Connection,
    session: i64,
    /// The ids whose calls and results were put together already.
    paired: BTreeSet<String>,
    call_of: BTreeMap<i64, i64>,
    /// Results by the place of each in total order.
    results_of: BTreeMap<i64, BTreeMap<Order, i64>>,
}

type Order = (u64, u64, [u8; 16], u64);

impl<'a> Links<'a> {
    pub(super) fn new(db: &'a Connection, session: i64) -> Self {
        Self { db, session, paired: BTreeSet::new(), call_of: BTreeMap::new(), results_of: BTreeMap::new() }
    }

    /// What a message has to do with tools; nothing for most.
    pub(super) fn tool(&mut self, message: i64) -> rusqlite::Result<Option<Tool>> {
        let links: Vec<(String, bool)> = self
            .db
            .prepare_cached("select call, result from tool_links where message = ?1")?
            .query_map([message], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        let Some((_, is_result)) = links.first() else { return Ok(None) };
        let is_result = *is_result;
        for (call, _) in links {
            if !self.paired.contains(&call) {
                self.pair(&call)?;
                self.paired.insert(call);
            }
        }
        Ok(Some(if is_result {
            Tool::Result { call: self.call_of.get(&message).copied() }
        } else {
            let results = self.results_of.get(&message);
            Tool::Call {
                results: results.map_or_else(Vec::new, |results| results.values().copied().collect()),
            }
        }))
    }

    /// Puts the calls and results of one id together: each result goes with the nearest earlier call that has none
    /// yet, else with the nearest later one.
    fn pair(&mut self, call: &str) -> rusqlite::Result<()> {
        let linked: Vec<(i64, bool, Order)> = self
            .db
            .prepare_cached(
                "select message, result, clock_us, clock_logical, id, m.seq
                 from tool_links t join messages m on m.num = t.message join replicas on replicas.num = m.replica
                 where t.session = ?1 and t.call = ?2 and m.hidden <= 1 and m.merged = 0
                 order by clock_us, clock_logical, id, m.seq",
            )?
            .query_map(params![self.session, call], |row| {
                Ok((row.get(0)?, row.get(1)?, (row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?)))
            })?
            .collect::<rusqlite::Result<_>>()?;
        let mut open: Vec<i64> = Vec::new();
        let mut early: Vec<(i64, Order)> = Vec::new();
        for (message, is_result, order) in linked {
            if is_result {
                match open.pop() {
                    Some(call) => self.link(message, order, call),
                    None => early.push((message, order)),
                }
            } else if early.is_empty() {
                open.push(message);
            } else {
                // The first result that waits is the one for which this call is the nearest later one.
                let (result, order) = early.remove(0);
                self.link(result, order, message);
            }
        }
        Ok(())
    }

    fn link(&mut self, result: i64, order: Order, call: i64) {
        self.call_of.insert(result, call);
        self.results_of.entry(call).or_default().insert(order, result);
    }
}
