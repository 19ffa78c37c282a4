//! Any bytes as a file of bullets.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| memlore_testing::check_bullets_parser(bytes));
