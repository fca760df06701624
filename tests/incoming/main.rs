//! What comes from outside, without a server: mails of many programs, what fuzzers found, and what a message may cost.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

// It has an allocator that counts, and measures release builds alone.
#[cfg(not(debug_assertions))]
mod bounds;
mod fuzzed;
mod mails;
