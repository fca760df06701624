//! Play by mail in one process: mails go in, the letters that come out are read. There is no door and no relay,
//! and time passes when a test says so. Only the demo has doors and a real clock. It is in this binary because in
//! `running` it would take both processors from tests that wait for a timeout.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod authentic;
mod clocks;
mod conversations;
mod demo;
#[path = "../daemon/dns.rs"]
#[expect(dead_code, reason = "each binary of tests uses its part")]
mod dns;
mod finished;
mod laws;
#[path = "../stage/looks.rs"]
mod looks;
mod loops;
mod own_words;
#[path = "../stage/returned.rs"]
mod returned;
#[path = "../stage/mod.rs"]
mod stage;
#[path = "../stage/timer.rs"]
mod timer;
#[path = "../daemon/tls.rs"]
#[expect(dead_code, reason = "each binary of tests uses its part")]
mod tls;
mod web;

#[test]
fn what_is_left_out_is_said() {
    stage::database::tell();
}
