//! What can be wrong with the database, and what the operator can do about it.

use std::fmt;
use std::path::PathBuf;

/// The database failed us, or holds what cannot be. Never a player's fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The engine of the database refused.
    #[error("database: {message}")]
    Database {
        /// What kind of failure it is.
        kind: ErrorKind,
        /// What the engine says.
        message: String,
    },
    /// A row that this program cannot have written.
    #[error("database: {0}")]
    Corrupt(String),
    /// The database was written by a newer program.
    #[error(
        "the database {path} is at migration {found}, this program knows {known}: install the newer program"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its migration.
        found: i64,
        /// The newest that this program knows.
        known: i64,
    },
    /// The file of an open database is not what it was.
    #[error("database: {0}")]
    Displaced(Displaced),
}

/// Results of the store.
pub type Result<T> = std::result::Result<T, Error>;

/// Why the engine of the database refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The disk is full.
    DiskFull,
    /// Another process has the database locked.
    Locked,
    /// The disk cannot be read or written.
    Io,
    /// The database cannot be opened.
    CannotOpen,
    /// The database may not be written.
    ReadOnly,
    /// It is damaged, or no database.
    Damaged,
    /// The statement cannot be prepared: the tables are not those that this program made.
    Unprepared,
    /// The statement was refused for what it holds, such as a row that exists already; others are not concerned.
    Refused,
    /// Anything else.
    Other,
}

/// What has become of the file of an open database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Displaced {
    /// It was moved away, and nothing is in its place. It may come back.
    Moved {
        /// Where it is now, if the system tells.
        to: Option<PathBuf>,
    },
    /// It was deleted, and nothing is in its place: only this process has it still.
    Deleted,
    /// Another file stands in its place.
    Another {
        /// Whether it was deleted, so that only this process has it still.
        is_deleted: bool,
    },
    /// Something other than SQLite has written into it.
    Overwritten,
}

impl Displaced {
    const fn in_a_word(&self) -> &'static str {
        match self {
            Self::Moved { .. } => "its file was moved away",
            Self::Deleted => "its file was deleted",
            Self::Another { .. } => "another file was put in the place of its own",
            Self::Overwritten => "its file was written over",
        }
    }
}

impl fmt::Display for Displaced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.in_a_word())
    }
}

impl Error {
    /// Whether the failure concerns the whole database - a full disk, a lock of another process, a damaged file - and
    /// not one statement. Then the transaction may be over already, whatever its savepoints say
    /// (<https://www.sqlite.org/lang_transaction.html>, "Response To Errors Within A Transaction").
    #[must_use]
    pub const fn ends_the_transaction(&self) -> bool {
        match self {
            Self::Database { kind, .. } => !matches!(kind, ErrorKind::Refused),
            // What a row holds is not what was expected of it: other rows are not concerned.
            Self::Corrupt(_) | Self::Newer { .. } => false,
            Self::Displaced(_) => true,
        }
    }

    /// Whether another process has the database locked.
    #[must_use]
    pub const fn is_locked(&self) -> bool {
        matches!(self.kind(), Some(ErrorKind::Locked))
    }

    /// Whether what is there is no database, or a damaged one.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(self.kind(), Some(ErrorKind::Damaged | ErrorKind::Unprepared))
    }

    /// What the operator can do about it.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::Displaced(what) => match what {
                Displaced::Moved { .. } => "move it back: nothing else is needed",
                Displaced::Deleted => "it is written anew from what is still open",
                Displaced::Another { .. } => {
                    "put the file back, or start the server again with the one that is there now; a backup is put into place by pbmserv restore"
                }
                Displaced::Overwritten => "stop the server and put a backup into place by pbmserv restore",
            },
            Self::Database { kind, .. } => match kind {
                ErrorKind::Locked => "another program keeps it locked, such as an open sqlite3: end that",
                ErrorKind::DiskFull => "make room on its disk",
                ErrorKind::Damaged => {
                    "stop the server, look with pbmserv check, and put a backup into place by pbmserv restore"
                }
                ErrorKind::ReadOnly | ErrorKind::CannotOpen => {
                    "the account that the server runs as must be able to write it and its folder"
                }
                ErrorKind::Io => "is its disk full, or broken?",
                ErrorKind::Unprepared | ErrorKind::Refused | ErrorKind::Other => LOOK,
            },
            Self::Corrupt(_) | Self::Newer { .. } => LOOK,
        }
    }

    /// What kind of failure it is, in words that quote nothing.
    #[must_use]
    pub const fn in_a_word(&self) -> &'static str {
        match self {
            Self::Database { kind, .. } => match kind {
                ErrorKind::DiskFull => "the disk is full",
                ErrorKind::Locked => "another process has locked it",
                ErrorKind::Io => "the disk cannot be read or written",
                ErrorKind::CannotOpen => "it cannot be opened",
                ErrorKind::ReadOnly => "it may not be written",
                ErrorKind::Damaged => "it is damaged",
                ErrorKind::Unprepared | ErrorKind::Refused | ErrorKind::Other => "a statement failed",
            },
            Self::Corrupt(_) => "a row holds what cannot be",
            Self::Newer { .. } => "a newer program has written it",
            Self::Displaced(what) => what.in_a_word(),
        }
    }

    const fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Database { kind, .. } => Some(*kind),
            _ => None,
        }
    }
}

const LOOK: &str = "look with pbmserv check";
