//! `completions`: a script that completes memlore's commands in a shell.

use crate::arguments::Arguments;
use crate::error::Exit;
use crate::output::{Answer, Output, Reply};
use crate::page::Page;
use clap::CommandFactory as _;
use clap_complete::Shell;
use serde::Serialize;
use std::io::Write as _;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The shell
    shell: Shell,
}

pub(super) fn run(args: &Args, output: &Output) -> Exit {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "memlore", &mut script);
    if output.json() {
        let script = String::from_utf8_lossy(&script).into_owned();
        return output.answer(
            "write completions",
            Ok(Reply::new(Script { shell: args.shell.to_string(), script }, Vec::new())),
        );
    }
    let mut out = output.stream();
    let written = out.write_all(&script).and_then(|()| out.flush());
    output.streamed(written)
}

#[derive(Serialize)]
struct Script {
    shell: String,
    script: String,
}

impl Answer for Script {
    fn write(&self, page: &mut Page) {
        page.line(&self.script);
    }
}
