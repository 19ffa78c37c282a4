//! `session`: conversations, message by message.

use crate::error::Exit;
use crate::output::Output;
use crate::world::World;

mod append;
mod export;
mod import;
mod list;
mod recover;
mod show;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Append messages, one JSON object a line on stdin; each gets its answer
    Append(append::Args),
    /// List conversations, the newest first
    List,
    /// Show a conversation
    Show(show::Args),
    /// Take in the messages that the database could not take when they came
    Recover,
    /// Take conversations in from another program's file
    Import(import::Args),
    /// Write a conversation out as JSON lines
    Export(export::Args),
}

/// Runs a command on conversations and prints what it answers.
pub(super) fn run(args: Args, world: &World, output: &Output<'_>) -> Exit {
    match args.command {
        Command::Append(args) => append::run(&args, world, output),
        Command::List => output.answer("list the conversations", list::run(world)),
        Command::Show(args) => output.answer("show the conversation", show::run(&args, world)),
        Command::Recover => output.answer("take pending messages in", recover::run(world)),
        Command::Import(args) => output.answer("import the conversations", import::run(&args, world)),
        Command::Export(args) => export::run(&args, world, output),
    }
}
