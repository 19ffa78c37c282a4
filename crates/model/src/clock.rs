//! The hybrid logical clock: wall time where it can be trusted, counting where it cannot.

use std::fmt;

/// The last microsecond of the year 9999: no stamp's physical part lies beyond.
pub const LAST_US: u64 = 253_402_300_799_999_999;

/// How far ahead of our own wall clock a foreign stamp may lie and still move our clock, in microseconds.
pub const FAR_AHEAD_US: u64 = 5 * 60 * 1_000_000;

/// An instant of the hybrid logical clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stamp {
    /// Microseconds since the epoch, at most [`LAST_US`].
    pub us: u64,
    /// Tells stamps of one microsecond apart.
    pub logical: u64,
}

impl Stamp {
    /// A stamp at this wall time, brought within the years 1970 to 9999.
    pub fn at(wall_us: u64) -> Self {
        Self { us: wall_us.min(LAST_US), logical: 0 }
    }

    /// The least stamp greater than this one.
    pub fn next(self) -> Self {
        match self.logical.checked_add(1) {
            Some(logical) => Self { logical, ..self },
            None => Self { us: (self.us + 1).min(LAST_US), logical: 0 },
        }
    }
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.us, self.logical)
    }
}

/// Issues stamps that grow, whatever the wall clock does.
///
/// Invariant: a stamp issued is greater than every stamp issued before and than every stamp observed that
/// was not far ahead of the wall clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    last: Stamp,
}

impl Clock {
    /// A clock that goes on after `last`.
    pub fn after(last: Stamp) -> Self {
        Self { last }
    }

    /// The last stamp issued or observed.
    pub fn last(self) -> Stamp {
        self.last
    }

    /// Returns a stamp later than every one issued or observed so far.
    pub fn tick(&mut self, wall_us: u64) -> Stamp {
        self.last = Stamp::at(wall_us).max(self.last.next());
        self.last
    }

    /// Takes note of a foreign stamp, unless it lies more than [`FAR_AHEAD_US`] ahead of `wall_us`: one
    /// device with a wrong clock must not carry everybody's clock away.
    pub fn observe(&mut self, stamp: Stamp, wall_us: u64) {
        if stamp.us <= wall_us.saturating_add(FAR_AHEAD_US).min(LAST_US) {
            self.last = self.last.max(stamp);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_clock_that_steps_back_does_not_turn_the_order() {
        let mut clock = Clock::default();
        let first = clock.tick(1_000);
        let second = clock.tick(10);
        let third = clock.tick(2_000);
        assert!(first < second && second < third);
    }

    #[test]
    fn a_stamp_from_the_far_future_moves_nobody_else() {
        let mut clock = Clock::default();
        clock.observe(Stamp::at(u64::MAX), 1_000);
        assert_eq!(clock.tick(1_000), Stamp { us: 1_000, logical: 0 });
        clock.observe(Stamp::at(2_000), 1_000);
        assert_eq!(clock.tick(1_000), Stamp { us: 2_000, logical: 1 });
    }

    #[test]
    fn the_end_of_time_overflows_nothing() {
        let mut clock = Clock::after(Stamp { us: LAST_US, logical: u64::MAX - 1 });
        let last = clock.tick(u64::MAX);
        assert_eq!(last.us, LAST_US);
        assert!(clock.tick(u64::MAX).us <= LAST_US);
    }
}
