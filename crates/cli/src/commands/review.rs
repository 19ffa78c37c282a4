//! `review`: a model is shown a numbered list, and its answer is applied as one.

use crate::error::Exit;
use crate::output::Output;
use crate::world::World;

mod apply;
mod cursor;
mod list;

#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Apply a model's answer, read from stdin, and move the conversation's cursor
    Apply(apply::Args),
    /// List entries with numbers, to show a model
    List(list::Args),
    /// Tell how far a conversation was read
    Cursor(cursor::Args),
}

/// Runs a command on reviews and prints what it answers.
pub(super) fn run(args: Args, world: &World, output: &Output<'_>) -> Exit {
    match args.command {
        Command::Apply(args) => output.answer("apply the answer", apply::run(args, world)),
        Command::List(args) => output.answer("list", list::run(&args, world)),
        Command::Cursor(args) => output.answer("tell the cursor", cursor::run(args, world)),
    }
}
