//! A connection to the database, whichever engine that is: statements with parameters, rows, and transactions.
//!
//! SQL is in the subset that SQLite and PostgreSQL share: parameters `$1`, `$2` in the order of their first use, integers
//! for times and booleans, `ON CONFLICT`, `RETURNING`, a name for each subquery in `FROM`. What the engines do differently
//! is in `sqlite/` and `postgres/`.

use std::cell::Cell;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::counts::Counts;
use super::holder::Holder;
use super::location::Location;
use super::memo::Memo;
use super::postgres::Postgres;
use super::replication::Replication;
use super::row::Row;
use super::sqlite::{Copying, Pages, Sqlite, Table};
use super::value::{Kept, ToValue};
use super::{Error, Result};

/// One connection. Prepared statements are cached by their text, so a text has parameters and no values. While the rows
/// of one statement are being read, no other statement runs.
#[derive(Debug)]
pub(super) struct Database {
    engine: Engine,
    pub(super) memo: Memo,
    pub(super) counts: Counts,
    /// Statements that were run.
    statements: Cell<u64>,
}

#[derive(Debug)]
enum Engine {
    Sqlite(Box<Sqlite>),
    Postgres(Box<Postgres>),
}

/// Runs the same on the connection of either engine.
macro_rules! on {
    ($database:expr, $engine:ident => $run:expr) => {
        match &$database.engine {
            Engine::Sqlite($engine) => $run,
            Engine::Postgres($engine) => $run,
        }
    };
}

impl Database {
    /// Opens the writing connection; creates the tables if there are none.
    pub(super) fn open_for_writing(at: &Location) -> Result<Self> {
        Ok(Self::of(match at {
            Location::File(path) => Engine::Sqlite(Sqlite::open_for_writing(path)?.into()),
            Location::Server(server) => Engine::Postgres(Postgres::open_for_writing(server)?.into()),
        }))
    }

    /// The same after missing migrations are applied, all or none.
    pub(super) fn open_migrated(at: &Location, applying: &mut dyn FnMut(i64, i64)) -> Result<Self> {
        Ok(Self::of(match at {
            Location::File(path) => Engine::Sqlite(Sqlite::open_migrated(path, applying)?.into()),
            Location::Server(server) => Engine::Postgres(Postgres::open_migrated(server, applying)?.into()),
        }))
    }

    /// Opens a read-only connection.
    pub(super) fn open_for_reading(at: &Location) -> Result<Self> {
        Ok(Self::of(match at {
            Location::File(path) => Engine::Sqlite(Sqlite::open_for_reading(path)?.into()),
            Location::Server(server) => Engine::Postgres(Postgres::open_for_reading(server)?.into()),
        }))
    }

    /// Opens a copy of a SQLite database read-only and checks its integrity.
    pub(super) fn open_copy(path: &Path) -> Result<Self> {
        Ok(Self::of(Engine::Sqlite(Sqlite::open_copy(path)?.into())))
    }

    fn of(engine: Engine) -> Self {
        Self {
            engine,
            memo: Memo::default(),
            counts: Counts::default(),
            statements: Cell::default(),
        }
    }

    /// Runs a statement; returns the number of rows changed.
    pub(super) fn execute(&self, sql: &str, values: &[&dyn ToValue]) -> Result<usize> {
        self.note(sql);
        on!(self, engine => engine.execute(sql, values))
    }

    /// Runs a statement whose result nobody needs. Within a transaction its error may be that of a later one, at the latest
    /// of [`settle`](Self::settle) or of the commit.
    pub(super) fn write(&self, sql: &str, values: &[&dyn ToValue]) -> Result<()> {
        self.note(sql);
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.execute(sql, values).map(drop),
            Engine::Postgres(postgres) => postgres.write(sql, values),
        }
    }

    /// The same for a statement that changes a row. It is an error if there is none.
    pub(super) fn write_one(&self, sql: &str, values: &[&dyn ToValue]) -> Result<()> {
        self.note(sql);
        match &self.engine {
            Engine::Sqlite(sqlite) => match sqlite.execute(sql, values)? {
                0 => Err(Error::Corrupt(format!("no row is changed by {sql}"))),
                _ => Ok(()),
            },
            Engine::Postgres(postgres) => postgres.write_one(sql, values),
        }
    }

    pub(super) fn begin_savepoint(&self) -> Result<()> {
        self.bound("SAVEPOINT message")
    }

    /// Ends the open savepoint; what was changed in it stays.
    pub(super) fn keep_savepoint(&self) -> Result<()> {
        self.bound("RELEASE message")
    }

    fn bound(&self, sql: &str) -> Result<()> {
        self.note(sql);
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.execute(sql, &[]).map(drop),
            Engine::Postgres(postgres) => postgres.bound(sql),
        }
    }

    /// Ends the open savepoint, and undoes what was changed in it.
    pub(super) fn undo_savepoint(&self) -> Result<()> {
        let sql = "ROLLBACK TO message; RELEASE message";
        self.note(sql);
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.run(sql),
            Engine::Postgres(postgres) => postgres.undo(sql),
        }
    }

    /// Waits for the results of all that was written.
    pub(super) fn settle(&self) -> Result<()> {
        match &self.engine {
            Engine::Sqlite(_) => Ok(()),
            Engine::Postgres(postgres) => postgres.settle(),
        }
    }

    /// Adds a row; returns the number that it was given.
    pub(super) fn insert(&self, sql: &str, values: &[&dyn ToValue]) -> Result<i64> {
        self.note(sql);
        on!(self, engine => engine.insert(sql, values))
    }

    /// Reads the first row, if there is one.
    pub(super) fn find<T>(
        &self,
        sql: &str,
        values: &[&dyn ToValue],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        self.note(sql);
        on!(self, engine => engine.find(sql, values, read))
    }

    /// Reads the first row of a statement that always returns one.
    pub(super) fn one<T>(
        &self,
        sql: &str,
        values: &[&dyn ToValue],
        read: impl FnOnce(&Row<'_>) -> Result<T>,
    ) -> Result<T> {
        self.find(sql, values, read)?
            .ok_or_else(|| Error::Corrupt(format!("no row answers {sql}")))
    }

    /// Reads all rows.
    pub(super) fn all<T>(
        &self,
        sql: &str,
        values: &[&dyn ToValue],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        self.note(sql);
        let mut found = Vec::new();
        let collect = |row: &Row<'_>| {
            found.push(read(row)?);
            Ok(ControlFlow::Continue(()))
        };
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.each(sql, values, collect)?,
            Engine::Postgres(postgres) => postgres.all(sql, values, collect)?,
        }
        Ok(found)
    }

    /// Passes rows to `row` until it returns false; keeps none of them.
    pub(super) fn each(
        &self,
        sql: &str,
        values: &[&dyn ToValue],
        read: impl FnMut(&Row<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        self.note(sql);
        on!(self, engine => engine.each(sql, values, read))
    }

    /// Runs statements without parameters that are not worth caching.
    pub(super) fn run(&self, sql: &str) -> Result<()> {
        self.note(sql);
        on!(self, engine => engine.run(sql))
    }

    /// Counts a statement that is about to run, and forgets what it may change.
    fn note(&self, sql: &str) {
        self.memo.forget_changed(sql);
        self.statements.set(self.statements.get() + 1);
    }

    /// The number of statements that this connection has run so far.
    pub(super) fn statements_run(&self) -> u64 {
        self.statements.get()
    }

    /// Adds rows of another database, all within the open transaction.
    pub(super) fn fill(&self, table: &Table, rows: &[Vec<Kept>]) -> Result<()> {
        on!(self, engine => engine.fill(table, rows))
    }

    /// Lets the numbers that the engine gives rows itself go on after the highest one.
    pub(super) fn go_on_numbering(&self, table: &Table) -> Result<()> {
        match &self.engine {
            // SQLite looks at the highest one each time.
            Engine::Sqlite(_) => Ok(()),
            Engine::Postgres(postgres) => postgres.go_on_numbering(table),
        }
    }

    /// Removes all rows of tables, each of which stands after those that its rows name.
    pub(super) fn clear(&self, tables: &[Table]) -> Result<()> {
        on!(self, engine => engine.clear(tables))
    }

    /// Begins a transaction and takes the write lock.
    pub(super) fn begin(&self) -> Result<()> {
        self.note("BEGIN");
        on!(self, engine => engine.begin())
    }

    /// Commits the transaction. When this returns, the changes are durable, or nothing is stored.
    pub(super) fn commit(&self) -> Result<()> {
        self.note("COMMIT");
        on!(self, engine => engine.commit())
    }

    /// Rolls back. It is no error if the transaction has already ended, for example by a full disk.
    pub(super) fn rollback(&self) {
        self.note("ROLLBACK");
        on!(self, engine => engine.rollback());
    }

    /// Checks that this connection may still write: that nobody has displaced the file of the database, that the session
    /// still has the lock.
    pub(super) fn look(&self) -> Result<()> {
        on!(self, engine => engine.look())
    }

    /// The number of rows that this connection has changed so far.
    pub(super) fn rows_changed(&self) -> u64 {
        on!(self, engine => engine.rows_changed())
    }

    /// Its size.
    pub(super) fn pages(&self) -> Result<Pages> {
        on!(self, engine => engine.pages())
    }

    /// The number of the last migration that was applied.
    pub(super) fn migration(&self) -> Result<i64> {
        on!(self, engine => engine.migration())
    }

    /// Which server has the engine; `None`: nobody, or this is a file.
    pub(super) fn holder(&self) -> Result<Option<Holder>> {
        match &self.engine {
            Engine::Sqlite(_) => Ok(None),
            Engine::Postgres(postgres) => postgres.holder(),
        }
    }

    /// What is erased in this transaction must not stay readable in files of ours. PostgreSQL sees to its own.
    pub(super) fn erases(&self) {
        if let Engine::Sqlite(sqlite) = &self.engine {
            sqlite.erases();
        }
    }

    /// What is known of standbys; `None`: the database is a file.
    pub(super) fn replication(&self) -> Result<Option<Replication>> {
        match &self.engine {
            Engine::Sqlite(_) => Ok(None),
            Engine::Postgres(postgres) => postgres.replication(),
        }
    }

    /// The results of the engine's own checks; empty if all is well.
    pub(super) fn faults(&self) -> Result<Vec<String>> {
        on!(self, engine => engine.faults())
    }

    /// The same of one table and its indexes, in a file.
    pub(super) fn faults_of(&self, table: &str) -> Result<Vec<String>> {
        self.file()?.faults_of(table)
    }

    /// Where it is.
    pub(super) fn location(&self) -> Location {
        on!(self, engine => engine.location())
    }
}

/// What only a database in a file can do.
impl Database {
    pub(super) fn file(&self) -> Result<&Sqlite> {
        match &self.engine {
            Engine::Sqlite(sqlite) => Ok(sqlite),
            Engine::Postgres(_) => Err(Error::NoFile),
        }
    }

    pub(super) fn path(&self) -> Option<&Path> {
        match &self.engine {
            Engine::Sqlite(sqlite) => Some(sqlite.path()),
            Engine::Postgres(_) => None,
        }
    }

    /// Records size and time of the database file after our own writes.
    pub(super) fn remember_file(&self) -> Result<()> {
        match &self.engine {
            Engine::Sqlite(sqlite) => sqlite.remember_file(),
            Engine::Postgres(_) => Ok(()),
        }
    }

    /// Copies the whole database to a new file, as one consistent snapshot. Only this account may read the file.
    pub(super) fn copy_to(&self, target: &Path, at: &mut dyn FnMut(Copying)) -> Result<()> {
        self.file()?.copy_to(target, at)
    }

    /// Runs a statement in which this database is `main` and another one is `other`; returns the number of rows
    /// changed.
    pub(super) fn execute_with(&self, other: &Path, sql: &str) -> Result<usize> {
        self.file()?.execute_with(other, sql)
    }

    /// Whether the WAL at its path is another one than that of this connection.
    pub(super) fn has_other_log(&self) -> Result<bool> {
        self.file()?.has_other_log()
    }

    /// Checkpoints the whole WAL into the database and truncates it, even if the file was moved.
    pub(super) fn empty_log(&self) -> Result<bool> {
        self.file()?.empty_log()
    }

    /// Renames the database and the WAL at its place.
    pub(super) fn set_aside(&self, aside: &Path) -> Result<io::Result<()>> {
        self.file()?.set_aside(aside)
    }

    /// Renames the WAL of an overwritten database; returns the new name.
    pub(super) fn set_log_aside(&self, name: &str) -> Result<io::Result<PathBuf>> {
        self.file()?.set_log_aside(name)
    }

    /// Closes the connection. A file is then without a WAL.
    pub(super) fn close_alone(self) -> Result<()> {
        match self.engine {
            Engine::Sqlite(sqlite) => sqlite.close_alone(),
            Engine::Postgres(_) => Ok(()),
        }
    }
}

impl Database {
    /// Lets a file grow by this many pages only.
    pub(super) fn leave_room_for(&self, pages: u32) -> Result<()> {
        self.file()?.leave_room_for(pages)
    }

    pub(super) fn is_in_transaction(&self) -> bool {
        self.file().is_ok_and(Sqlite::is_in_transaction)
    }

    /// The query plan of a statement.
    #[cfg(test)]
    pub(super) fn plan(&self, sql: &str) -> String {
        self.file().unwrap().plan(sql)
    }
}
