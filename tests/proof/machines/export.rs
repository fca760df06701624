//! A copy of a database of PostgreSQL as one of SQLite, which the checker reads. It is one snapshot.

use std::path::Path;

use pbmserv_core::store::Store;
use rusqlite::Connection;
use rusqlite::types::Value;

use super::pair::Pair;

/// Stands before the rows of each table.
const TABLE: &str = "=== ";

/// Makes the copy in a new file.
pub(crate) fn export(pair: &Pair, file: &Path) -> Connection {
    Store::open(file).unwrap().close_alone().unwrap();
    let conn = Connection::open(file).unwrap();
    let tables = names(
        &conn,
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    );
    let mut script = "BEGIN ISOLATION LEVEL REPEATABLE READ;;".to_owned();
    let mut columns = Vec::new();
    for table in &tables {
        let of_it = names(&conn, &format!("SELECT name FROM pragma_table_info('{table}')"));
        let kinds = names(&conn, &format!("SELECT type FROM pragma_table_info('{table}')"));
        script += &format!(
            "SELECT '{TABLE}{table}';;COPY (SELECT {} FROM {table}) TO STDOUT;;",
            of_it.join(", ")
        );
        columns.push((of_it, kinds));
    }
    script += "COMMIT";
    let dump = pair.ask(&script);
    let transaction = conn.unchecked_transaction().unwrap();
    transaction
        .execute_batch("PRAGMA defer_foreign_keys = ON")
        .unwrap();
    for table in &tables {
        transaction.execute(&format!("DELETE FROM {table}"), []).unwrap();
    }
    let mut at = None;
    for line in dump.lines() {
        if let Some(table) = line.strip_prefix(TABLE) {
            at = tables.iter().position(|known| known == table);
            continue;
        }
        let Some(at) = at.filter(|_| !line.is_empty()) else {
            continue;
        };
        let (names, kinds) = &columns[at];
        let values: Vec<Value> = line
            .split('\t')
            .zip(kinds)
            .map(|(text, kind)| value(text, kind))
            .collect();
        let places: Vec<String> = (1..=values.len()).map(|place| format!("?{place}")).collect();
        let sql = format!(
            "INSERT INTO {} ({}) VALUES ({})",
            tables[at],
            names.join(", "),
            places.join(", ")
        );
        transaction
            .execute(&sql, rusqlite::params_from_iter(values))
            .unwrap();
    }
    transaction.commit().unwrap();
    conn
}

fn names(conn: &Connection, sql: &str) -> Vec<String> {
    let mut statement = conn.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| row.get(0)).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

/// A value as COPY writes it, for a column of this type.
fn value(text: &str, kind: &str) -> Value {
    if text == "\\N" {
        return Value::Null;
    }
    match kind {
        "INTEGER" => Value::Integer(match text {
            "t" => 1,
            "f" => 0,
            number => number.parse().unwrap(),
        }),
        "REAL" => Value::Real(text.parse().unwrap()),
        "BLOB" => {
            let digits = text.strip_prefix("\\\\x").unwrap().as_bytes();
            Value::Blob(data_encoding::HEXLOWER.decode(digits).unwrap())
        }
        _ => Value::Text(unescaped(text)),
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '\\' => out.push(match rest.next().unwrap() {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'v' => '\u{b}',
                other => other,
            }),
            other => out.push(other),
        }
    }
    out
}
