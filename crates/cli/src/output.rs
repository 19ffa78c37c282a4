//! Prints: the answer alone on stdout, everything else on stderr.

use crate::arguments::{Global, Log};
use crate::error::{CommandError, Exit};
use crate::page::{self, LOUD, Page, QUIET, REMOVED, paint};
use crate::world::World;
use anstream::{AutoStream, ColorChoice};
use memlore_store::Open;
use serde::Serialize;
use serde_json::json;
use std::io::{self, ErrorKind, Write};
use std::time::Duration;

/// What a command answers: as JSON for programs, as text for people.
///
/// As JSON it is an object; `warnings` and `error` are put beside its keys.
pub(crate) trait Answer: Serialize {
    /// Writes the answer for people.
    fn write(&self, page: &mut Page);
}

/// An answer, and what went wrong beside it.
#[derive(Serialize)]
pub(crate) struct Reply<A> {
    #[serde(flatten)]
    pub(crate) answer: A,
    pub(crate) warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_json")]
    pub(crate) error: Option<CommandError>,
}

impl<A> Reply<A> {
    /// An answer with these warnings.
    pub(crate) fn new(answer: A, warnings: Vec<String>) -> Self {
        Self { answer, warnings, error: None }
    }

    /// A partial answer: it stands, and so does the error.
    pub(crate) fn with_error(self, error: Option<CommandError>) -> Self {
        Self { error, ..self }
    }
}

fn as_json<S: serde::Serializer>(error: &Option<CommandError>, to: S) -> Result<S::Ok, S::Error> {
    error.as_ref().map(CommandError::to_json).serialize(to)
}

/// How and how much is printed.
pub(crate) struct Output<'w> {
    json: bool,
    log: Log,
    color: ColorChoice,
    world: &'w World,
}

impl<'w> Output<'w> {
    /// The output that the global options ask for.
    pub(crate) fn new(global: &Global, world: &'w World) -> Self {
        let color = match global.color {
            clap::ColorChoice::Auto => ColorChoice::Auto,
            clap::ColorChoice::Always => ColorChoice::Always,
            clap::ColorChoice::Never => ColorChoice::Never,
        };
        Self { json: global.json, log: global.log(), color, world }
    }

    /// Whether the answer is for a program.
    pub(crate) fn json(&self) -> bool {
        self.json
    }

    /// Prints what a command answered, or why it did not: `cannot <doing>: …`.
    pub(crate) fn answer<A: Answer>(&self, doing: &str, answer: Result<Reply<A>, CommandError>) -> Exit {
        let damage = self.world.damage().map(CommandError::mended);
        let mut reply = match answer {
            Ok(reply) => reply,
            Err(error) => return self.fail(doing, error),
        };
        reply.warnings.splice(0..0, self.world.take_notices());
        reply.error = match reply.error {
            Some(error) => Some(error.or_worse(damage)),
            None => damage,
        };
        let printed = if self.json {
            self.print_json(&reply)
        } else {
            let mut page = Page::new(self.log >= Log::Info, self.world.now_us());
            reply.answer.write(&mut page);
            self.print_text(&page.into_text())
        };
        self.warn(&reply.warnings);
        if let Some(error) = &reply.error {
            self.explain(error);
        }
        let exit = reply.error.map_or(Exit::Done, |error| error.exit);
        printed.map_or_else(|problem| self.unprintable(&problem, exit), |()| exit)
    }

    /// Prints why a command did nothing: `cannot <doing>: …`.
    pub(crate) fn fail(&self, doing: &str, error: CommandError) -> Exit {
        let damage = self.world.damage().map(CommandError::mended);
        let message = format!("cannot {doing}: {}", error.message);
        self.error(CommandError { message, ..error }.or_worse(damage))
    }

    /// Tells what was found damaged and put right, beside an answer that was streamed; returns the worse end.
    pub(crate) fn damaged(&self, exit: Exit) -> Exit {
        let Some(damage) = self.world.damage().map(CommandError::mended) else { return exit };
        self.explain(&damage);
        if damage.exit.outranks(exit) { damage.exit } else { exit }
    }

    /// Prints an error that left no answer.
    fn error(&self, error: CommandError) -> Exit {
        let printed = if self.json { self.print_json(&json!({"error": error.to_json()})) } else { Ok(()) };
        self.explain(&error);
        printed.map_or_else(|problem| self.unprintable(&problem, error.exit), |()| error.exit)
    }

    /// Writes bytes to stdout as they come, for answers that are files.
    pub(crate) fn stream(&self) -> impl Write {
        io::BufWriter::with_capacity(BUFFER_BYTES, io::stdout().lock())
    }

    /// Ends a command whose answer was written to [`Self::stream`].
    pub(crate) fn streamed(&self, written: io::Result<()>) -> Exit {
        written.map_or_else(|problem| self.unprintable(&problem, Exit::Done), |()| Exit::Done)
    }

    /// Prints warnings.
    pub(crate) fn warn(&self, warnings: &[String]) {
        if self.log >= Log::Warn {
            for warning in warnings {
                self.aside(format_args!("{} {warning}", paint(page::CHANGED, "warning:")));
            }
        }
    }

    /// Says where and how long a command worked, to whom it matters.
    pub(crate) fn took(&self, passed: Duration) {
        if self.log >= Log::Debug
            && let Ok(Open { home, state, .. }) = self.world.place()
        {
            let (home, state, ms) = (home.display(), state.display(), passed.as_secs_f64() * 1e3);
            self.aside(paint(QUIET, format_args!("home {home} · state {state} · {ms:.1} ms")));
        }
    }

    fn explain(&self, error: &CommandError) {
        // A program has read it from stdout already.
        if self.json && self.log < Log::Warn {
            return;
        }
        self.aside(format_args!("{} {}", paint(REMOVED, "error:"), error.message));
        for cause in &error.causes {
            self.aside(format_args!("  because: {cause}"));
        }
        let candidates = &error.details.candidates;
        for candidate in candidates.iter().take(CANDIDATES_SHOWN) {
            self.aside(format_args!("  {}  {}", paint(QUIET, candidate.id), page::glimpse(&candidate.text)));
        }
        if candidates.len() > CANDIDATES_SHOWN {
            self.aside(format_args!("  … and {} more", candidates.len() - CANDIDATES_SHOWN));
        }
        if error.exit != Exit::Usage {
            let stored = if error.stored { "what was done is stored" } else { "nothing was stored" };
            self.aside(format_args!("  {stored}"));
        }
        if let Some(hint) = &error.hint {
            self.aside(format_args!("{} {hint}", paint(LOUD, "hint:")));
        }
    }

    fn print_json(&self, value: &impl Serialize) -> io::Result<()> {
        let mut out = self.stream();
        serde_json::to_writer(&mut out, value)?;
        out.write_all(b"\n")?;
        out.flush()
    }

    fn print_text(&self, text: &str) -> io::Result<()> {
        let mut out = AutoStream::new(io::stdout().lock(), self.color);
        out.write_all(text.as_bytes())?;
        out.flush()
    }

    /// Prints a line on stderr; where that fails there is nobody left to tell.
    fn aside(&self, line: impl std::fmt::Display) {
        writeln!(AutoStream::new(io::stderr().lock(), self.color), "{line}").ok();
    }

    /// Ends a command whose answer could not be printed.
    fn unprintable(&self, problem: &io::Error, exit: Exit) -> Exit {
        // A reader that has seen enough, such as `head`, is no trouble.
        if problem.kind() == ErrorKind::BrokenPipe {
            return exit;
        }
        self.explain(&CommandError::io("cannot print the answer", problem).but_stored());
        if exit == Exit::Done { Exit::Busy } else { exit }
    }
}

const BUFFER_BYTES: usize = 64 * 1024;
/// How many entries an error names to people; programs get them all.
const CANDIDATES_SHOWN: usize = 10;

/// Prints what is wrong with the arguments, or the help that was asked for.
pub(crate) fn usage(problem: &clap::Error, json: bool) -> Exit {
    let exit = if problem.use_stderr() { Exit::Usage } else { Exit::Done };
    if memlore_model::find_secret(&problem.to_string()).is_some() {
        // What cannot be read is repeated; a secret is not.
        return secret_in_arguments(exit, json);
    }
    if !json {
        // Where help cannot be printed there is nobody to tell.
        problem.print().ok();
        return exit;
    }
    let text = problem.to_string();
    let value = if exit == Exit::Done {
        json!({"help": text})
    } else {
        // The first paragraph says what is wrong; the others repeat the usage.
        let lines = text.lines().take_while(|line| !line.is_empty()).map(str::trim);
        let message = lines.collect::<Vec<_>>().join(" ");
        let message = message.trim_start_matches("error: ");
        let error = CommandError::usage(message).hint("`memlore COMMAND --help` says what can be asked");
        json!({"error": error.to_json()})
    };
    writeln!(io::stdout().lock(), "{value}").ok();
    exit
}

fn secret_in_arguments(exit: Exit, json: bool) -> Exit {
    let message = "the arguments cannot be read, and one of them holds a secret";
    if json {
        let error = CommandError::usage(message).hint("`memlore COMMAND --help` says what can be asked");
        writeln!(io::stdout().lock(), "{}", json!({"error": error.to_json()})).ok();
    } else {
        writeln!(io::stderr().lock(), "error: {message}").ok();
    }
    exit
}
