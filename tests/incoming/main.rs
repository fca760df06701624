//! Input from outside, without a server: mails of many programs, inputs that fuzzers found, and the cost of a
//! message.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod answers;
// These tests measure only release builds, with an allocator that counts for the whole process. So they are the only
// ignored tests here, and `make slow` runs them, one after another.
#[cfg(not(debug_assertions))]
mod bounds;
#[cfg(not(debug_assertions))]
#[path = "../daemon/dns.rs"]
#[expect(dead_code, reason = "each binary of tests uses its part")]
mod dns;
mod fuzzed;
mod mails;
mod subjects;
