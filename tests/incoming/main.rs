//! Input from outside, without a server: mails of many programs, inputs that fuzzers found, and the cost of a
//! message.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod answers;
// This test measures only release builds, with an allocator that counts for the whole process. So it is the only
// ignored test here, and `make slow` runs it alone.
#[cfg(not(debug_assertions))]
mod bounds;
mod fuzzed;
mod mails;
mod subjects;
