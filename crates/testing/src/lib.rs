//! What several tests and the fuzz targets share: simulations, oracles, and bodies to fuzz.
//!
//! [`writers`] plays everybody who writes a view's file against the rules of evidence; [`check_segment`] and
//! [`check_change`] are bodies to fuzz.

mod segments;
pub mod writers;

pub use segments::{check_change, check_segment};
