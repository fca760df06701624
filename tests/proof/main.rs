//! No accepted mail is lost, and nothing happens twice: when the daemon is killed (`crash`), when the power fails (`power`), and
//! when one of two machines burns (`machines`). All use the same checker (`book`).

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test says what must hold by failing, and tells of its run"
)]

mod book;
mod crash;
#[expect(dead_code, reason = "each binary of tests uses its part")]
#[path = "../daemon/mod.rs"]
mod daemon;
#[expect(dead_code, reason = "each binary of tests uses its part")]
#[path = "../foreseen/mod.rs"]
mod foreseen;
mod machines;
mod power;
#[expect(dead_code, reason = "each binary of tests uses its part")]
#[path = "../stage/mod.rs"]
mod stage;
