//! The built program, as its players, its operator, monitoring and untrusted clients use it: each test starts a
//! real daemon, or a verb, on a new data folder. They are one binary because most of them wait: for a retry, for a
//! lock, for a timeout. Cargo runs binaries one after another, so in separate binaries the processors would be
//! idle meanwhile.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test says what must hold by failing, and tells of its run"
)]

#[expect(dead_code, reason = "each binary of tests uses its part")]
#[path = "../daemon/mod.rs"]
mod daemon;

mod check;
mod clicking;
mod commandline;
mod computers;
mod dashboard;
mod diskfull;
mod forgetting;
mod hostile;
mod ingest;
mod init;
mod maildir;
mod memory;
mod misconfigured;
mod operator;
mod operator_page;
mod pictures;
mod readme;
mod restore;
mod standby;
mod synced;
mod timer;
mod troubles;
mod unusual;
mod watching;
mod watching_strangers;
mod watching_troubles;
