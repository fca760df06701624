//! The built program as its players, its operator, a monitoring and strangers have it: each test starts a real daemon, or a
//! verb, on a data folder of its own. They are one binary because most of them wait: for a relay that is tried again, for a lock
//! that is held, for a timeout. In binaries of their own, which cargo runs one after another, nothing would be done
//! meanwhile; here some wait while others work.

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
mod commandline;
mod diskfull;
mod hostile;
mod ingest;
mod init;
mod maildir;
mod misconfigured;
mod operator;
mod readme;
mod restore;
mod synced;
mod timer;
mod troubles;
mod watching;
mod watching_strangers;
mod watching_troubles;
