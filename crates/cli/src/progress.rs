//! A bar on stderr while much is taken in from a share, for people who sit before a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use memlore_store::{OnTakingIn, TakingIn};
use std::cell::OnceCell;
use std::time::{Duration, Instant};

/// What is done sooner needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// How the bar looks.
const STYLE: &str = "taking in what others published [{wide_bar}] {bytes} of {total_bytes}";

/// What draws the bar: after a second, until everything is taken in, and never where stderr is no terminal.
pub(crate) fn bar() -> OnTakingIn {
    let (begun, bar) = (Instant::now(), OnceCell::new());
    Box::new(move |far: TakingIn| {
        if begun.elapsed() < PATIENCE {
            return;
        }
        // Most commands never come here, so nothing is made before.
        let bar: &ProgressBar = bar.get_or_init(new);
        bar.set_length(far.all_bytes);
        bar.set_position(far.bytes);
        if far.bytes >= far.all_bytes {
            bar.finish_and_clear();
        }
    })
}

fn new() -> ProgressBar {
    let style = ProgressStyle::with_template(STYLE).expect("a template that a test draws");
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
}
