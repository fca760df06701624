//! What goes wrong at night, with the built program: each drill breaks something as it breaks on a real machine, and asserts
//! that the operator's verbs say so, with the remedy, and do no harm.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test says what must hold by failing, and tells of its run"
)]

#[expect(dead_code, reason = "each binary of tests uses its part")]
#[path = "../daemon/mod.rs"]
mod daemon;

#[expect(dead_code, reason = "the tests call what `main` calls")]
#[path = "../../src/main.rs"]
mod program;

mod checks;
mod copies;
mod erased;
mod first;
mod former;
mod keys;
mod logins;
mod logless;
mod lookup;
mod many;
mod migrations;
mod misled;
mod mounted;
mod moving;
mod printed;
mod progress;
mod published;
mod rotten;
mod stalled;
mod taken;
mod terminal;
mod told;
mod unreadable;
mod watchdog;
