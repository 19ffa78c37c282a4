//! Conversations: laws for any order of events, the cases that went wrong elsewhere, and hermes-agent at work.

#![allow(clippy::unwrap_used, reason = "what cannot be unwrapped here fails the test")]

mod cases;
mod damage;
mod hermes;
mod killed;
mod laws;
mod names;
mod spool;
mod talk;
mod unstamped;
mod words;
