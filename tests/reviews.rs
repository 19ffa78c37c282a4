//! A model's answers applied to memory, and secrets on every path that writes.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

mod answers;
mod secrets;
