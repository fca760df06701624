//! Simulated years of a server with many players, and beside it a model that says of every mail what must come of it.
//!
//! `cargo test --test soak` plays a few players for a few weeks; `make soak` plays `SOAK_PLAYERS` (2000) for
//! `SOAK_MINUTES` (30) minutes. `SOAK_SEED` plays the same again.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test fails by panicking, and tells what it has seen"
)]

mod check;
mod deed;
mod log;
mod mail;
mod model;
mod notices;
mod people;
mod post;
mod soak;
mod tally;
mod world;

use std::time::Duration;

use chrono::TimeDelta;
use soak::{Plan, Soak};

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{name} is no number: {text}"))
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_does_for_years_what_the_model_says() {
    let minutes = variable("SOAK_MINUTES");
    let small = minutes.is_none();
    let plan = Plan {
        seed: variable("SOAK_SEED").unwrap_or(1),
        people: usize::try_from(variable("SOAK_PLAYERS").unwrap_or(if small { 30 } else { 2000 })).unwrap(),
        real: Duration::from_secs(60 * minutes.unwrap_or(60)),
        simulated: if small {
            TimeDelta::days(60)
        } else {
            TimeDelta::days(36_500)
        },
    };
    eprintln!("{plan:?}");
    let folder = tempfile::tempdir().unwrap();
    let mut soak = Soak::begin(plan, folder.path());
    soak.run().await;
    soak.tally.print();
    tally::print_sizes(&soak);
    if !small {
        soak.tally.must_be_complete();
    }
    soak.world.stop().await;
}
