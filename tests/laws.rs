//! Laws of the replicated memory: they hold for any operations in any order of delivery.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

mod actions;
mod branches;
mod convergence;
mod several_views;
mod synced;
mod together;
