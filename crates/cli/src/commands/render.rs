//! `render`: writes the views, or checks them.

use super::Result;
use crate::answer::{view_state, views_json};
use crate::error::{CommandError, Exit};
use crate::output::{Answer, Reply};
use crate::page::{ADDED, CHANGED, Page, QUIET, count, glimpse, paint};
use crate::world::World;
use memlore_store::answer::{HeldKind, ViewReport, ViewState};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; exit with 1 when a view differs
    #[arg(long)]
    pub(super) check: bool,
}

/// Writes the views.
pub(super) fn run(world: &World) -> Result<impl Answer + use<>> {
    let (mut store, mut warnings) = world.open_or_create()?;
    let rendered = store.render().map_err(CommandError::from)?;
    warnings.extend(rendered.warnings);
    let views = rendered.answer;
    let failed = views.iter().filter(|view| view.trouble.is_some()).count();
    let error = (failed > 0).then(|| {
        let what = format!("{} could not be written", count(failed, "view", "views"));
        CommandError::new(Exit::Busy, "unreachable", what)
            .but_stored()
            .hint("see that the file may be written; the next command tries again")
    });
    Ok(Reply::new(Views(views), warnings).with_error(error))
}

/// Compares the views with what would be written.
pub(super) fn check(world: &World) -> Result<impl Answer + use<>> {
    let views = world.open()?.views().map_err(CommandError::from)?;
    let differing = views.iter().filter(|view| view.state != ViewState::Current).count();
    let error = (differing > 0).then(|| {
        let what = count(differing, "view differs", "views differ");
        CommandError::new(Exit::Nothing, "differs", format!("{what} from what would be written"))
            .hint("`memlore import` takes edits in, `memlore render` writes the views")
    });
    Ok(Reply::new(Views(views), Vec::new()).with_error(error))
}

struct Views(Vec<ViewReport>);

impl Serialize for Views {
    fn serialize<S: Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
        let mut fields = to.serialize_struct("Views", 1)?;
        fields.serialize_field("views", &views_json(&self.0))?;
        fields.end()
    }
}

impl Answer for Views {
    fn write(&self, page: &mut Page) {
        if self.0.is_empty() {
            page.line(paint(QUIET, "no book has a view"));
        }
        write_views(page, &self.0);
    }
}

/// Writes views below each other: their state, their file, and what is held there.
pub(super) fn write_views(page: &mut Page, views: &[ViewReport]) {
    for view in views {
        let style = if view.state == ViewState::Current { ADDED } else { CHANGED };
        let state = format!("{:<8}", view_state(view.state));
        page.line(format_args!("  {}  {}", paint(style, state), view.path.display()));
        if let Some(trouble) = &view.trouble {
            page.line(format_args!("            {trouble}"));
        }
        for held in &view.held {
            let since = page.age(held.since_us);
            let what = match held.kind {
                HeldKind::Absent => "is gone from the file and kept here",
                HeldKind::Returning => "is in the file again and left out here",
            };
            page.line(format_args!(
                "            “{}” {}",
                glimpse(&held.text),
                paint(QUIET, format_args!("{what} · {since}"))
            ));
        }
    }
    if views.iter().any(|view| !view.held.is_empty()) {
        page.line(paint(
            QUIET,
            "  `memlore import --confirm` obeys the files; `memlore remove` or `add` settles one text",
        ));
    }
}
