//! The connections: one writer and any number of readers. Each file of tables adds its own statements to them.

use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use super::Result;
use super::database::Database;
use super::holder::Holder;
use super::location::Location;
use super::replication::Replication;
use super::sqlite::{Copying, Pages};

/// A read-only connection.
#[derive(Debug)]
pub struct Reader {
    pub(super) db: Database,
}

/// The only connection that writes.
#[derive(Debug)]
pub struct Store {
    reader: Reader,
}

impl Deref for Store {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl Store {
    pub(super) fn of(db: Database) -> Self {
        Self {
            reader: Reader { db },
        }
    }

    /// Begins the transaction of a batch and takes the write lock.
    pub fn begin(&self) -> Result<()> {
        self.db.begin()?;
        self.db.counts.begin();
        Ok(())
    }

    /// Commits the batch to the file at the path of the database.
    ///
    /// # Errors
    /// For example a full disk, or [`Error::FileFault`](super::Error::FileFault). Then nothing of the batch is stored.
    pub fn commit(&self) -> Result<()> {
        self.write_counts()?;
        self.db.commit()?;
        self.db.counts.end();
        Ok(())
    }

    /// Rolls back the batch. It is no error if the transaction has already ended, for example by a full disk.
    pub fn rollback(&self) {
        self.db.memo.close();
        self.db.counts.end();
        self.db.rollback();
    }

    /// Opens a savepoint for one message of the batch.
    pub fn begin_message(&self) -> Result<()> {
        self.db.begin_savepoint()?;
        self.db.memo.open();
        self.db.counts.begin_savepoint();
        Ok(())
    }

    /// Waits for all that was written for the message in the open savepoint, so that an error is of this message.
    pub fn settle(&self) -> Result<()> {
        self.db.settle()
    }

    /// Releases the savepoint: the changes for this message become part of the batch.
    pub fn keep_message(&self) -> Result<()> {
        self.db.memo.close();
        self.db.counts.keep_savepoint();
        self.db.keep_savepoint()
    }

    /// Rolls back to the savepoint: undoes the changes for this message.
    ///
    /// # Errors
    /// The whole batch is lost.
    pub fn undo_message(&self) -> Result<()> {
        self.db.memo.close();
        self.db.counts.undo_savepoint();
        self.db.undo_savepoint()
    }

    /// Records size and time of the database file after our own writes, so that a later check notices changes by
    /// others.
    pub fn remember_file(&self) -> Result<()> {
        self.db.remember_file()
    }

    /// Checks that the database file is still at its path and that nobody else changed it. Costs three `stat`.
    ///
    /// # Errors
    /// [`Error::FileFault`](super::Error::FileFault) if not.
    pub fn look(&self) -> Result<()> {
        self.db.look()
    }

    /// Whether the WAL beside the database is another one than that of this connection, and has content.
    ///
    /// # Errors
    /// The database has no file.
    pub fn has_other_log(&self) -> Result<bool> {
        self.db.has_other_log()
    }

    /// Checkpoints the whole WAL into the database and truncates it, even if the file was moved. The file is then
    /// complete, and no stale WAL remains beside another database. Returns false if another process is reading.
    pub fn empty_log(&self) -> Result<bool> {
        self.db.empty_log()
    }

    /// Renames the database, and the WAL at its place, which is another program's.
    ///
    /// # Errors
    /// The database has no file. Inside: a file cannot be renamed.
    pub fn set_aside(&self, aside: &Path) -> Result<io::Result<()>> {
        self.db.set_aside(aside)
    }

    /// Renames the WAL of an overwritten database, so that neither closing it nor the next start applies it to the new
    /// content. Returns the new name.
    pub fn set_log_aside(&self, name: &str) -> Result<io::Result<PathBuf>> {
        self.db.set_log_aside(name)
    }

    /// The number of rows that this connection has changed so far. The difference shows whether a batch wrote anything.
    #[must_use]
    pub fn rows_changed(&self) -> u64 {
        self.db.rows_changed()
    }

    /// The number of statements that this connection has run so far.
    #[must_use]
    pub fn statements_run(&self) -> u64 {
        self.db.statements_run()
    }

    /// Closes the database as a single file, without a WAL.
    pub fn close_alone(self) -> Result<()> {
        self.reader.db.close_alone()
    }

    /// Stores a fact about the server itself under a name.
    pub fn set_note(&self, name: &str, value: &str) -> Result<()> {
        let sql = "INSERT INTO notes (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.db.write(sql, &[&name, &value])?;
        Ok(())
    }

    /// Removes that fact.
    pub fn remove_note(&self, name: &str) -> Result<()> {
        self.db.write("DELETE FROM notes WHERE name = $1", &[&name])
    }
}

impl Reader {
    /// Opens an existing database read-only.
    ///
    /// # Errors
    /// The file is missing or unreadable.
    pub fn open(at: impl Into<Location>) -> Result<Self> {
        let db = Database::open_for_reading(&at.into())?;
        Ok(Self { db })
    }

    /// Opens another connection to the same database, for another thread.
    ///
    /// # Errors
    /// The file can no longer be opened.
    pub fn again(&self) -> Result<Self> {
        Self::open(self.location())
    }

    /// Where the database is.
    #[must_use]
    pub fn location(&self) -> Location {
        self.db.location()
    }

    /// Who has the engine; `None`: nobody, or the database is a file.
    pub fn holder(&self) -> Result<Option<Holder>> {
        self.db.holder()
    }

    /// Whether what is committed is on a second machine; `None`: the database is a file, or this server of it is a standby.
    pub fn replication(&self) -> Result<Option<Replication>> {
        self.db.replication()
    }

    /// The file of the database; `None`: it has none.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.db.path()
    }

    /// Reads a fact about the server that was stored under this name.
    pub fn note(&self, name: &str) -> Result<Option<String>> {
        let sql = "SELECT value FROM notes WHERE name = $1";
        self.db.find(sql, &[&name], |row| row.get(0))
    }

    /// The results of SQLite's integrity and foreign key checks; empty if all is well.
    pub fn faults(&self) -> Result<Vec<String>> {
        self.db.faults()
    }

    /// The pages of the database, without those of its WAL.
    pub fn pages(&self) -> Result<Pages> {
        self.db.pages()
    }

    /// The number of the last migration that was applied.
    pub fn migration(&self) -> Result<i64> {
        self.db.migration()
    }

    /// Copies the whole database to a new file, as one consistent snapshot, and says what it is at.
    ///
    /// # Errors
    /// For example, the target is not writable.
    pub fn copy_to(&self, target: &Path, at: &mut dyn FnMut(Copying)) -> Result<()> {
        self.db.copy_to(target, at)
    }
}

/// For tests alone.
impl Store {
    /// Lets a file grow by this many pages only; beyond that SQLite reports a full disk.
    pub fn leave_room_for(&self, pages: u32) -> Result<()> {
        self.db.leave_room_for(pages)
    }

    /// Whether a transaction of a file is open.
    pub fn is_in_transaction(&self) -> bool {
        self.db.is_in_transaction()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::place_of_tests::place;

    const ADD: &str = "INSERT INTO notes (name, value) VALUES ($1, 'x')";

    #[test]
    fn a_statement_that_fails_costs_its_message_alone() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place(folder.path())).unwrap();
        store.begin().unwrap();
        for (name, times, is_settled) in [
            ("one", 1, true),
            ("two", 2, true),
            ("three", 2, false),
            ("four", 1, true),
        ] {
            store.begin_message().unwrap();
            let mut added = (0..times).try_for_each(|_| store.db.write(ADD, &[&name]));
            if is_settled {
                added = added.and_then(|()| store.settle());
                assert_eq!(added.is_err(), times > 1, "{name}");
            }
            match times {
                1 => store.keep_message().unwrap(),
                _ => store.undo_message().unwrap(),
            }
        }
        store.commit().unwrap();
        let stored = ["one", "two", "three", "four"].map(|name| store.note(name).unwrap().is_some());
        assert_eq!(stored, [true, false, false, true]);
    }

    #[test]
    fn a_statement_that_fails_before_a_savepoint_is_not_undone_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place(folder.path())).unwrap();
        for is_within in [false, true] {
            store.begin().unwrap();
            // Preparing a statement waits for those before it.
            store.begin_message().unwrap();
            store.keep_message().unwrap();
            if is_within {
                store.begin_message().unwrap();
            }
            store.db.write(ADD, &[&"one"]).unwrap();
            let add = || {
                store.db.write(ADD, &[&"one"])?;
                store.begin_message()?;
                store.settle()
            };
            let error = add().unwrap_err();
            // A file says so before the savepoint.
            assert_eq!(error.ends_the_transaction(), store.file().is_none(), "{error}");
            store.rollback();
            assert_eq!(store.note("one").unwrap(), None);
        }
    }

    #[test]
    fn a_read_finds_what_the_transaction_has_written_before() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(place(folder.path())).unwrap();
        store.begin().unwrap();
        store.begin_message().unwrap();
        assert_eq!(store.note("one").unwrap(), None);
        store.set_note("one", "1").unwrap();
        assert_eq!(store.note("one").unwrap().as_deref(), Some("1"));
        store.keep_message().unwrap();
        store.begin_message().unwrap();
        store.set_note("one", "2").unwrap();
        assert_eq!(store.note("one").unwrap().as_deref(), Some("2"));
        store.undo_message().unwrap();
        assert_eq!(store.note("one").unwrap().as_deref(), Some("1"));
        store.rollback();
        assert_eq!(store.note("one").unwrap(), None);
    }
}
