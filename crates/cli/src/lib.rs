//! The command line: reads arguments, asks the store, prints the answer, ends with an exit code.
//!
//! [`run`] is all there is to call. Inside, `arguments` says what can be asked, `world` reads the clock, the
//! random source and the environment, each module of `commands` asks one thing of the store, `answer` gives
//! entries their JSON, `output` prints, and `error` says what could not be done and what to do next.
//!
//! No meaning is decided here: what an operation does stands in `memlore-store` and below. Nothing here asks
//! a question and waits for somebody to type.

mod answer;
mod arguments;
mod commands;
mod error;
mod output;
mod page;
mod progress;
mod time;
mod world;

use clap::Parser as _;
use std::ffi::OsString;
use std::process::ExitCode;

/// Runs the program with the arguments it was started with.
pub fn run() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    match arguments::Arguments::try_parse_from(&arguments) {
        Ok(parsed) => commands::run(parsed).into(),
        Err(problem) => output::usage(&problem, arguments::asks_for_json(&arguments)).into(),
    }
}
