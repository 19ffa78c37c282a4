//! Any bytes as a file in the hermes dialect.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| memlore_testing::check_hermes_parser(bytes));
