//! `demo`: two devices and several processes collide in a temporary folder, and nothing is lost.

mod device;
mod scenes;
mod verdict;

use super::Result;
use crate::error::{CommandError, Exit};
use crate::output::{Answer, Reply};
use crate::page::{ADDED, LOUD, Page, QUIET, paint};
use device::Device;
use serde::Serialize;
use std::path::{Path, PathBuf};

/// What stands between two entries of a MEMORY.md.
const DELIMITER: &str = "\n§\n";

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Keep the temporary folder and say where it is
    #[arg(long)]
    keep: bool,
}

pub(super) fn run(args: &Args) -> Result<impl Answer + use<>> {
    let mut folder = tempfile::Builder::new()
        .prefix("memlore-demo-")
        .tempdir()
        .map_err(|problem| CommandError::io("no temporary folder can be made", &problem))?;
    folder.disable_cleanup(args.keep);
    let mut played = play(folder.path())?;
    played.folder = args.keep.then(|| folder.path().to_owned());
    let error = (!played.wrong.is_empty()).then(|| {
        CommandError::new(Exit::Damaged, "lost", played.wrong.join("; "))
            .hint("this must never happen: please report it, with what `memlore demo --keep` leaves behind")
    });
    Ok(Reply::new(played, Vec::new()).with_error(error))
}

/// Lets two devices live through every scene, and judges what they ended with.
fn play(folder: &Path) -> std::result::Result<Played, CommandError> {
    let [laptop, desktop] = ["laptop", "desktop"].map(|name| Device::new(folder, name));
    let mut story = Story::default();
    scenes::play(&laptop, &desktop, &mut story)?;
    let wrong = verdict::judge(&laptop, &desktop, &story)?;
    let memory = laptop.read_view()?;
    Ok(Played { scenes: story.scenes, memory, wrong, folder: None })
}

/// What happened, and what it must have led to.
#[derive(Default)]
struct Story {
    scenes: Vec<Scene>,
    /// Texts that must be in MEMORY.md once.
    due: Vec<String>,
    /// Texts that must be nowhere in it.
    gone: Vec<String>,
    /// How many entries the book without a view must have.
    archived: usize,
}

impl Story {
    fn scene(&mut self, what: impl Into<String>, outcome: impl Into<String>) {
        self.scenes.push(Scene { what: what.into(), outcome: outcome.into() });
    }
}

/// One thing that happened, and what became of it.
#[derive(Serialize)]
struct Scene {
    what: String,
    outcome: String,
}

#[derive(Serialize)]
struct Played {
    scenes: Vec<Scene>,
    memory: String,
    wrong: Vec<String>,
    folder: Option<PathBuf>,
}

impl Answer for Played {
    fn write(&self, page: &mut Page) {
        page.line(paint(LOUD, "Two devices, one memory, a shared folder between them."));
        for Scene { what, outcome } in &self.scenes {
            page.line(format_args!("{} {what}", paint(ADDED, "•")));
            page.line(paint(QUIET, format_args!("  {outcome}")));
        }
        page.line("");
        page.line(paint(LOUD, "MEMORY.md, the same on both:"));
        page.indented("  ", 2, self.memory.trim_end());
        page.line("");
        if self.wrong.is_empty() {
            page.line(paint(ADDED, "Nothing was lost, and nothing came back that was removed."));
        }
        if let Some(folder) = &self.folder {
            page.line(format_args!("It is all still in {}", folder.display()));
        }
    }
}
