//! The tables of the newest migration, as SQLite describes them. PostgreSQL has the same.

use std::ops::ControlFlow;
use std::path::Path;

use rusqlite::Connection;

use super::Sqlite;
use super::migrate;
use crate::store::Result;
use crate::store::migrations::migrations;
use crate::store::value::ToValue;

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::store) struct Table {
    pub(in crate::store) name: String,
    pub(in crate::store) columns: Vec<String>,
    /// The columns of its primary key, in their order.
    pub(in crate::store) key: Vec<String>,
    /// Whether the key is one number.
    pub(in crate::store) is_numbered: bool,
}

impl Table {
    /// The columns, as SQL lists them.
    pub(in crate::store) fn listed(&self) -> String {
        self.columns.join(", ")
    }

    /// The same of its key.
    pub(in crate::store) fn listed_key(&self) -> String {
        self.key.join(", ")
    }
}

/// All tables, each after those whose rows its own name.
///
/// # Errors
/// SQLite has no memory left.
pub(in crate::store) fn tables() -> Result<Vec<Table>> {
    let mut conn = Connection::open_in_memory()?;
    migrate::run(&mut conn, Path::new(":memory:"), migrations(), &mut |_, _| {})?;
    let database = Sqlite::of(conn, Path::new(":memory:"));
    let mut names: Vec<String> = Vec::new();
    let sql =
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name";
    texts(&database, sql, &[], &mut names)?;
    let mut ordered: Vec<Table> = Vec::new();
    while ordered.len() < names.len() {
        let before = ordered.len();
        for name in &names {
            let is_known = |name: &str| ordered.iter().any(|table| table.name == name);
            if is_known(name) {
                continue;
            }
            let mut parents = Vec::new();
            let sql = "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list($1)";
            texts(&database, sql, &[name], &mut parents)?;
            if parents.iter().all(|parent| is_known(parent)) {
                ordered.push(table(&database, name)?);
            }
        }
        // Tables that name each other would be left over; the test finds them.
        if ordered.len() == before {
            break;
        }
    }
    Ok(ordered)
}

fn table(database: &Sqlite, name: &str) -> Result<Table> {
    let (mut columns, mut key, mut types) = (Vec::new(), Vec::new(), Vec::new());
    let sql = "SELECT name FROM pragma_table_info($1) ORDER BY cid";
    texts(database, sql, &[&name], &mut columns)?;
    let sql = "SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk";
    texts(database, sql, &[&name], &mut key)?;
    let sql = "SELECT type FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk";
    texts(database, sql, &[&name], &mut types)?;
    Ok(Table {
        name: name.to_owned(),
        columns,
        key,
        is_numbered: types == ["INTEGER"],
    })
}

fn texts(database: &Sqlite, sql: &str, values: &[&dyn ToValue], into: &mut Vec<String>) -> Result<()> {
    database.each(sql, values, |row| {
        into.push(row.get(0)?);
        Ok(ControlFlow::Continue(()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_has_a_key_and_stands_after_those_that_it_names() {
        let tables = tables().unwrap();
        let place = |name: &str| tables.iter().position(|table| table.name == name).unwrap();
        assert!(place("players") < place("boards") && place("boards") < place("turns"));
        assert!(place("inbox") < place("outbox"));
        assert!(tables.iter().all(|table| !table.key.is_empty()), "{tables:?}");
        let turns = &tables[place("turns")];
        assert_eq!(turns.key, ["board", "ordinal"]);
        assert!(!turns.is_numbered && tables[place("audit")].is_numbered);
        let mut conn = Connection::open_in_memory().unwrap();
        migrate::run(&mut conn, Path::new(":memory:"), migrations(), &mut |_, _| {}).unwrap();
        let sql = "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
        let all: i64 = conn.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(
            i64::try_from(tables.len()),
            Ok(all),
            "tables name each other in a circle"
        );
    }
}
