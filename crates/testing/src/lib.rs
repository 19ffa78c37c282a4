//! What several tests and the fuzz targets share: simulations, oracles, and bodies to fuzz.
//!
//! [`check_segment`] and [`check_change`] feed readers with anything.

mod segments;

pub use segments::{check_change, check_segment};
