//! The games without a server: the contract of every game, the rules against independent implementations, records
//! and pictures.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod continuations;
mod contract;
mod effects;
mod forms;
mod pictured;
mod pictures;
mod playthroughs;
mod pow2;
mod pow2_rules;
mod records;
mod sgf;
