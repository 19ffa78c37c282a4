//! Measures what memlore costs, beside what nobody can do without.
//!
//! `cargo run --release -p memlore-bench -- [--markdown] all | QUESTION…`. Each question has a module of its own,
//! which makes its scene in a [`Scratch`] folder, measures, and answers in [`Figure`]s: what was measured, its
//! bound, and whether it holds.
//!
//! A disk changes its speed from minute to minute, so nothing is compared with a number from another run: the
//! contestants take turns, call by call, and their medians are compared (`turns`).
//!
//! Nothing here is a test. A figure over its bound is printed, and ends nothing.

#![expect(clippy::print_stdout, reason = "figures are what this program is for")]

mod add;
mod bare;
mod device;
mod exchange;
mod figure;
mod growth;
mod hermes;
mod list;
mod machine;
mod memory;
mod messages;
mod process;
mod scratch;
mod share;
mod start;
mod turns;

use anyhow::{Context as _, Result, bail};
use figure::Figure;
use scratch::Scratch;

type Question = fn(&Scratch) -> Result<Vec<Figure>>;

const QUESTIONS: [(&str, Question); 9] = [
    ("add", add::ask),
    ("growth", growth::ask),
    ("start", start::ask),
    ("list", list::ask),
    ("memory", memory::ask),
    ("device", device::ask),
    ("exchange", exchange::ask),
    ("share", share::ask),
    ("messages", messages::ask),
];

fn main() -> Result<()> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == process::CHILD) {
        return process::be_child(&arguments[1..]);
    }
    let markdown = arguments.iter().any(|argument| argument == "--markdown");
    arguments.retain(|argument| argument != "--markdown");
    let asked = asked(&arguments)?;
    process::build_program()?;
    let scratch = Scratch::new()?;
    if markdown {
        println!("{}\n", machine::described(&scratch)?);
        println!("{}", figure::MARKDOWN_HEAD);
    }
    for (name, ask) in asked {
        for figure in ask(&scratch).with_context(|| format!("cannot measure {name}"))? {
            println!("{}", if markdown { figure.markdown() } else { figure.line() });
        }
    }
    Ok(())
}

fn asked(arguments: &[String]) -> Result<Vec<(&'static str, Question)>> {
    if arguments.iter().any(|argument| argument == "all") {
        return Ok(QUESTIONS.to_vec());
    }
    let known = |name: &String| QUESTIONS.into_iter().find(|(known, _)| known == name);
    let asked: Option<Vec<_>> = arguments.iter().map(known).collect();
    match asked {
        Some(asked) if !asked.is_empty() => Ok(asked),
        _ => bail!("usage: memlore-bench [--markdown] all | {}", QUESTIONS.map(|(name, _)| name).join(" | ")),
    }
}
