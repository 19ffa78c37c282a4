//! The commands, each in its own module: its arguments, what it asks of the store, what it answers.

pub(crate) mod add;
pub(crate) mod batch;
pub(crate) mod compact;
pub(crate) mod completions;
mod conflicts;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod log;
pub(crate) mod remove;
pub(crate) mod render;
pub(crate) mod replace;
pub(crate) mod restore;
pub(crate) mod review;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod show;
mod status;
mod stdin;
pub(crate) mod sync;
mod undo;

use crate::arguments::{Arguments, Command};
use crate::error::{CommandError, Exit};
use crate::output::{Output, Reply};
use crate::world::World;

/// What a command gives: its answer, or why there is none.
type Result<A> = std::result::Result<Reply<A>, CommandError>;

/// Runs a command and prints what it answers.
pub(crate) fn run(Arguments { global, command }: Arguments) -> Exit {
    let world = World::new(&global);
    let output = Output::new(&global, &world);
    let begun = std::time::Instant::now();
    let exit = match command {
        Command::Init(args) => output.answer("make this memory", init::run(&args, &world)),
        Command::Add(args) => output.answer("add", add::run(args, &world)),
        Command::Replace(args) => output.answer("replace", replace::run(args, &world)),
        Command::Remove(args) => output.answer("remove", remove::run(args, &world)),
        Command::Batch(args) => output.answer("take the batch in", batch::run(&args, &world)),
        Command::List(args) => output.answer("list", list::run(args, &world)),
        Command::Show(args) => output.answer("show the entry", show::run(&args, &world)),
        Command::Log(args) => output.answer("show the log", log::run(&args, &world)),
        Command::Conflicts => output.answer("look for conflicts", conflicts::run(&world)),
        Command::Restore(args) => output.answer("restore", restore::run(&args, &world)),
        Command::Undo => output.answer("undo", undo::run(&world)),
        Command::Render(args) if args.check => output.answer("check the views", render::check(&world)),
        Command::Render(_) => output.answer("render", render::run(&world)),
        Command::Import(args) => output.answer("import", import::run(&args, &world)),
        Command::Search(args) => output.answer("search", search::run(&args, &world)),
        Command::Review(args) => review::run(args, &world, &output),
        Command::Session(args) => session::run(args, &world, &output),
        Command::Sync(args) => output.answer("sync", sync::run(&args, &world)),
        Command::Compact(args) => output.answer("compact", compact::run(&args, &world)),
        Command::Status => output.answer("tell the status", status::run(&world)),
        Command::Doctor(args) => output.answer("check this memory", doctor::run(&args, &world)),
        Command::Export(args) => export::run(&args, &world, &output),
        Command::Completions(args) => completions::run(&args, &output),
        Command::Demo(args) => output.answer("show the demo", demo::run(&args)),
    };
    output.took(begun.elapsed());
    exit
}
