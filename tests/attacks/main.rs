//! What strangers on the open Internet may try, each on a running daemon: forged mails, floods, guessed passwords, a man in
//! the middle. `docs/security.md` says which test holds what.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test says what must hold by failing, and tells of its run"
)]

#[expect(dead_code, reason = "each binary of tests uses its part")]
#[path = "../daemon/mod.rs"]
mod daemon;

mod accounts;
mod backscatter;
mod challenges;
mod computers;
mod copies;
mod database;
mod files;
mod flood;
mod guesses;
mod hashing;
mod imap_starttls;
mod letters;
mod links;
mod pages;
mod postmaster;
mod quoted;
mod relay_starttls;
mod results;
mod sessions;
mod silence;
mod small;
mod verified;
