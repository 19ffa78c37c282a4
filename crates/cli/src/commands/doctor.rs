//! `doctor`: checks everything that can be checked.

use super::Result;
use crate::error::{CommandError, Exit};
use crate::output::{Answer, Reply};
use crate::page::{ADDED, Page, QUIET, REMOVED, count, paint};
use crate::world::World;
use memlore_store::answer::Check;
use serde::Serialize;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Mend what can be mended
    #[arg(long)]
    repair: bool,
    /// Build the Automerge document too, and compare
    #[arg(long)]
    deep: bool,
}

pub(super) fn run(args: &Args, world: &World) -> Result<impl Answer + use<>> {
    let (mut store, warnings) = match world.open() {
        // What cannot even be opened is moved aside; that is told beside the checks.
        Err(error) if args.repair && error.exit == Exit::Damaged => world.open_or_create()?,
        opened => (opened?, Vec::new()),
    };
    let checks = store.doctor(args.repair, args.deep).map_err(CommandError::from)?;
    let failed = checks.iter().filter(|check| !check.ok).count();
    let error = (failed > 0).then(|| {
        let hint = if args.repair {
            "what is left needs a person; each check says what to do"
        } else {
            "each check says what to do; `memlore doctor --repair` mends what it can"
        };
        let what = count(failed, "check of", "checks of");
        CommandError::new(Exit::Damaged, "damaged", format!("{what} {} failed", checks.len())).hint(hint)
    });
    let checks = checks.into_iter().map(Checked::from).collect();
    Ok(Reply::new(DoctorAnswer { checks }, warnings).with_error(error))
}

#[derive(Serialize)]
struct DoctorAnswer {
    checks: Vec<Checked>,
}

#[derive(Serialize)]
struct Checked {
    name: &'static str,
    ok: bool,
    detail: String,
    fix: Option<String>,
}

impl From<Check> for Checked {
    fn from(Check { name, ok, detail, fix }: Check) -> Self {
        Self { name, ok, detail, fix }
    }
}

impl Answer for DoctorAnswer {
    fn write(&self, page: &mut Page) {
        let width = self.checks.iter().map(|check| check.name.len()).max().unwrap_or_default();
        for Checked { name, ok, detail, fix } in &self.checks {
            let mark = if *ok { paint(ADDED, "✓") } else { paint(REMOVED, "✗") };
            page.line(format_args!("{mark} {name:<width$}  {}", paint(QUIET, detail)));
            if let Some(fix) = fix {
                page.line(format_args!("  {:width$}  → {fix}", ""));
            }
        }
    }
}
