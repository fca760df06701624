//! Databases of the server of PostgreSQL that `tests/on-postgres` has started.

use std::io::Write as _;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A new, empty database: its URL. `None`: there is no server, which is printed.
pub(crate) fn empty(test: &str) -> Option<String> {
    let Ok(server) = std::env::var("POSTGRES_OF_TESTS") else {
        // Not captured, as what a test prints.
        let _ = writeln!(
            std::io::stderr(),
            "left out, as it needs PostgreSQL (make postgres): {test}"
        );
        return None;
    };
    static MADE: AtomicU32 = AtomicU32::new(0);
    let nth = MADE.fetch_add(1, Ordering::Relaxed);
    let name = format!("empty_{}_{nth}", std::process::id());
    rows(
        &format!("{server}/postgres"),
        &format!("CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'"),
    );
    Some(format!("{server}/{name}"))
}

/// What psql prints for a statement: a line a row, `|` between columns.
pub(crate) fn rows(url: &str, sql: &str) -> String {
    let said = try_rows(url, sql);
    said.unwrap_or_else(|error| panic!("{sql}: {error}"))
}

/// The same; the error of psql if it fails.
pub(crate) fn try_rows(url: &str, sql: &str) -> Result<String, String> {
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
    match out.status.success() {
        true => Ok(String::from_utf8(out.stdout).unwrap().trim_end().to_owned()),
        false => Err(String::from_utf8_lossy(&out.stderr).into_owned()),
    }
}
