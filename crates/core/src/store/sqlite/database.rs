//! A connection: statements with parameters, rows, and transactions.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, params_from_iter};

use super::compacting::Pages;
use super::file_watch::FileWatch;
use super::{migrate, open};
use crate::store::Result;
use crate::store::location::Location;
use crate::store::row::Row;
use crate::store::value::{ToValue, Value};

/// One connection.
#[derive(Debug)]
pub(in crate::store) struct Sqlite {
    pub(super) conn: Connection,
    pub(super) path: PathBuf,
    pub(super) file_watch: FileWatch,
    /// Whether the WAL still has pages with what was erased.
    has_erased: Cell<bool>,
}

/// A row as the other files of the store see it.
#[inline]
const fn seen<'a>(row: &'a rusqlite::Row<'a>) -> Row<'a> {
    Row::Sqlite(super::Row::of(row))
}

/// A parameter in rusqlite's form, without a copy.
struct Parameter<'a>(&'a dyn ToValue);

impl rusqlite::ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0.to_value() {
            Value::Null => ValueRef::Null,
            Value::Int(number) => ValueRef::Integer(number),
            Value::Real(number) => ValueRef::Real(number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl Sqlite {
    /// Opens the writing connection; creates the database if needed.
    pub(in crate::store) fn open_for_writing(path: &Path) -> Result<Self> {
        Ok(Self::of(open::for_writing(path)?, path))
    }

    /// The same after missing migrations are applied, all or none.
    pub(in crate::store) fn open_migrated(path: &Path, applying: &mut dyn FnMut(i64, i64)) -> Result<Self> {
        Ok(Self::of(open::migrated(path, applying)?, path))
    }

    /// Opens a read-only connection.
    pub(in crate::store) fn open_for_reading(path: &Path) -> Result<Self> {
        Ok(Self::of(open::for_reading(path)?, path))
    }

    pub(super) fn of(conn: Connection, path: &Path) -> Self {
        Self {
            conn,
            path: path.to_owned(),
            file_watch: FileWatch::default(),
            has_erased: Cell::new(false),
        }
    }

    /// Runs a statement; returns the number of rows changed.
    pub(in crate::store) fn execute(&self, sql: &str, values: &[&dyn ToValue]) -> Result<usize> {
        Ok(self.statement(sql)?.execute(parameters(values))?)
    }

    /// Adds a row; returns its number. `RETURNING` would have SQLite keep the row in a table of its own first.
    pub(in crate::store) fn insert(&self, sql: &str, values: &[&dyn ToValue]) -> Result<i64> {
        self.execute(sql, values)?;
        Ok(self.conn.last_insert_rowid())
    }

    pub(in crate::store) fn find<T>(
        &self,
        sql: &str,
        values: &[&dyn ToValue],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut statement = self.statement(sql)?;
        let mut rows = statement.query(parameters(values))?;
        rows.next()?.map(|found| read(&seen(found))).transpose()
    }

    pub(in crate::store) fn each(
        &self,
        sql: &str,
        values: &[&dyn ToValue],
        mut read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let mut statement = self.statement(sql)?;
        let mut rows = statement.query(parameters(values))?;
        while let Some(found) = rows.next()? {
            if read(&seen(found))?.is_break() {
                break;
            }
        }
        Ok(())
    }

    pub(in crate::store) fn run(&self, sql: &str) -> Result<()> {
        Ok(self.conn.execute_batch(sql)?)
    }

    fn statement(&self, sql: &str) -> Result<CachedStatement<'_>> {
        Ok(self.conn.prepare_cached(sql)?)
    }

    /// Begins a transaction and takes the write lock.
    pub(in crate::store) fn begin(&self) -> Result<()> {
        self.run("BEGIN IMMEDIATE")
    }

    /// Commits the transaction to the file at the path of the database.
    pub(in crate::store) fn commit(&self) -> Result<()> {
        self.look()?;
        self.run("COMMIT")?;
        if self.has_erased.get() {
            // A reader of an older state is not waited for.
            self.conn.busy_timeout(Duration::ZERO)?;
            let is_empty = self.empty_log().unwrap_or(false);
            self.has_erased.set(!is_empty);
            self.conn.busy_timeout(open::BUSY)?;
        }
        // The data is committed, whether or not the file can be examined afterwards.
        drop(self.remember_file());
        Ok(())
    }

    /// What is erased in this transaction must not stay readable in the files: the WAL is emptied after the commit,
    /// or after a later one if somebody reads an older state.
    pub(in crate::store) fn erases(&self) {
        self.has_erased.set(true);
    }

    /// Rolls back. It is no error if the transaction has already ended, for example by a full disk.
    pub(in crate::store) fn rollback(&self) {
        if !self.conn.is_autocommit()
            && let Err(error) = self.run("ROLLBACK")
        {
            tracing::error!(%error, "rollback");
        }
    }

    /// Records size and time of the database file after our own writes.
    pub(in crate::store) fn remember_file(&self) -> Result<()> {
        self.file_watch.remember(&self.conn, &self.path)
    }

    /// Checks that the database file is still at its path and that nobody else changed it. Costs three `stat`.
    pub(in crate::store) fn look(&self) -> Result<()> {
        self.file_watch.check(&self.path)
    }

    /// The number of rows that this connection has changed so far.
    pub(in crate::store) fn rows_changed(&self) -> u64 {
        self.conn.total_changes()
    }

    pub(in crate::store) fn path(&self) -> &Path {
        &self.path
    }

    pub(in crate::store) fn location(&self) -> Location {
        Location::File(self.path.clone())
    }

    /// Its pages, without those of its WAL.
    pub(in crate::store) fn pages(&self) -> Result<Pages> {
        Pages::of(&self.conn)
    }

    /// The number of the last migration that was applied.
    pub(in crate::store) fn migration(&self) -> Result<i64> {
        migrate::found(&self.conn)
    }

    /// The lines of SQLite's integrity check: of a table and its indexes, or of all, for a number of faults at most.
    pub(in crate::store) fn faults_of(&self, of: &str) -> Result<Vec<String>> {
        let mut found: Vec<String> = Vec::new();
        self.each(&format!("PRAGMA integrity_check({of})"), &[], |row| {
            found.push(row.get(0)?);
            Ok(ControlFlow::Continue(()))
        })?;
        found.retain(|line| line != "ok");
        for line in &mut found {
            *line = line.replace('\n', " ");
        }
        Ok(found)
    }

    /// The results of SQLite's integrity and foreign key checks; empty if all is well.
    pub(in crate::store) fn faults(&self) -> Result<Vec<String>> {
        let mut found = self.faults_of("10")?;
        self.each("PRAGMA foreign_key_check", &[], |row| {
            if found.len() >= 20 {
                return Ok(ControlFlow::Break(()));
            }
            let (table, parent): (&str, &str) = (row.get(0)?, row.get(2)?);
            let id: Option<i64> = row.get(1)?;
            found.push(format!(
                "row {} of {table} names a row of {parent} that is not there",
                id.unwrap_or_default()
            ));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(found)
    }
}

fn parameters<'a>(values: &'a [&'a dyn ToValue]) -> impl rusqlite::Params + 'a {
    params_from_iter(values.iter().map(|value| Parameter(*value)))
}

impl Sqlite {
    /// Lets the database grow by this many pages only; beyond that SQLite reports a full disk.
    pub(in crate::store) fn leave_room_for(&self, pages: u32) -> Result<()> {
        let count = self
            .conn
            .query_row("PRAGMA page_count", [], |row| row.get::<_, u32>(0))?;
        let sql = format!("PRAGMA max_page_count = {}", count + pages);
        Ok(self.conn.query_row(&sql, [], |_| Ok(()))?)
    }

    pub(in crate::store) fn is_in_transaction(&self) -> bool {
        !self.conn.is_autocommit()
    }

    /// The query plan of a statement.
    #[cfg(test)]
    pub(in crate::store) fn plan(&self, sql: &str) -> String {
        let mut statement = self.conn.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let mut rows = statement.raw_query();
        let mut steps: Vec<String> = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            steps.push(row.get(3).unwrap());
        }
        steps.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    use crate::store::Error;

    /// No test can cut the power, so this test checks the settings that promise durability.
    #[test]
    fn a_commit_is_on_the_disk_before_it_returns() {
        let folder = tempfile::tempdir().unwrap();
        let database = Sqlite::open_for_writing(&folder.path().join("database")).unwrap();
        let pragma = |name: &str| {
            let sql = format!("SELECT CAST({name} AS TEXT) FROM pragma_{name}");
            let value: String = database.conn.query_row(&sql, [], |row| row.get(0)).unwrap();
            value
        };
        assert_eq!(pragma("journal_mode"), "wal");
        assert_eq!(pragma("synchronous"), "2", "FULL");
    }

    #[test]
    fn a_refused_statement_is_no_trouble_of_the_database() {
        let folder = tempfile::tempdir().unwrap();
        let database = Sqlite::open_for_writing(&folder.path().join("database")).unwrap();
        let error = |sql: &str| Error::from(database.conn.execute(sql, []).unwrap_err());
        let refused = error("INSERT INTO displays (player, game, display) VALUES (999, 'x', 'y')");
        assert!(!refused.ends_the_transaction(), "{refused}");
        let unknown = error("SELECT * FROM nowhere");
        assert!(unknown.ends_the_transaction(), "{unknown}");
        let other = Connection::open(folder.path().join("database")).unwrap();
        other.execute_batch("BEGIN IMMEDIATE").unwrap();
        database.conn.busy_timeout(Duration::ZERO).unwrap();
        assert!(database.begin().unwrap_err().ends_the_transaction());
    }
}
