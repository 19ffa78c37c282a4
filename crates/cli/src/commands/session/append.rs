//! `session append`: takes messages as they come, and says of each where it is.

use crate::error::Exit;
use crate::output::Output;
use crate::world::World;
use memlore_model::Message;
use memlore_model::message::MAX_MESSAGE_BYTES;
use memlore_store::Appender;
use memlore_store::answer::{AppendStatus, Appended};
use serde_json::json;
use std::io::{self, BufRead, BufReader, Write};
use std::time::Duration;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The conversation; any text
    #[arg(allow_hyphen_values = true)]
    session: String,
    /// How long one message may wait for the database before it goes to the spool
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    deadline: Duration,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "no number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds).map_err(|problem| problem.to_string())
}

pub(super) fn run(args: &Args, world: &World, output: &Output<'_>) -> Exit {
    if let Err(error) = world.place() {
        return output.fail("append", error);
    }
    let place = || world.place().expect("the same arguments named a place a moment ago");
    let mut appender = Appender::new(place, args.deadline);
    let mut worst = Worst::default();
    let done = append_all(args, &mut appender, &mut worst, output);
    if let Some(damage) = appender.damage() {
        world.note_damage(damage);
    }
    let printed = output.streamed(done);
    let exit = output.damaged(worst.exit());
    if printed == Exit::Done { exit } else { printed }
}

fn append_all(
    args: &Args,
    appender: &mut Appender<'_>,
    worst: &mut Worst,
    output: &Output<'_>,
) -> io::Result<()> {
    let mut input = BufReader::with_capacity(BUFFER_BYTES, io::stdin().lock());
    let mut out = output.stream();
    while let Some(batch) = next_batch(&mut input)? {
        let messages: Vec<Message> = batch.iter().filter_map(|line| line.as_ref().ok()).cloned().collect();
        let mut answers = appender.append(&args.session, &messages).into_iter();
        output.warn(&appender.take_warnings());
        for line in batch {
            let appended = match line {
                Ok(_) => answers.next().expect("each message has its answer"),
                Err(reason) => {
                    Appended { flush_us: None, status: AppendStatus::Failed, reason: Some(reason) }
                }
            };
            worst.note(appended.status);
            writeln!(out, "{}", line_of(&appended))?;
        }
        out.flush()?;
    }
    Ok(())
}

fn line_of(appended: &Appended) -> serde_json::Value {
    let status = match appended.status {
        AppendStatus::Stored => "stored",
        AppendStatus::Duplicate => "duplicate",
        AppendStatus::Pending => "pending",
        AppendStatus::Failed => "failed",
    };
    let mut line = json!({"flush_timestamp": appended.flush_us, "status": status});
    if let Some(reason) = &appended.reason {
        line["reason"] = json!(reason);
    }
    line
}

/// The worst that became of any message.
#[derive(Default)]
struct Worst {
    pending: bool,
    failed: bool,
}

impl Worst {
    fn note(&mut self, status: AppendStatus) {
        self.pending |= status == AppendStatus::Pending;
        self.failed |= status == AppendStatus::Failed;
    }

    fn exit(&self) -> Exit {
        match self {
            Self { failed: true, .. } => Exit::Busy,
            Self { pending: true, .. } => Exit::Pending,
            _ => Exit::Done,
        }
    }
}

const BUFFER_BYTES: usize = 1024 * 1024;

type Batch = Vec<Result<Message, String>>;

/// The next line, and every whole one that has come with it; nothing at the end.
fn next_batch(input: &mut BufReader<impl io::Read>) -> io::Result<Option<Batch>> {
    let mut batch = Batch::new();
    while let Some(line) = next_line(input)? {
        let blank = matches!(&line, Ok(line) if line.iter().all(u8::is_ascii_whitespace));
        if !blank {
            batch.push(line.and_then(|line| Message::parse(&line).map_err(|problem| problem.to_string())));
        }
        if !batch.is_empty() && !input.buffer().contains(&b'\n') {
            break;
        }
    }
    Ok(Some(batch).filter(|batch| !batch.is_empty()))
}

/// Reads a line without ever holding more of it than a message may have.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, String>>> {
    let mut line = Vec::new();
    let mut length = 0;
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() && length == 0 {
            return Ok(None);
        }
        let found = buffer.iter().position(|b| *b == b'\n');
        let part = &buffer[..found.unwrap_or(buffer.len())];
        length += part.len();
        if length <= MAX_MESSAGE_BYTES {
            line.extend_from_slice(part);
        }
        let ended = found.is_some() || buffer.is_empty();
        let used = part.len() + usize::from(found.is_some());
        length += usize::from(found.is_some());
        input.consume(used);
        if ended {
            let too_long = length > MAX_MESSAGE_BYTES + 1;
            let reason = || format!("the line has {length} bytes; a message may have {MAX_MESSAGE_BYTES}");
            return Ok(Some(if too_long { Err(reason()) } else { Ok(line) }));
        }
    }
}
