//! The connections: one that writes, and those that read. Every file of tables adds its own statements to them.

use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use super::Result;
use super::sqlite::Database;

/// A connection that only reads.
#[derive(Debug)]
pub struct Reader {
    pub(super) db: Database,
}

/// The one connection that writes.
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
    pub(super) fn connect(path: &Path) -> Result<Self> {
        let db = Database::open_for_writing(path)?;
        Ok(Self {
            reader: Reader { db },
        })
    }

    /// Begins the transaction of a batch and takes the right to write.
    pub fn begin(&self) -> Result<()> {
        self.db.begin()
    }

    /// Makes the batch durable, in the file that stands at the path of the database.
    ///
    /// # Errors
    /// A full disk, for example, or [`Error::Displaced`](super::Error::Displaced); then nothing of the batch is kept.
    pub fn commit(&self) -> Result<()> {
        self.db.commit()
    }

    /// Forgets the batch. A full disk may have ended the transaction already: that is no error here.
    pub fn rollback(&self) {
        self.db.rollback();
    }

    /// Begins the part of the batch that one message is.
    pub fn begin_message(&self) -> Result<()> {
        self.db.run("SAVEPOINT message")
    }

    /// Adds the message's part to the batch.
    pub fn keep_message(&self) -> Result<()> {
        self.db.run("RELEASE message")
    }

    /// Takes back all that the message did.
    ///
    /// # Errors
    /// Then the whole batch is lost.
    pub fn undo_message(&self) -> Result<()> {
        self.db.run("ROLLBACK TO message; RELEASE message")
    }

    /// Remembers the file as it is left, after whatever may have written to it. Which file it is never changes while it
    /// is open.
    pub fn save_displaced(&self) -> Result<()> {
        self.db.save_displaced()
    }

    /// Looks whether the database is where it was opened, and as it was left. One look is one `stat`.
    ///
    /// # Errors
    /// [`Error::Displaced`](super::Error::Displaced) if not.
    pub fn look(&self) -> Result<()> {
        self.db.look()
    }

    /// Brings the whole log into the database and empties it, wherever its file is now: so that it is complete, and
    /// nothing of it lies beside another file. False: another process reads it.
    pub fn empty_log(&self) -> Result<bool> {
        self.db.empty_log()
    }

    /// Puts the log of a database that was written over beside it under another name, so that neither our end nor the
    /// next start mixes the two; gives that name.
    pub fn set_log_aside(&self, name: &str) -> Result<io::Result<PathBuf>> {
        self.db.set_log_aside(name)
    }

    /// How many rows this connection has changed so far: two looks tell whether a batch has written anything.
    #[must_use]
    pub fn rows_changed(&self) -> u64 {
        self.db.rows_changed()
    }

    /// Closes the database so that it is one file that stands alone.
    pub fn close_alone(self) -> Result<()> {
        self.reader.db.close_alone()
    }

    /// Remembers something about the service itself.
    pub fn set_note(&self, name: &str, value: &str) -> Result<()> {
        let sql = "INSERT INTO notes (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.db.execute(sql, &[&name, &value])?;
        Ok(())
    }
}

impl Reader {
    /// Opens a database that exists, for reading only.
    ///
    /// # Errors
    /// It is not there or cannot be read.
    pub fn open(path: &Path) -> Result<Self> {
        let db = Database::open_for_reading(path)?;
        Ok(Self { db })
    }

    /// Another connection to the same database, for another thread.
    ///
    /// # Errors
    /// It cannot be opened any more.
    pub fn again(&self) -> Result<Self> {
        Self::open(self.path())
    }

    /// Where the database is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.db.path()
    }

    /// What was remembered about the service under this name.
    pub fn note(&self, name: &str) -> Result<Option<String>> {
        let sql = "SELECT value FROM notes WHERE name = $1";
        self.db.find(sql, &[&name], |row| row.get(0))
    }

    /// What is wrong with the database as a file and with its references; empty if nothing.
    pub fn faults(&self) -> Result<Vec<String>> {
        self.db.faults()
    }

    /// The number of the migration that the database has reached.
    pub fn migration(&self) -> Result<i64> {
        self.db.migration()
    }

    /// Copies the whole database, as of one moment, to a new file.
    ///
    /// # Errors
    /// The target cannot be written, for example.
    pub fn copy_to(&self, target: &Path) -> Result<()> {
        self.db.copy_to(target)
    }
}

#[cfg(test)]
impl Store {
    /// From now on the database grows by so many pages only: then SQLite says that the disk is full.
    pub(crate) fn leave_room_for(&self, pages: u32) {
        self.db.leave_room_for(pages);
    }

    /// Whether a transaction is open.
    pub(crate) fn is_in_transaction(&self) -> bool {
        self.db.is_in_transaction()
    }
}
