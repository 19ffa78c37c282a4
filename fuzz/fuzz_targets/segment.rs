//! Any bytes as a segment.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| memlore_testing::check_segment(bytes));
