//! Looking after a replica: how it is doing, whether it is whole, and getting everything out.

mod damage;
mod doctor;
mod document;
mod export;
mod status;

pub(crate) use damage::move_aside;
pub(crate) use doctor::{doctor, rebuild_within};
pub use export::Export;
pub(crate) use export::export;
pub(crate) use status::status;
