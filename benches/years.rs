//! Ten years of a small house, mail by mail through the engine, and the size of its database at the end of each.
//!
//! `cargo bench --bench years`; YEARS, PLAYERS and BOARDS (a year) change the run. It fails if the file is larger than
//! 1.3 times what it holds.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot begin has nothing to say"
)]

mod town;

use std::time::Instant;

use chrono::{TimeZone, Utc};
use pbmserv_core::letters::columns;

use town::Town;
use town::year::{Tables, Year};

/// The largest allowed ratio of the file to a compacted one.
const MAX_TIMES: f64 = 1.3;

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).map_or(usual, |value| value.parse().unwrap())
}

#[tokio::main]
async fn main() {
    let years = number("YEARS", 10);
    let year = Year {
        players: number("PLAYERS", 100),
        boards: number("BOARDS", 1000),
        turns: 12,
    };
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let town = Town::open(
        &folder.path().join("data"),
        Utc.with_ymd_and_hms(2026, 11, 20, 8, 0, 0).unwrap(),
    );
    town.settle(year.players).await;
    let mut tables = Tables::default();
    let mut table = vec![
        [
            "year",
            "turns",
            "MB",
            "compacted",
            "times",
            "bytes a turn",
            "seconds",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    let mut worst = 0.0_f64;
    for number in 1..=years {
        let begun = Instant::now();
        town.play_days(&year, &mut tables).await;
        let reader = town.server.reader().unwrap();
        let turns = reader.stats(0).unwrap().turns;
        let bytes = reader.pages().unwrap().bytes as f64;
        let compacted = compacted(&reader, folder.path());
        let times = bytes / compacted;
        worst = worst.max(times);
        table.push(vec![
            number.to_string(),
            turns.to_string(),
            format!("{:.1}", bytes / 1e6),
            format!("{:.1}", compacted / 1e6),
            format!("{times:.2}"),
            format!("{:.0}", bytes / f64::from(u32::try_from(turns).unwrap())),
            format!("{:.0}", begun.elapsed().as_secs_f64()),
        ]);
        println!("{}", table.last().unwrap().join(" "));
    }
    town.close().await;
    println!("\n{}", columns(&table));
    if worst > MAX_TIMES {
        println!("The file should have at most {MAX_TIMES} times what it holds.");
        std::process::exit(1);
    }
}

/// The size of the database without what it does not use.
fn compacted(reader: &pbmserv_core::store::Reader, folder: &std::path::Path) -> f64 {
    let (copy, target) = (folder.join("copy.sqlite"), folder.join("compacted.sqlite"));
    reader.copy_to(&copy, &mut |_| ()).unwrap();
    let mut alone = pbmserv_core::store::Alone::open(&copy).unwrap();
    alone.write_anew(&target, || {}).unwrap();
    let bytes = std::fs::metadata(&target).unwrap().len();
    std::fs::remove_file(copy).unwrap();
    std::fs::remove_file(target).unwrap();
    bytes as f64
}
