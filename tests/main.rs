//! The one integration test binary; each module says what belongs in it.
