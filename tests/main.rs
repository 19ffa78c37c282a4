//! The one integration test binary; each module says what belongs in it.

/// Laws, each for any input.
mod properties {
    mod exchange;
}

// The binary from outside.
mod cli;
