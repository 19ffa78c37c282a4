//! `session export`: a conversation as JSON lines that `session import jsonl` takes.

use super::show::unknown;
use crate::error::Exit;
use crate::output::Output;
use crate::world::World;
use std::io::Write as _;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The conversation
    #[arg(allow_hyphen_values = true)]
    session: String,
}

/// Writes the lines as they come; with `--json` too.
pub(super) fn run(args: &Args, world: &World, output: &Output<'_>) -> Exit {
    const DOING: &str = "export the conversation";
    let store = match world.open() {
        Ok(store) => store,
        Err(error) => return output.fail(DOING, error),
    };
    let mut out = output.stream();
    let mut problem = None;
    let exported = store.export_session(&args.session, &mut |line| {
        out.write_all(line.as_bytes()).inspect_err(|error| problem = Some(error.kind()))
    });
    let flushed = out.flush();
    match (exported, problem) {
        (_, Some(problem)) => output.streamed(Err(problem.into())),
        (Err(error), None) => output.fail(DOING, unknown(error)),
        (Ok(()), None) => output.streamed(flushed),
    }
}
