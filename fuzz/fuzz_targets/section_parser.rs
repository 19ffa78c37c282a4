//! Any bytes as a file of somebody else's with a section of ours.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| memlore_testing::check_section_parser(bytes));
