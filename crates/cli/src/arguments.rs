//! What can be asked on the command line.
//!
//! The arguments of a command stand in its own module; the doc comments here and there are the help texts.

use crate::commands::{
    add, batch, compact, completions, demo, doctor, export, import, init, list, log, remove, render, replace,
    restore, review, search, session, show, sync,
};
use std::ffi::OsString;

/// Keeps an agent's memory whole, across devices, processes and synced folders
#[derive(clap::Parser)]
#[command(name = "memlore", version, arg_required_else_help = true, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that stand before or after the command.
#[derive(clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// The agent profile's folder [default: ~/.memlore]
    // An `OsString`, because an empty variable means the same as none.
    #[arg(long, global = true, value_name = "DIR", env = "MEMLORE_HOME", hide_env_values = true)]
    pub(crate) home: Option<OsString>,
    /// This replica's own folder, never synced [default: below the platform's data folder]
    #[arg(long, global = true, value_name = "DIR", env = "MEMLORE_STATE", hide_env_values = true)]
    pub(crate) state: Option<OsString>,
    /// Answer with one JSON value, errors too
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Who writes, for provenance
    #[arg(long, global = true, value_name = "NAME", env = "MEMLORE_AGENT", hide_env_values = true)]
    pub(crate) agent: Option<String>,
    /// Print no warnings
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print more: ids and provenance; twice: what was opened, and how long it took
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// How much to print when neither -q nor -v says so
    #[arg(long, global = true, hide = true, env = "MEMLORE_LOG", default_value = "warn")]
    pub(crate) log: Log,
    /// When to use colours; NO_COLOR is obeyed
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: clap::ColorChoice,
    /// The wall clock, in microseconds since the epoch
    #[arg(long, global = true, hide = true, value_name = "MICROSECONDS", env = "MEMLORE_NOW")]
    pub(crate) now: Option<u64>,
    /// The device's name
    #[arg(long, global = true, hide = true, value_name = "NAME", env = "MEMLORE_DEVICE")]
    pub(crate) device: Option<String>,
}

/// How much is printed beside the answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Log {
    /// Nothing but errors.
    #[value(alias = "error", alias = "")]
    Off,
    /// Warnings.
    Warn,
    /// Ids and provenance too.
    Info,
    /// What was opened, and how long it took.
    #[value(alias = "trace")]
    Debug,
}

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Make a memory for this home, or change its settings
    Init(init::Args),
    /// Remember a text
    Add(add::Args),
    /// Put a text in another's place
    Replace(replace::Args),
    /// Remove an entry
    Remove(remove::Args),
    /// Do several things in one transaction, read as JSON from stdin
    Batch(batch::Args),
    /// List what is remembered
    List(list::Args),
    /// Tell one entry's whole story
    Show(show::Args),
    /// Tell what happened, newest first
    Log(log::Args),
    /// List entries that replaced the same one
    Conflicts,
    /// Add a removed entry again
    Restore(restore::Args),
    /// Reverse the last operation of this replica
    Undo,
    /// Write the views
    Render(render::Args),
    /// Take hand edits in, from the views or from a file
    Import(import::Args),
    /// Find entries, and messages too, by their words
    Search(search::Args),
    /// Apply a model's answer to a conversation as one batch of changes
    Review(review::Args),
    /// Append, list and show conversations
    Session(session::Args),
    /// Exchange with the share once: records, hand edits, views
    Sync(sync::Args),
    /// Merge this replica's own files in the share into fewer
    Compact(compact::Args),
    /// Tell how the memory is doing
    Status,
    /// Check everything that can be checked
    Doctor(doctor::Args),
    /// Write everything out for other programs
    Export(export::Args),
    /// Write a shell's completions
    Completions(completions::Args),
    /// Show, in a temporary folder, what happens when devices and processes collide
    Demo(demo::Args),
}

impl Global {
    /// How much is to be printed beside the answer.
    pub(crate) fn log(&self) -> Log {
        match (self.quiet, self.verbose) {
            (true, _) => Log::Off,
            (_, 0) => self.log,
            (_, 1) => Log::Info,
            _ => Log::Debug,
        }
    }
}

/// Whether `--json` is among arguments that could not be parsed.
pub(crate) fn asks_for_json(arguments: &[OsString]) -> bool {
    arguments.iter().skip(1).take_while(|argument| *argument != "--").any(|argument| argument == "--json")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory as _, Parser as _};

    #[test]
    fn the_arguments_contradict_each_other_nowhere() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn global_options_stand_before_or_after_the_command() {
        for arguments in [
            ["memlore", "--json", "--home", "/h", "list", "--book", "user"],
            ["memlore", "list", "--book", "user", "--home", "/h", "--json"],
        ] {
            let parsed = Arguments::try_parse_from(arguments).map_err(|problem| problem.to_string()).unwrap();
            assert!(parsed.global.json);
            assert_eq!(parsed.global.home.as_deref(), Some("/h".as_ref()));
            assert!(matches!(parsed.command, Command::List(_)));
        }
    }

    #[test]
    fn a_text_may_begin_with_a_hyphen() {
        for text in ["- a bullet", "-5 degrees at night", "--force is never used here", "-"] {
            let parsed = Arguments::try_parse_from(["memlore", "add", text, "--json", "--book", "user"]);
            let parsed = parsed.map_err(|problem| problem.to_string()).unwrap();
            let Command::Add(add) = parsed.command else { panic!("no add") };
            assert_eq!(add.text, text);
            assert!(parsed.global.json);
        }
    }

    #[test]
    fn a_text_after_two_hyphens_asks_for_nothing() {
        let arguments = |list: &[&str]| list.iter().map(OsString::from).collect::<Vec<_>>();
        assert!(asks_for_json(&arguments(&["memlore", "nonsense", "--json"])));
        assert!(!asks_for_json(&arguments(&["memlore", "add", "--", "--json"])));
    }
}
