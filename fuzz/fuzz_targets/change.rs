//! Any bytes as a change.
#![no_main]

libfuzzer_sys::fuzz_target!(
    // The fuzzer's own hook ends the process at any panic; those of automerge are caught by the reader.
    init: drop(std::panic::take_hook()),
    |bytes: &[u8]| memlore_testing::check_change(bytes)
);
