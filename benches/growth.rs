//! Whether a move mail costs the same with a million boards as with a hundred, and what a daemon with a million
//! boards needs.
//!
//! `cargo bench --bench growth`; the databases are made once and kept in the build folder, on whose disk they are
//! measured. It fails if a bound is exceeded. GROWTH_ON=postgres://USER@HOST:PORT makes and measures them there.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot begin has nothing to say"
)]

#[path = "load/smtp.rs"]
mod smtp;
mod town;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use chrono::Utc;
use pbmserv_core::letters::columns;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use town::{PASSWORD, Town, game};

/// Boards in each of the databases; GROWTH_MOST changes the last of them.
static SIZES: LazyLock<[u32; 3]> = LazyLock::new(|| {
    let most = std::env::var("GROWTH_MOST").map_or(1_000_000, |most| most.parse().unwrap());
    [100, 10_000.min(most / 10), most]
});

const PLAYERS: usize = 1000;

/// Rounds, in each of which every database is measured once.
const ROUNDS: usize = 15;

/// Mails in a round, each with its own commit; and mails that are submitted at once.
const ALONE: usize = 40;
const TOGETHER: usize = 256;

/// The largest allowed ratio of the cost with the most boards to that with the fewest.
const MAX_TIMES: f64 = 1.3;

/// The same on PostgreSQL.
const MAX_TIMES_ON_POSTGRESQL: f64 = 1.5;

/// The most memory of the daemon, in MiB.
const MAX_MEMORY: f64 = 100.0;

/// The longest time until it is ready.
const MAX_START: Duration = Duration::from_secs(1);

#[tokio::main]
async fn main() {
    let mut towns = Vec::new();
    for boards in *SIZES {
        made(boards).await;
        towns.push(open(boards));
    }
    // Alone and together, for each database.
    let mut costs = vec![[Vec::new(), Vec::new()]; SIZES.len()];
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    for round in 0..ROUNDS {
        for place in 0..SIZES.len() {
            let place = (place + round) % SIZES.len();
            let town = &towns[place];
            for mail in moves(town, SIZES[place], ALONE, &mut rng) {
                let begun = Instant::now();
                town.ask_all(vec![mail]).await;
                costs[place][0].push(begun.elapsed());
            }
            let mails = moves(town, SIZES[place], TOGETHER, &mut rng);
            let count = u32::try_from(mails.len()).unwrap();
            let begun = Instant::now();
            town.ask_all(mails).await;
            costs[place][1].push(begun.elapsed() / count);
            town.deliver().await;
        }
    }
    let costs: Vec<[Duration; 2]> = costs.into_iter().map(|kinds| kinds.map(median)).collect();
    let mut faults = report(&costs);
    for town in towns {
        let stats = town.server.reader().unwrap().stats(0).unwrap();
        let (bytes, turns) = (stats.bytes as f64, f64::from(u32::try_from(stats.turns).unwrap()));
        println!(
            "{turns:>9} turns: {:.0} MiB, {:.0} bytes a turn",
            bytes / 1_048_576.0,
            bytes / turns
        );
        town.close().await;
    }
    println!();
    faults.extend(daemon().await);
    for fault in &faults {
        println!("{fault}");
    }
    if !faults.is_empty() {
        std::process::exit(1);
    }
}

fn folder(boards: u32) -> PathBuf {
    let engine = if url(boards).is_some() { "-postgresql" } else { "" };
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("growth{engine}-{boards}"))
}

/// The URL of the database with this number of boards, if GROWTH_ON names a server of PostgreSQL.
fn url(boards: u32) -> Option<String> {
    let server = std::env::var("GROWTH_ON").ok()?;
    Some(format!("{server}/growth_{boards}"))
}

fn open(boards: u32) -> Town {
    let mut config = town::configuration(&folder(boards).join("data"));
    config.store.url = url(boards).unwrap_or_default();
    Town::open_with(&config, Utc::now())
}

/// Makes the database with this number of boards, unless it is there.
async fn made(boards: u32) {
    let folder = folder(boards);
    let complete = folder.join("complete");
    if let Ok(server) = std::env::var("GROWTH_ON") {
        let database = format!("CREATE DATABASE growth_{boards} TEMPLATE template0 ENCODING 'UTF8'");
        let mut psql = Command::new("psql");
        psql.args(["-q", "-d", &format!("{server}/postgres"), "-c", &database]);
        // It fails if there is one.
        if psql.stderr(Stdio::null()).status().unwrap().success() {
            drop(std::fs::remove_dir_all(&folder));
        }
    }
    if !complete.exists() {
        drop(std::fs::remove_dir_all(&folder));
        std::fs::create_dir_all(&folder).unwrap();
        let begun = Instant::now();
        let data = folder.join(if url(boards).is_some() { "file" } else { "data" });
        let town = Town::open_with(&town::configuration(&data), Utc::now());
        town.settle(PLAYERS).await;
        town.add_boards(game("Pow2"), boards, PLAYERS).await;
        town.close().await;
        if let Some(url) = url(boards) {
            // Boards are made twenty times as fast in a file.
            let mut copy = Command::new(env!("CARGO_BIN_EXE_pbmserv"));
            copy.env("PBMSERV_CONFIG", "").args(["store", "copy", "--from"]);
            assert!(copy.arg(&data).args(["--to", &url]).status().unwrap().success());
            std::fs::remove_dir_all(&data).unwrap();
        }
        std::fs::write(complete, "").unwrap();
        println!(
            "{boards} boards were made in {:.1} s.",
            begun.elapsed().as_secs_f64()
        );
    }
}

/// Mails with a turn on randomly chosen boards; fewer mails if there are fewer boards.
fn moves(town: &Town, boards: u32, mails: usize, rng: &mut ChaCha8Rng) -> Vec<(usize, String)> {
    let reader = town.server.reader().unwrap();
    let mut asked = std::collections::BTreeMap::new();
    let mails = mails.min(boards as usize / 2);
    let mut tries = 0..100 * boards;
    while asked.len() < mails {
        // Each run plays on, so after some runs the games on few boards are over.
        assert!(
            tries.next().is_some(),
            "remove {}: its games are over",
            folder(boards).display()
        );
        let number = rng.random_range(101..101 + boards);
        let board = reader.board(game("Pow2"), number).unwrap().unwrap();
        let turns = reader.turns(board.id).unwrap();
        let position = board.replay(turns, usize::MAX).unwrap().game;
        if let Some(seat) = position.to_move() {
            let userid = &board.at(seat).userid;
            let turn = position.random_turn(rng).unwrap();
            let player = town::number_of(userid);
            asked.insert(
                number,
                (player, format!("Pow2 move {number} {userid} {PASSWORD} {turn}")),
            );
        }
    }
    asked.into_values().collect()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Prints the costs of a move mail; returns the bounds that are exceeded.
fn report(costs: &[[Duration; 2]]) -> Vec<String> {
    let mut table = vec![
        ["boards", "alone, µs", "together, µs", "times", "times"]
            .map(str::to_owned)
            .to_vec(),
    ];
    let mut faults = Vec::new();
    for (boards, cost) in SIZES.iter().zip(costs) {
        let times = |kind: usize| cost[kind].as_secs_f64() / costs[0][kind].as_secs_f64();
        let mut row = vec![boards.to_string()];
        row.extend(cost.map(|cost| cost.as_micros().to_string()));
        row.extend([0, 1].map(|kind| format!("{:.2}", times(kind))));
        table.push(row);
        for (kind, name) in ["alone", "together"].iter().enumerate() {
            let most = match url(*boards) {
                None => MAX_TIMES,
                Some(_) => MAX_TIMES_ON_POSTGRESQL,
            };
            if times(kind) > most {
                faults.push(format!(
                    "A move mail {name} costs {:.2} times as much among {boards} boards.",
                    times(kind)
                ));
            }
        }
    }
    println!("{}\n", columns(&table));
    faults
}

/// A daemon that is stopped with the benchmark.
struct Daemon(Child);

impl Drop for Daemon {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Daemon {
    /// A figure of its memory, in MiB.
    fn memory(&self, name: &str) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        let kibibytes: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kibibytes / 1024.0
    }
}

/// Starts the program on a data folder, sends it moves, and prints what it needed; returns the bounds that are
/// exceeded.
async fn daemon() -> Vec<String> {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let server = format!("127.0.0.1:{port}");
    let (players, mails) = {
        let town = open(SIZES[2]);
        let mails = moves(&town, SIZES[2], 1000, &mut ChaCha8Rng::seed_from_u64(4));
        town.close().await;
        mails.into_iter().unzip::<_, _, Vec<_>, Vec<_>>()
    };
    let begun = Instant::now();
    let daemon = Command::new(env!("CARGO_BIN_EXE_pbmserv"))
        .arg("serve")
        .env("PBMSERV_CONFIG", "")
        .env("PBMSERV_SERVER_ADDRESS", town::SERVER)
        .env("PBMSERV_SERVER_DATA", folder(SIZES[2]).join("data"))
        .env("PBMSERV_STORE_URL", url(SIZES[2]).unwrap_or_default())
        .env("PBMSERV_SMTP_LISTEN", &server)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let daemon = Daemon(daemon);
    while std::net::TcpStream::connect(&server).is_err() {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "the daemon does not listen"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    let start = begun.elapsed();
    let idle = daemon.memory("VmRSS");
    let mut session = smtp::Session::open(&server).await;
    for (player, subject) in players.into_iter().zip(&mails) {
        session.send(&town::mail(player, subject)).await;
    }
    let peak = daemon.memory("VmHWM");
    println!(
        "a daemon with {} boards: ready after {:.2} s, {idle:.0} MiB, after {} moves at most {peak:.0} MiB",
        SIZES[2],
        start.as_secs_f64(),
        mails.len()
    );
    let mut faults = Vec::new();
    if start > MAX_START {
        faults.push(format!("The daemon should be ready within {MAX_START:?}."));
    }
    if peak > MAX_MEMORY {
        faults.push(format!("The daemon should need at most {MAX_MEMORY:.0} MiB."));
    }
    faults
}
