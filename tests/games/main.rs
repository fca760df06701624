//! The games without a server: what every game promises, the rules against other judges, records and pictures.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod contract;
mod forms;
mod pictures;
mod playthroughs;
mod pow2;
mod pow2_rules;
mod records;
