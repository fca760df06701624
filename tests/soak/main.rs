//! Simulated years of a server with many players, judged mail by mail.
//!
//! The people know only what they ask for. Laws judge what comes of it (`laws/`): from the stored rows, of which triggers tell each
//! change, from the rules of the games, and from who has proven to be whom. So a new command needs a line in `people/others.rs`
//! and no more. Sentences are judged by `tests/conversations`.
//!
//! `cargo test --test soak` plays a few players for a few weeks; `make soak` plays `SOAK_PLAYERS` (2000) for
//! `SOAK_MINUTES` (30) minutes. `SOAK_SEED` repeats a run.
//!
//! Computers play here, but the server's thinking threads do not run: a turn is chosen and handed to the engine between two mails.
//! With threads it would depend on the machine which board is answered first and which mail comes in between, so no seed could
//! repeat a run; and hints and reviews take seconds each, while a mail takes a millisecond.
//! The threads have their own tests: `tests/play/` has them think to the end, and the proof of kills ends them while they think.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells what it has seen"
)]

mod check;
mod clock;
mod deed;
#[path = "../foreseen/mod.rs"]
mod foreseen;
mod laws;
mod log;
mod mail;
mod notices;
mod operator;
mod people;
mod post;
mod rows;
mod secrets;
mod soak;
#[expect(dead_code, reason = "each binary of tests uses its part")]
#[path = "../stage/mod.rs"]
mod stage;
mod tally;
mod view;
mod world;

use std::path::Path;
use std::time::Duration;

use chrono::TimeDelta;
use soak::{Plan, Soak};
use tempfile::TempDir;

/// A new folder in memory if possible: tests of the disk are in `tests/proof/crash/`, and here it would take most
/// of the time.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let has_room = rustix::fs::statvfs(memory).is_ok_and(|shm| shm.f_bavail * shm.f_frsize > 8 << 30);
    match has_room {
        true => tempfile::tempdir_in(memory).unwrap(),
        false => tempfile::tempdir().unwrap(),
    }
}

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}"))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_keeps_its_laws_for_years() {
    let minutes = variable("SOAK_MINUTES");
    let small = minutes.is_none();
    let plan = Plan {
        seed: variable("SOAK_SEED").unwrap_or(1),
        people: usize::try_from(variable("SOAK_PLAYERS").unwrap_or(if small { 24 } else { 2000 })).unwrap(),
        real: Duration::from_secs(60 * minutes.unwrap_or(60)),
        // The small run includes a clock that is set, a restart, and a complete check.
        simulated: if small {
            TimeDelta::days(75)
        } else {
            TimeDelta::days(36_500)
        },
    };
    eprintln!("{plan:?}");
    let mut soak = Soak::begin(plan, folder());
    soak.run().await;
    if !small {
        tally::must_be_complete(&soak);
    }
    soak.world.stop().await;
}
