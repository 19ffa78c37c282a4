//! The one integration test binary; each module says what belongs in it.

/// Laws, each for any input.
mod properties {
    mod dialects;
    mod exchange;
    mod view;
}

// The binary from outside.
mod cli;

// Everybody who writes a view's file.
mod writers;

// Laws of the replicated memory, for any operations in any order.
mod laws;

// Stories of a few replicas, told with real stores.
mod stories;

// Real processes on one home at once; a device for them.
mod device;
mod processes;

// hermes-agent at work on the same home.
mod peer;

// Real sync programs between two devices.
mod programs;

// Conversations.
mod sessions;

// Reviews and secrets.
mod reviews;

// Everything that happens to a share.
mod share;
