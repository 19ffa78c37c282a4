//! Any bytes as a model's answer.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| memlore_testing::check_review_answer(bytes));
