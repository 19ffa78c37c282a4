//! `export`: writes everything out for other programs.

use crate::error::{CommandError, Exit};
use crate::output::{Answer, Output, Reply};
use crate::page::Page;
use crate::world::World;
use memlore_store::Export;
use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{self, Write};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// What to write
    #[arg(long, default_value = "jsonl")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// One JSON object a line: every entry, and what became of it
    Jsonl,
    /// Entries joined as hermes-agent joins them
    Hermes,
    /// A bullet list with metadata
    Bullets,
    /// The Automerge document that all changes form
    Automerge,
}

impl Format {
    fn name(self) -> &'static str {
        match self {
            Self::Jsonl => "jsonl",
            Self::Hermes => "hermes",
            Self::Bullets => "bullets",
            Self::Automerge => "automerge",
        }
    }
}

/// Writes the export to stdout as it is; with `--json`, as one JSON value that holds it.
pub(super) fn run(args: &Args, world: &World, output: &Output) -> Exit {
    const DOING: &str = "export";
    if output.json() {
        let mut bytes = Vec::new();
        let written = write(args.format, world, &mut bytes);
        let answer =
            written.and_then(|warnings| Ok(Reply::new(Wrapped::new(args.format, &bytes)?, warnings)));
        return output.answer(DOING, answer);
    }
    let mut out = Watched { inner: output.stream(), problem: None };
    let written = write(args.format, world, &mut out);
    let problem = out.flush().err().or(out.problem);
    match (written, problem) {
        // The store can only say that writing failed; why it failed is known here.
        (_, Some(problem)) => output.streamed(Err(problem)),
        (Err(error), None) => output.answer::<Wrapped>(DOING, Err(error)),
        (Ok(warnings), None) => {
            output.warn(&warnings);
            Exit::Done
        }
    }
}

fn write(format: Format, world: &World, out: &mut dyn Write) -> Result<Vec<String>, CommandError> {
    let export = match format {
        Format::Jsonl => Export::JsonLines,
        Format::Hermes | Format::Bullets => Export::View(format.name()),
        Format::Automerge => Export::Automerge,
    };
    Ok(world.open()?.export(export, out)?)
}

/// An export within a JSON value.
#[derive(Serialize)]
struct Wrapped {
    format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<Box<RawValue>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

impl Wrapped {
    fn new(format: Format, bytes: &[u8]) -> Result<Self, CommandError> {
        let mut wrapped = Self { format: format.name(), lines: None, text: None, base64: None };
        match format {
            Format::Automerge => wrapped.base64 = Some(data_encoding::BASE64.encode(bytes)),
            Format::Jsonl => {
                let lines = bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty());
                let lines: Result<_, _> = lines.map(serde_json::from_slice).collect();
                wrapped.lines = Some(lines.map_err(|problem| unreadable(&problem.into()))?);
            }
            Format::Hermes | Format::Bullets => {
                wrapped.text = Some(String::from_utf8_lossy(bytes).into_owned());
            }
        }
        Ok(wrapped)
    }
}

impl Answer for Wrapped {
    fn write(&self, page: &mut Page) {
        if let Some(text) = &self.text {
            page.line(text);
        }
    }
}

fn unreadable(problem: &io::Error) -> CommandError {
    CommandError::io("the export cannot be read back", problem)
}

/// Remembers why writing failed.
struct Watched<W> {
    inner: W,
    problem: Option<io::Error>,
}

impl<W: Write> Watched<W> {
    fn note<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        if let Err(problem) = &done
            && problem.kind() != io::ErrorKind::Interrupted
        {
            self.problem = Some(problem.kind().into());
        }
        done
    }
}

impl<W: Write> Write for Watched<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.inner.write(bytes);
        self.note(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.inner.flush();
        self.note(done)
    }
}
