//! The database as the tests see it: all of its texts, and what must not change.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};

fn open(data: &Path) -> Connection {
    Connection::open_with_flags(data.join("pbmserv.sqlite"), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap()
}

/// The rows of each table as text.
pub(crate) fn dump(data: &Path) -> BTreeMap<String, Vec<String>> {
    let database = open(data);
    let mut names = database
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .unwrap();
    let tables: Vec<String> = names
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    let rows = |table: &String| {
        let mut all = database.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = all.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            let cells = (0..columns).map(|column| match row.get_ref(column).unwrap() {
                ValueRef::Text(text) => String::from_utf8_lossy(text).into_owned(),
                other => format!("{other:?}"),
            });
            Ok(cells.collect::<Vec<_>>().join(" | "))
        };
        all.query_map([], row).unwrap().map(Result::unwrap).collect()
    };
    tables.iter().map(|table| (table.clone(), rows(table))).collect()
}

/// What a refused command must not change: everything except the records of mails and their counts.
pub(crate) fn lasting(data: &Path) -> BTreeMap<String, Vec<String>> {
    let mut tables = dump(data);
    tables.retain(|table, _| !["inbox", "outbox", "guesses", "begun", "notes"].contains(&table.as_str()));
    // The rate limits count every mail, every answer and every refusal.
    const COUNTS: [&str; 5] = ["answered", "unproven", "refused", "caused", "warned"];
    if let Some(rows) = tables.get_mut("tallies") {
        // A row begins with its day.
        let counted = |row: &str| row.split(" | ").nth(1).unwrap_or_default().to_owned();
        rows.retain(|row| !COUNTS.iter().any(|what| counted(row).starts_with(what)));
    }
    assert!(tables.contains_key("players") && tables.contains_key("boards") && tables.contains_key("turns"));
    tables
}

/// One number.
pub(crate) fn count(data: &Path, sql: &str) -> i64 {
    open(data).query_row(sql, [], |row| row.get(0)).unwrap()
}

/// One text.
pub(crate) fn text(data: &Path, sql: &str) -> String {
    open(data).query_row(sql, [], |row| row.get(0)).unwrap()
}

/// The userids of those who have an account.
pub(crate) fn users(data: &Path) -> std::collections::BTreeSet<String> {
    let database = open(data);
    let mut all = database
        .prepare("SELECT userid FROM players WHERE id > 0 AND deleted_at IS NULL")
        .unwrap();
    all.query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect()
}
