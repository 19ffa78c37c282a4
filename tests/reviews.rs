//! A model's answers applied to memory; limits and secrets on every path that writes.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

mod answers;
mod limits;
mod secrets;
mod team;
