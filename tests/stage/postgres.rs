//! A database of PostgreSQL for each data folder, if `tests/on-postgres` runs the tests.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The variable that names the server.
const SERVER: &str = "PBMSERV_TEST_POSTGRES";

/// The URL of the database that belongs to this data folder. `None`: the tests use SQLite.
pub(crate) fn url(data: &Path) -> Option<String> {
    let server = std::env::var(SERVER).ok()?;
    let known = data.join("database-of-the-test");
    if let Ok(url) = fs::read_to_string(&known) {
        return Some(url);
    }
    static MADE: AtomicU32 = AtomicU32::new(0);
    let nth = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("test_{}_{nth}", std::process::id());
    sql(
        &format!("{server}/postgres"),
        &format!("CREATE DATABASE {name} TEMPLATE pattern"),
    );
    let url = format!("{server}/{name}");
    fs::write(known, &url).unwrap();
    Some(url)
}

/// Runs a statement by psql, and returns what it prints.
pub(crate) fn sql(url: &str, sql: &str) -> String {
    let out = Command::new("psql")
        .args([
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-d",
            url,
            "-c",
            sql,
        ])
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{sql}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap()
}
