//! What comes from outside, without a server: mails of many programs, what fuzzers found, and what a message may cost.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

// It measures release builds alone, with an allocator that counts for the whole process: so its test is the only one here
// that is ignored, and `make slow` runs it alone.
#[cfg(not(debug_assertions))]
mod bounds;
mod fuzzed;
mod mails;
