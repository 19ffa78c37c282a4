//! hermes-agent beside memlore on one home: its own memory tool, and old instances that save old snapshots.
//!
//! The interpreter is the one that `MEMLORE_HERMES_PYTHON` names, else an environment that the tests make once below
//! the target folder.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

pub(crate) mod environment;
mod hermes;
mod locks;
mod stale;
mod together;
mod tool;

pub(crate) use environment::python;
