//! Messages of a conversation: one durable call, batches, long conversations, and searching them.

use anyhow::{Result, ensure};
use memlore_model::Message;
use memlore_store::Store;
use memlore_store::answer::AppendStatus;
use std::path::Path;
use std::time::Duration;

use crate::bare::Rows;
use crate::figure::Figure;
use crate::hermes::{self, Hermes};
use crate::scratch::{Scratch, open, text};
use crate::turns::{Turn, medians, timed};

const ROUNDS: usize = 300;
const BATCH: usize = 100;
const SHORT: usize = 100;
const LONG: usize = 100_000;
const SESSION: &str = "bench";

pub(crate) fn ask(scratch: &Scratch) -> Result<Vec<Figure>> {
    let mut figures = one_call(scratch)?;
    figures.push(in_batches()?);
    figures.extend(long_conversations(scratch)?);
    Ok(figures)
}

fn one_call(scratch: &Scratch) -> Result<Vec<Figure>> {
    let mut log = Log { store: open(&scratch.path("messages"))?, next: 0 };
    log.append(1)?;
    let mut rows = Rows::new(&scratch.path("messages.db"), json(0).len())?;
    let mut ours = || log.append(1);
    let mut bare = || rows.insert();
    let beside_bare = "one message, beside one bare SQLite commit of its bytes";
    let beside_hermes = "one message, beside hermes-agent's append_message";
    let Some(python) = hermes::python() else {
        let [ours, bare] = medians(ROUNDS, [&mut ours as Turn<'_>, &mut bare])?;
        let missing = Figure::missing(beside_hermes, "no hermes-agent here");
        return Ok(vec![Figure::ratio(beside_bare, (ours, bare), 1.2, "ms"), missing]);
    };
    let mut hermes = Hermes::start_log(&python, &scratch.path("hermes-log"))?;
    let mut theirs = || hermes.add();
    let [ours, bare, theirs] = medians(ROUNDS, [&mut ours as Turn<'_>, &mut bare, &mut theirs])?;
    Ok(vec![
        Figure::ratio(beside_bare, (ours, bare), 1.2, "ms"),
        Figure::ratio(beside_hermes, (ours, theirs), 0.6, "ms"),
    ])
}

/// In memory, where a commit costs nothing: what is left is our own work.
fn in_batches() -> Result<Figure> {
    let what = "100 messages in one call, in memory";
    if !Path::new("/dev/shm").is_dir() {
        return Ok(Figure::missing(what, "no folder in memory here"));
    }
    let folder = tempfile::tempdir_in("/dev/shm")?;
    let mut log = Log { store: open(folder.path())?, next: 0 };
    let [per_batch] = medians(ROUNDS, [&mut || log.append(BATCH)])?;
    let how = format!("{:.0} messages in a second", BATCH as f64 * 1e3 / per_batch);
    Ok(Figure::at_most(what, per_batch, 2.0, "ms", &how))
}

fn long_conversations(scratch: &Scratch) -> Result<Vec<Figure>> {
    let mut short = Log { store: open(&scratch.path("short"))?, next: 0 };
    short.append(SHORT)?;
    let mut long = Log { store: open(&scratch.path("long"))?, next: 0 };
    for _ in 0..LONG / 1_000 {
        long.append(1_000)?;
    }
    let (_, caught_up) = timed(|| Ok(long.store.search("nowhere", true, 10)?))?;
    let (_, query) = timed(|| Ok(long.store.search("000042", true, 10)?))?;
    let [last_long, last_short] = medians(ROUNDS, [&mut || long.last(), &mut || short.last()])?;
    let [more_long, more_short] = medians(ROUNDS, [&mut || long.append(1), &mut || short.append(1)])?;
    let seconds = caught_up.as_secs_f64();
    Ok(vec![
        Figure::ratio("the last 20 of 100,000 messages, beside 100", (last_long, last_short), 1.3, "ms"),
        Figure::ratio("one more message after 100,000, beside 100", (more_long, more_short), 1.3, "ms"),
        Figure::at_most("search catching up on 100,000 messages", seconds, 5.0, "s", "once"),
        Figure::at_most("a query then", query.as_secs_f64() * 1e3, 20.0, "ms", "once"),
    ])
}

/// Writes so many messages into a store, in conversations of a thousand.
pub(crate) fn talk(store: &mut Store, messages: usize) -> Result<()> {
    for first in (0..messages).step_by(1_000) {
        let batch: Vec<Message> = (first..first + 1_000).map(message).collect::<Result<_>>()?;
        store.append(&format!("bench {first}"), &batch)?;
    }
    Ok(())
}

/// One growing conversation.
struct Log {
    store: Store,
    next: usize,
}

impl Log {
    /// Appends so many messages in one durable call.
    fn append(&mut self, count: usize) -> Result<Duration> {
        let messages: Vec<Message> = (self.next..self.next + count).map(message).collect::<Result<_>>()?;
        self.next += count;
        let (answers, passed) = timed(|| Ok(self.store.append(SESSION, &messages)?))?;
        ensure!(
            answers.iter().all(|answer| answer.status == AppendStatus::Stored),
            "a message was not stored"
        );
        Ok(passed)
    }

    /// Reads the last 20 messages.
    fn last(&mut self) -> Result<Duration> {
        let mut count = 0;
        let mut take = |_| {
            count += 1;
            Ok(())
        };
        let (_, passed) = timed(|| Ok(self.store.session(SESSION, Some(20), &mut take)?))?;
        ensure!(count == 20, "{count} messages instead of 20");
        Ok(passed)
    }
}

fn message(number: usize) -> Result<Message> {
    Ok(Message::parse(json(number).as_bytes())?)
}

fn json(number: usize) -> String {
    let content = (0..5).map(|part| text(number * 5 + part)).collect::<Vec<_>>().join(" ");
    serde_json::json!({ "role": "user", "content": content }).to_string()
}
