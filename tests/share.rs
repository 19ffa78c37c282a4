//! A share to which everything happens that sync programs, disks and people do to one: nothing is lost, nothing comes
//! back, and in the end everybody agrees.
//!
//! `MEMLORE_SEEDS=FROM..TO` plays other scenes than the usual ones, `MEMLORE_MISCHIEF=Slow,Crash` with these kinds of
//! mischief alone. A scene that breaks prints its seed and its story.

mod held;
mod hostile;
mod seeds;
