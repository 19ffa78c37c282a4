//! Conversations out of hermes-agent's `state.db`: taken in once, and followed from then on.
//!
//! The file is only ever opened through SQLite, read-only, and never for long: hermes must not notice.

mod compaction;
mod row;
mod source;

use super::append::{Incoming, Stored, after, store_messages};
use super::project::{Place, SessionRecord, project};
use super::session::Session;
use crate::answer::SessionsImported;
use crate::writing::Writing;
use crate::{Result, Store};
use compaction::Row;
use memlore_model::message::{FactsRecord, Hidden, HidingRecord};
use memlore_model::{Digest, Kind, Message, Stamp};
use rusqlite::{OptionalExtension as _, params};
use source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// How many rows, and how many bytes of them, go into one transaction.
const ROWS_AT_ONCE: usize = 1000;
const BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

/// Takes in what is new in a `state.db`.
pub(crate) fn import(store: &Store, path: &Path) -> Result<SessionsImported> {
    let source = Source::open(path)?;
    let file = file_number(store, path)?;
    let facts = source.facts()?;
    let now = source.fingerprints()?;
    let seen: BTreeMap<String, (String, String)> = store.db.read(|db| {
        db.prepare("select name, rows_seen, facts_seen from hermes_sessions where file = ?1")?
            .query_map([file], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?
            .collect()
    })?;
    let names: BTreeSet<&String> = facts.keys().chain(now.keys()).chain(seen.keys()).collect();
    let mut imported = SessionsImported {
        sessions: facts.keys().chain(now.keys()).collect::<BTreeSet<_>>().len(),
        ..SessionsImported::default()
    };
    let none = (String::new(), String::new());
    for name in names {
        let (rows_seen, facts_seen) = seen.get(name).unwrap_or(&none);
        let rows = now.get(name).cloned().unwrap_or_default();
        let told = facts.get(name);
        let known = seen.contains_key(name);
        if rows != *rows_seen {
            import_session(store, &source, file, name, &mut imported)?;
        }
        let facts_now = told.map(facts_text).unwrap_or_default();
        if known && rows == *rows_seen && facts_now == *facts_seen {
            continue;
        }
        let mut writing = Writing::begin(store)?;
        if let Some(told) = told.filter(|_| facts_now != *facts_seen) {
            state_facts(&mut writing, name, told)?;
        }
        writing.read(|tx| {
            tx.execute(
                "insert into hermes_sessions (file, name, rows_seen, facts_seen, clock_us, clock_logical)
                 values (?1, ?2, ?3, ?4, 0, 0)
                 on conflict do update set rows_seen = ?3, facts_seen = ?4",
                params![file, name, rows, facts_now],
            )
        })?;
        writing.commit()?;
    }
    Ok(imported)
}

fn facts_text(facts: &BTreeMap<String, String>) -> String {
    facts.iter().map(|(name, value)| format!("{name} {value}\n")).collect()
}

fn file_number(store: &Store, path: &Path) -> Result<i64> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let path = path.to_string_lossy();
    let find = |db: &rusqlite::Connection| {
        db.query_row("select num from hermes_files where path = ?1", [&path], |row| row.get(0)).optional()
    };
    if let Some(number) = store.db.read(find)? {
        return Ok(number);
    }
    let tx = store.db.begin()?;
    let make = || match find(&tx)? {
        Some(number) => Ok(number),
        None => tx.prepare("insert into hermes_files (path) values (?1)")?.insert([&path]),
    };
    let number = make().map_err(|error| store.db.trouble(error))?;
    tx.commit().map_err(|error| store.db.trouble(error))?;
    Ok(number)
}

/// What was taken in of a row before.
struct Known {
    written_us: i64,
    flush_us: i64,
    digest: Digest,
    state: Hidden,
}

fn known_rows(store: &Store, file: i64, name: &str) -> Result<BTreeMap<i64, Known>> {
    store.db.read(|db| {
        db.prepare(
            "select row, written_us, flush_us, digest, state from hermes_rows where file = ?1 and session = ?2",
        )?
        .query_map(params![file, name], |row| {
            let known = Known {
                written_us: row.get(1)?,
                flush_us: row.get(2)?,
                digest: Digest(row.get(3)?),
                state: Hidden::from_number(row.get(4)?),
            };
            Ok((row.get(0)?, known))
        })?
        .collect()
    })
}

/// Takes in the rows of one conversation that are new, and says which of its messages are hidden.
fn import_session(
    store: &Store,
    source: &Source,
    file: i64,
    name: &str,
    imported: &mut SessionsImported,
) -> Result<()> {
    let mut known = known_rows(store, file, name)?;
    let mut rows = source.rows(name)?;
    for row in &mut rows {
        // Another file in the place of the one we know may use a number again.
        if let Some(known) = known.get(&row.number).filter(|known| known.written_us == row.written_us) {
            row.digest = Some(known.digest);
            row.flush_us = known.flush_us;
            row.known = true;
        }
    }
    if rows.iter().any(|row| row.compacted && !row.active) {
        source.digest_new(name, &mut rows)?;
        compaction::find_repeated(&mut rows);
    }
    store_new(store, source, file, name, &rows, imported)?;
    let stated = source_states(&rows, store, file, name)?;
    known.retain(|number, _| !rows.iter().any(|row| row.number == *number));
    tell_states(store, file, name, &stated, &known)
}

/// Stores the rows that are new, in the order of their numbers.
fn store_new(
    store: &Store,
    source: &Source,
    file: i64,
    name: &str,
    rows: &[Row],
    imported: &mut SessionsImported,
) -> Result<()> {
    let mut rest: Vec<&Row> = rows.iter().filter(|row| !row.known).collect();
    while !rest.is_empty() {
        let mut bytes = 0;
        let mut batch: Vec<(&Row, Message)> = Vec::new();
        while batch.len() < ROWS_AT_ONCE && bytes < BYTES_AT_ONCE && batch.len() < rest.len() {
            let row = rest[batch.len()];
            let message = source.message(row.number)?;
            bytes += message.text().len();
            batch.push((row, message));
        }
        rest.drain(..batch.len());
        let mut writing = Writing::begin(store)?;
        let mut clock = writing.read(|tx| {
            tx.query_row(
                "select clock_us, clock_logical from hermes_sessions where file = ?1 and name = ?2",
                params![file, name],
                |row| Ok(Stamp { us: row.get(0)?, logical: row.get(1)? }),
            )
            .optional()
        })?;
        let incoming: Vec<Incoming<'_>> = batch
            .iter()
            .map(|(row, message)| {
                let own = Stamp::at(u64::try_from(row.flush_us).unwrap_or(0));
                if !row.repeats {
                    let after = clock.filter(|clock| *clock > Stamp::default()).map(after);
                    clock = Some(own.max(after.unwrap_or_default()));
                }
                Incoming { message, flush_us: Some(row.flush_us), clock: clock.or(Some(own)), device: None }
            })
            .collect();
        let stored = store_messages(&mut writing, name, &incoming)?;
        for ((row, message), stored) in batch.iter().zip(stored) {
            match stored {
                Stored::New(_) => imported.messages += 1,
                Stored::Known(_) => imported.duplicates += 1,
                Stored::TooLong(_) => {}
            }
            writing.read(|tx| {
                tx.prepare_cached(
                    "insert or replace into hermes_rows
                         (file, row, session, written_us, flush_us, digest, state) values (?1, ?2, ?3, ?4, ?5, ?6, 0)",
                )?
                .execute(params![file, row.number, name, row.written_us, row.flush_us, message.digest().0])
            })?;
        }
        let clock = clock.unwrap_or_default();
        writing.read(|tx| {
            tx.execute(
                "insert into hermes_sessions (file, name, rows_seen, facts_seen, clock_us, clock_logical)
                 values (?1, ?2, '', '', ?3, ?4)
                 on conflict do update set clock_us = ?3, clock_logical = ?4",
                params![file, name, clock.us, clock.logical],
            )
        })?;
        writing.commit()?;
    }
    Ok(())
}

type Identity = (i64, Digest);

/// How each message of a conversation stands, of which some row is there: the row that is most in sight decides.
fn source_states(
    rows: &[Row],
    store: &Store,
    file: i64,
    name: &str,
) -> Result<BTreeMap<Identity, (Hidden, Vec<i64>)>> {
    let known = known_rows(store, file, name)?;
    let mut states: BTreeMap<Identity, (Hidden, Vec<i64>)> = BTreeMap::new();
    for row in rows {
        let Some(stored) = known.get(&row.number) else { continue };
        let state = match (row.active, row.compacted) {
            (true, _) => Hidden::No,
            (false, true) => Hidden::Compacted,
            (false, false) => Hidden::Rewound,
        };
        let entry = states.entry((stored.flush_us, stored.digest)).or_insert((state, Vec::new()));
        entry.0 = entry.0.min(state);
        if stored.state != state {
            entry.1.push(row.number);
        }
    }
    Ok(states)
}

/// Records which messages are hidden now, or in sight again, and forgets rows that are gone.
fn tell_states(
    store: &Store,
    file: i64,
    name: &str,
    stated: &BTreeMap<Identity, (Hidden, Vec<i64>)>,
    gone: &BTreeMap<i64, Known>,
) -> Result<()> {
    let mut wanted: BTreeMap<Identity, Hidden> =
        stated.iter().map(|(identity, (state, _))| (*identity, *state)).collect();
    for row in gone.values() {
        wanted.entry((row.flush_us, row.digest)).or_insert(Hidden::Gone);
    }
    let mut writing = Writing::begin(store)?;
    let Some(session) = writing.read(|tx| Session::find(tx, name))? else { return Ok(()) };
    let mut told: BTreeMap<Hidden, Vec<Identity>> = BTreeMap::new();
    for ((flush_us, digest), state) in wanted {
        let is: Option<u8> = writing.read(|tx| {
            tx.prepare_cached(
                "select hidden from messages where session = ?1 and flush_us = ?2 and digest = ?3",
            )?
            .query_row(params![session.number, flush_us, digest.0], |row| row.get(0))
            .optional()
        })?;
        if is.is_some_and(|is| is != state.number()) {
            told.entry(state).or_default().push((flush_us, digest));
        }
    }
    for (hidden, messages) in told {
        let clock = clock_above(&mut writing, "hidings", session.number)?;
        let record = HidingRecord { session: name.to_owned(), clock, hidden, messages };
        append_and_project(&mut writing, Kind::HIDING, record.to_payload(), SessionRecord::Hiding(record))?;
    }
    writing.read(|tx| {
        let mut forget =
            tx.prepare_cached("delete from hermes_rows where file = ?1 and row = ?2 and session = ?3")?;
        for number in gone.keys() {
            forget.execute(params![file, number, name])?;
        }
        Ok(())
    })?;
    writing.commit()
}

fn state_facts(writing: &mut Writing<'_>, name: &str, told: &BTreeMap<String, String>) -> Result<()> {
    let session = writing.read(|tx| Session::open(tx, name))?;
    let here: BTreeMap<String, String> = writing.read(|tx| {
        tx.prepare_cached("select field, value from session_facts where session = ?1")?
            .query_map([session.number], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect()
    })?;
    let news = |(name, value): &(&String, &String)| match here.get(*name) {
        Some(here) => here != *value,
        None => value.as_str() != "null",
    };
    let facts: BTreeMap<String, String> =
        told.iter().filter(news).map(|(name, value)| (name.clone(), value.clone())).collect();
    if facts.is_empty() {
        return Ok(());
    }
    let clock = clock_above(writing, "session_facts", session.number)?;
    let record = FactsRecord { session: name.to_owned(), clock, facts };
    append_and_project(writing, Kind::FACTS, record.to_payload(), SessionRecord::Facts(record))
}

/// A clock above every one that this conversation's rows of a table have.
fn clock_above(writing: &mut Writing<'_>, table: &str, session: i64) -> Result<Stamp> {
    let ticked = writing.tick();
    let last = writing.read(|tx| {
        tx.query_row(
            &format!(
                "select clock_us, clock_logical from {table} where session = ?1
                 order by clock_us desc, clock_logical desc limit 1"
            ),
            [session],
            |row| Ok(Stamp { us: row.get(0)?, logical: row.get(1)? }),
        )
        .optional()
    })?;
    Ok(last.map_or(ticked, |last| ticked.max(after(last))))
}

fn append_and_project(
    writing: &mut Writing<'_>,
    kind: Kind,
    payload: Vec<u8>,
    told: SessionRecord,
) -> Result<()> {
    let (record, seq) = writing.append_session(kind, payload)?;
    let clock = told.clock().unwrap_or_default();
    let place = Place { clock, replica: writing.id, number: writing.own, seq };
    writing.read(|tx| project(tx, place, record, &told))
}
