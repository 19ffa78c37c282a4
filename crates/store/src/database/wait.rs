//! Waiting for somebody else, with jitter and an end.

use std::hash::{BuildHasher as _, RandomState};
use std::time::{Duration, Instant};

/// How long an operation waits for others before it gives up.
pub(crate) const DEADLINE: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

/// What is left of a caller's patience.
pub(crate) struct Patience {
    until: Option<Instant>,
    pause: Duration,
    deadline: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self::of(DEADLINE)
    }
}

impl Patience {
    /// Patience that ends this long after the first wait.
    pub(crate) fn of(deadline: Duration) -> Self {
        Self { until: None, pause: FIRST_PAUSE, deadline }
    }

    /// Waits a little, and returns whether to try again.
    ///
    /// The pauses grow and are spread at random, so that processes which met once do not meet for ever.
    pub(crate) fn wait(&mut self) -> bool {
        let until = *self.until.get_or_insert_with(|| Instant::now() + self.deadline);
        if Instant::now() >= until {
            return false;
        }
        // A fresh hasher has fresh keys: jitter decides nothing, so it need not come in as an argument.
        let spread = RandomState::new().hash_one(0u8) % 1000;
        std::thread::sleep(self.pause.mul_f64(0.5 + spread as f64 / 1000.0));
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        true
    }
}
