//! Stories of a few replicas, each with what must be true in the end.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

mod concurrent;
mod copied;
mod delimiters;
mod encodings;
mod files;
mod finding;
mod markers;
mod raced;
mod segments;
mod sets;
mod skew;
mod touched;
