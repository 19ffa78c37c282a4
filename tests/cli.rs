//! The binary from outside: a few tests for each command, the shape of every answer, every exit code.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

mod batch;
mod beside;
mod bullets;
mod care;
mod demo;
mod errors;
mod memory;
mod progress;
mod review;
mod sandbox;
mod share;
mod text;
mod views;

use sandbox::{Sandbox, keys};
