//! What several tests and the fuzz targets share: simulations, oracles, and bodies to fuzz.
//!
//! [`Oracle`] is the memory set as plain maps; [`Network`] plays a few real replicas and delivers what it likes.
//! [`writers`] plays everybody who writes a view's file against the rules of evidence, [`share`] everything that
//! happens to a share; [`check_segment`] and
//! [`check_change`] are bodies to fuzz.

mod network;
mod oracle;
mod random;
mod reviews;
mod segments;
pub mod share;
mod views;
pub mod writers;

pub use network::{At, Carelessness, Network, Replica};
pub use oracle::Oracle;
pub use reviews::check_review_answer;
pub use segments::{check_change, check_segment, repair_change, seal_segment};
pub use views::{check_bullets_parser, check_hermes_parser, check_section_parser};
