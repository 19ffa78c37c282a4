//! Contestants that take turns, so that a disk's moods meet all of them alike.

use anyhow::Result;
use std::time::{Duration, Instant};

/// Something that can be done once more; it times itself, so that only what counts is timed.
pub(crate) type Turn<'a> = &'a mut dyn FnMut() -> Result<Duration>;

/// Lets everybody have this many turns, and returns each one's median in milliseconds.
///
/// Everybody begins as often as the others and follows each neighbour as often as it precedes it: whoever comes after
/// a durable write finds another disk and another cache than before it.
pub(crate) fn medians<const N: usize>(rounds: usize, mut turns: [Turn<'_>; N]) -> Result<[f64; N]> {
    for turn in &mut turns {
        turn()?;
    }
    let mut times: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::with_capacity(rounds));
    for round in 0..rounds {
        for place in 0..N {
            let forward = (round / 2 + place) % N;
            let who = if round % 2 == 0 { forward } else { N - 1 - forward };
            times[who].push(turns[who]()?);
        }
    }
    Ok(times.map(median_ms))
}

/// Times one call.
pub(crate) fn timed<T>(call: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let begun = Instant::now();
    let answer = call()?;
    Ok((answer, begun.elapsed()))
}

fn median_ms(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}
