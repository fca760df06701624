//! The client of `make load`: fills a data folder with boards, sends moves over SMTP, and measures the disk.
//!
//! `load fill FOLDER PLAYERS BOARDS`, `load moves FOLDER-OR-URL HOST:PORT CONNECTIONS MAILS`, `load commit FOLDER`; and that of `make
//! pages`: `load pages HOST:PORT CONNECTIONS SECONDS RATE`, with the paths on standard input and 0 for as fast as it goes. Each
//! prints its figures as one line of JSON.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark that cannot begin has nothing to say"
)]

mod moves;
mod pages;
mod smtp;
#[path = "../town/mod.rs"]
mod town;

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use chrono::Utc;
use pbmserv_core::store::Store;

use town::Town;

/// Repetitions of the measurement of the disk.
const COMMITS: usize = 200;

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["fill", folder, players, boards] => {
            let town = Town::open(Path::new(folder), Utc::now());
            let players = players.parse().unwrap();
            town.settle(players).await;
            town.add_boards(town::game("Pow2"), boards.parse().unwrap(), players)
                .await;
            town.close().await;
        }
        ["moves", folder, server, connections, mails] => {
            let connections = connections.parse().unwrap();
            let took = moves::send(folder, server, connections, mails.parse().unwrap()).await;
            println!("{}", report(&took.each, took.all));
        }
        ["commit", folder] => {
            let (commits, syncs) = (commits(Path::new(folder)), syncs(Path::new(folder)));
            println!(
                "{{\"commit_ms\": {:.3}, \"sync_ms\": {:.3}}}",
                millis(median(commits)),
                millis(median(syncs))
            );
        }
        ["pages", server, connections, seconds, rate] => {
            let paths: Vec<_> = std::io::stdin().lines().map(Result::unwrap).collect();
            let time = Duration::from_secs_f64(seconds.parse().unwrap());
            let rate = Some(rate.parse().unwrap()).filter(|rate| *rate > 0.0);
            let begun = Instant::now();
            let each = pages::ask(server, &paths, connections.parse().unwrap(), time, rate);
            println!("{}", report_pages(each, begun.elapsed()));
        }
        _ => panic!(
            "load fill FOLDER PLAYERS BOARDS | moves FOLDER HOST:PORT CONNECTIONS MAILS | commit FOLDER | pages \
             HOST:PORT CONNECTIONS SECONDS RATE"
        ),
    }
}

fn report(each: &[Duration], all: Duration) -> String {
    let (median, worst) = (
        median(each.to_vec()),
        each.iter().max().copied().unwrap_or_default(),
    );
    format!(
        "{{\"mails\": {}, \"seconds\": {:.3}, \"median_ms\": {:.3}, \"worst_ms\": {:.3}}}",
        each.len(),
        all.as_secs_f64(),
        millis(median),
        millis(worst)
    )
}

fn report_pages(mut each: Vec<Duration>, all: Duration) -> String {
    each.sort_unstable();
    let at = |share: usize| millis(each[(each.len() - 1) * share / 100]);
    format!(
        "{{\"pages\": {}, \"seconds\": {:.3}, \"median_ms\": {:.3}, \"p99_ms\": {:.3}, \"worst_ms\": {:.3}}}",
        each.len(),
        all.as_secs_f64(),
        at(50),
        at(99),
        at(100)
    )
}

/// The times of some durable commits of one row.
fn commits(folder: &Path) -> Vec<Duration> {
    let path = folder.join("commits.sqlite");
    let store = Store::open(&path).unwrap();
    let took = (0..COMMITS).map(|number| timed(|| store.set_note("commit", &number.to_string()).unwrap()));
    let took = took.collect();
    drop(store);
    std::fs::remove_file(path).unwrap();
    took
}

/// The time to append 4 KiB to a file and sync it.
fn syncs(folder: &Path) -> Vec<Duration> {
    let path = folder.join("syncs");
    let mut file = File::create(&path).unwrap();
    let mut sync = || {
        file.write_all(&[1; 4096]).unwrap();
        file.sync_data().unwrap();
    };
    let took = (0..COMMITS).map(|_| timed(&mut sync)).collect();
    std::fs::remove_file(path).unwrap();
    took
}

fn timed(work: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    work();
    begun.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
