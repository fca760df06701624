//! The database as the tests see it: all of its texts, and what must not change.

use std::collections::BTreeMap;
use std::path::Path;

use crate::stage::database;

/// The rows of each table as text.
pub(crate) fn dump(data: &Path) -> BTreeMap<String, Vec<String>> {
    dump_without(data, &[])
}

fn dump_without(data: &Path, left_out: &[&str]) -> BTreeMap<String, Vec<String>> {
    let mut tables = database::all_rows(data, left_out);
    // A row that was changed stands elsewhere in PostgreSQL.
    tables.values_mut().for_each(|rows| rows.sort());
    let text = |rows: Vec<Vec<String>>| rows.iter().map(|row| row.join(" | ")).collect();
    tables
        .into_iter()
        .map(|(table, rows)| (table, text(rows)))
        .collect()
}

/// What a refused command must not change: everything except the records of mails and their counts.
pub(crate) fn lasting(data: &Path) -> BTreeMap<String, Vec<String>> {
    let mut tables = dump_without(
        data,
        &["inbox", "remembered", "outbox", "guesses", "begun", "notes"],
    );
    // The rate limits count every mail, every answer and every refusal.
    const COUNTS: [&str; 6] = ["answered", "unproven", "refused", "caused", "warned", "guessed"];
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
    database::value(data, sql).parse().unwrap()
}

/// One text.
pub(crate) fn text(data: &Path, sql: &str) -> String {
    database::value(data, sql)
}

/// The texts of a query, blanks between.
pub(crate) fn words(data: &Path, sql: &str) -> String {
    let found: Vec<String> = database::rows(data, sql).into_iter().flatten().collect();
    found.join(" ")
}

/// The userids of those who have an account.
pub(crate) fn users(data: &Path) -> std::collections::BTreeSet<String> {
    let sql = "SELECT userid FROM players WHERE id > 0 AND deleted_at IS NULL";
    database::rows(data, sql).into_iter().flatten().collect()
}
