//! What the database holds for each turn: a tenth of the year of `listings`, by tables and indexes.
//!
//! `cargo bench --bench bytes`. These counts are the same on a busy machine.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark that cannot begin has nothing to say"
)]

mod town;

use chrono::{TimeZone, Utc};
use pbmserv_core::letters::columns;
use rusqlite::Connection;

use town::Town;
use town::year::Year;

const YEAR: Year = Year {
    players: 100,
    boards: 2000,
    turns: 12,
};

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let data = folder.path().join("data");
    let town = Town::open(&data, Utc.with_ymd_and_hms(2025, 11, 20, 8, 0, 0).unwrap());
    town.settle(YEAR.players).await;
    town.play(&YEAR).await;
    let database = town.server.folder.database();
    town.close().await;
    let conn = Connection::open(database).unwrap();
    let count = |sql: &str| -> i64 { conn.query_row(sql, [], |row| row.get(0)).unwrap() };
    let turns = count("SELECT COUNT(*) FROM turns");
    let page = count("PRAGMA page_size");
    let each = |bytes: i64| format!("{:.0}", bytes as f64 / turns as f64);
    let file = page * count("PRAGMA page_count");
    let free = page * count("PRAGMA freelist_count");
    let head = ["in", "bytes a turn", "of these filled"].map(str::to_owned);
    let mut table = vec![
        head.to_vec(),
        vec!["the file".into(), each(file), each(file - free)],
    ];
    let sql = "SELECT name, SUM(pgsize), SUM(payload) FROM dbstat GROUP BY name ORDER BY 2 DESC";
    let mut parts = conn.prepare(sql).unwrap();
    let parts = parts.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    for part in parts.unwrap() {
        let (name, size, filled): (String, i64, i64) = part.unwrap();
        table.push(vec![name, each(size), each(filled)]);
    }
    println!(
        "{turns} turns, {} mails sent",
        count("SELECT COUNT(*) FROM outbox")
    );
    println!("{}", columns(&table));
}
