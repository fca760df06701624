//! The database of a data folder: its file, or one of PostgreSQL, if `tests/on-postgres` runs the tests.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use data_encoding::HEXLOWER;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

/// The variable that names the server.
const SERVER: &str = "POSTGRES_OF_TESTS";

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

/// Says that nothing runs on PostgreSQL, if that is so; not captured, as what a test prints.
pub(crate) fn tell() {
    if std::env::var_os(SERVER).is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "left out: all of this on PostgreSQL (make postgres)"
        );
    }
}

/// What stands between two values, and between two rows.
const BETWEEN_VALUES: char = '\u{1f}';
const BETWEEN_ROWS: char = '\u{1e}';

/// What stands before the name of a table.
const TABLE: char = '\u{1d}';

/// The rows of a query as texts.
pub(crate) fn rows(data: &Path, query: &str) -> Vec<Vec<String>> {
    if let Some(url) = url(data) {
        return printed(&sql(&url, query));
    }
    rows_of(&opened(data), query)
}

fn opened(data: &Path) -> Connection {
    Connection::open(data.join("pbmserv.sqlite")).unwrap()
}

fn rows_of(conn: &Connection, query: &str) -> Vec<Vec<String>> {
    let mut statement = conn.prepare(query).unwrap();
    let columns = statement.column_count();
    let text = |row: &rusqlite::Row<'_>, column| match row.get_ref(column).unwrap() {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
        ValueRef::Blob(bytes) => HEXLOWER.encode(bytes),
    };
    let row = |row: &rusqlite::Row<'_>| Ok((0..columns).map(|column| text(row, column)).collect());
    statement
        .query_map([], row)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

/// The rows that psql has printed.
fn printed(found: &str) -> Vec<Vec<String>> {
    // Without rows it prints nothing, not even the end of a line.
    let rows = found.strip_suffix('\n').into_iter();
    let rows = rows.flat_map(|found| found.split(BETWEEN_ROWS));
    rows.map(|row| row.split(BETWEEN_VALUES).map(str::to_owned).collect())
        .collect()
}

/// The rows of all tables but these, by table.
pub(crate) fn all_rows(data: &Path, left_out: &[&str]) -> BTreeMap<String, Vec<Vec<String>>> {
    // All databases have the same tables, and a psql takes a while to start.
    static TABLES: OnceLock<Vec<String>> = OnceLock::new();
    let each = TABLES.get_or_init(|| tables(data)).iter();
    let each = each.filter(|table| !left_out.contains(&table.as_str()));
    let Some(url) = url(data) else {
        let conn = opened(data);
        let of = |table: &String| (table.clone(), rows_of(&conn, &format!("SELECT * FROM {table}")));
        return each.map(of).collect();
    };
    let each = each.map(|table| {
        format!(
            "SELECT chr({}) || '{table}'; SELECT * FROM {table};",
            u32::from(TABLE)
        )
    });
    let found = sql(&url, &each.collect::<String>());
    let of = found.split(TABLE).skip(1).map(|part| {
        let (table, found) = part.split_once('\n').unwrap();
        (table.to_owned(), printed(found))
    });
    of.collect()
}

/// The one value of a query.
pub(crate) fn value(data: &Path, query: &str) -> String {
    rows(data, query).remove(0).remove(0)
}

/// The names of the tables, but for what is an engine's own.
pub(crate) fn tables(data: &Path) -> Vec<String> {
    let query = match url(data) {
        Some(_) => "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'engine'",
        None => "SELECT name FROM sqlite_schema WHERE type = 'table'",
    };
    rows(data, query).into_iter().flatten().collect()
}

/// Another program changes the database; returns how many rows.
pub(crate) fn change(data: &Path, statement: &str) -> usize {
    if let Some(url) = url(data) {
        let counted = format!("WITH done AS ({statement} RETURNING 1) SELECT COUNT(*) FROM done");
        return sql(&url, &counted).trim().parse().unwrap();
    }
    opened(data).execute(statement, []).unwrap()
}

/// Runs a statement by psql, and returns what it prints.
fn sql(url: &str, sql: &str) -> String {
    let out = Command::new("psql")
        .args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1"])
        .args(["-F", &BETWEEN_VALUES.to_string()])
        .args(["-R", &BETWEEN_ROWS.to_string()])
        .args(["-d", url, "-c", sql])
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{sql}: {}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8(out.stdout).unwrap()
}
