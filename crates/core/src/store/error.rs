//! Database errors, and the operator's remedy for each.

use std::fmt;
use std::path::PathBuf;

/// A database error. It is never a player's fault.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The engine reported an error.
    #[error("database: {message}")]
    Database {
        /// The kind, which decides how the server reacts.
        kind: ErrorKind,
        message: String,
    },
    /// A row has a value that this program never writes.
    #[error("database: {0}")]
    Corrupt(String),
    /// A newer version of the program wrote the database.
    #[error(
        "the database {path} is at migration {found}, but this program knows only {known}: install the newer program"
    )]
    Newer {
        /// The path of the database.
        path: String,
        /// The migration number of the database.
        found: i64,
        /// The newest migration number that this program knows.
        known: i64,
    },
    /// An older version of the program wrote the database, and only two verbs migrate one that is in use.
    #[error(
        "the database {path} is at migration {found}, and this program needs {known}: pbmserv serve brings it there when it starts, and so does pbmserv migrate, as this account; both keep a copy"
    )]
    Older {
        /// The path of the database.
        path: String,
        /// The migration number of the database.
        found: i64,
        /// The newest migration number that this program knows.
        known: i64,
    },
    /// A program from before the first release wrote the database.
    #[error(
        "the database {path} was made by a version before the first release, and this program cannot read it: begin with an empty one; the command record of that version sends its games as files"
    )]
    Unreleased {
        /// The path of the database.
        path: String,
    },
    /// The file of the open database was moved, deleted, replaced or overwritten.
    #[error("database: {0}")]
    FileFault(FileFault),
    /// Another server has the database.
    #[error("the database {database} is in use by the server {by}")]
    InUse {
        database: String,
        /// The machine and the process.
        by: String,
    },
    /// This server had the database, lost its session, and another one has taken it over.
    #[error("another server has taken the database over")]
    TakenOver,
    /// It is the beginning of a copy of another database.
    #[error(
        "the database {database} is an unfinished copy of {from}: run pbmserv store copy again, which goes on with it"
    )]
    Unfinished {
        database: String,
        /// The other one.
        from: String,
    },
    /// A copy was to be made into it.
    #[error("the database {0} has players or letters, so nothing is copied into it: name an empty one")]
    NotEmpty(String),
    /// A copy is not like its source.
    #[error("the table {0} of the copy is not that of the source")]
    Unequal(String),
    /// The database is at a server of PostgreSQL, and this works with files.
    #[error("the database is at a server of PostgreSQL, and has no file")]
    NoFile,
}

/// A result of the store.
pub type Result<T> = std::result::Result<T, Error>;

/// The kinds of errors that need different reactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// No space is left on the disk.
    DiskFull,
    /// Another process holds a lock on the database.
    Locked,
    /// An I/O error of the disk.
    Io,
    /// The file cannot be opened.
    CannotOpen,
    /// The database is read-only.
    ReadOnly,
    /// The file is damaged, or is no database.
    Damaged,
    /// A statement cannot be prepared: this program did not create these tables.
    Unprepared,
    /// This statement failed, for example by a constraint. Other statements are not affected.
    Refused,
    /// The connection to the server is lost, or cannot be made.
    Unreachable,
    /// The server has no session left for us.
    Crowded,
    /// The server refuses the login, the database or the statement: the operator must act.
    NotAllowed,
    /// Any other error.
    Other,
}

/// What happened to the file of the open database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFault {
    /// It was moved, and no file is at its path. It may come back.
    Moved {
        /// The new path, if the system knows it.
        to: Option<PathBuf>,
    },
    /// It was deleted, and no file is at its path. Only this process still has it open.
    Deleted,
    /// Another file is at its path.
    Another {
        /// Whether the old file was deleted, so that only this process still has it open.
        is_deleted: bool,
    },
    /// Another program wrote into it.
    Overwritten,
    /// Its WAL or its shm was deleted, moved or replaced. What was committed since the last checkpoint is only in this process.
    LogLost,
}

impl FileFault {
    const fn in_a_word(&self) -> &'static str {
        match self {
            Self::Moved { .. } => "its file was moved away",
            Self::Deleted => "its file was deleted",
            Self::Another { .. } => "its file was replaced by another one",
            Self::Overwritten => "its file was overwritten",
            Self::LogLost => "its -wal or -shm file was removed",
        }
    }
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.in_a_word())
    }
}

impl Error {
    /// Whether the error affects the whole database (a full disk, a lock, a damaged file) and not only one statement.
    /// Then SQLite may have ended the transaction already, with all its savepoints
    /// (<https://www.sqlite.org/lang_transaction.html>, "Response To Errors Within A Transaction").
    #[must_use]
    pub const fn ends_the_transaction(&self) -> bool {
        match self {
            Self::Database { kind, .. } => !matches!(kind, ErrorKind::Refused),
            // Only this row is affected.
            Self::Corrupt(_)
            | Self::Newer { .. }
            | Self::Older { .. }
            | Self::Unreleased { .. }
            | Self::NoFile
            | Self::Unfinished { .. }
            | Self::NotEmpty(_)
            | Self::Unequal(_) => false,
            Self::FileFault(_) | Self::InUse { .. } | Self::TakenOver => true,
        }
    }

    /// Whether another process holds a lock on the database.
    #[must_use]
    pub const fn is_locked(&self) -> bool {
        matches!(self.kind(), Some(ErrorKind::Locked))
    }

    /// Whether the database is away, so that the same may succeed in a minute.
    #[must_use]
    pub const fn is_away(&self) -> bool {
        matches!(
            self.kind(),
            Some(
                ErrorKind::Locked
                    | ErrorKind::Io
                    | ErrorKind::CannotOpen
                    | ErrorKind::Unreachable
                    | ErrorKind::Crowded
            )
        )
    }

    /// Whether the file is damaged or is no database of this program.
    #[must_use]
    pub const fn is_damage(&self) -> bool {
        matches!(self.kind(), Some(ErrorKind::Damaged | ErrorKind::Unprepared))
    }

    /// What the operator can do.
    #[must_use]
    pub const fn remedy(&self) -> &'static str {
        match self {
            Self::FileFault(what) => match what {
                FileFault::Moved { .. } => "move it back; nothing else is needed",
                FileFault::Deleted => "if its folder is there, the server writes it back from the open file",
                FileFault::Another { .. } => {
                    "put the old file back, or stop the server and use the new one by pbmserv adopt; use pbmserv restore to restore a backup"
                }
                FileFault::LogLost => {
                    "the server saves its data, ends, and can be started again; leave these files alone while it runs"
                }
                FileFault::Overwritten => "stop the server and restore a backup with pbmserv restore",
            },
            Self::Database { kind, .. } => match kind {
                ErrorKind::Locked => "close the program that keeps it locked, such as an open sqlite3",
                ErrorKind::DiskFull => "free space on its disk",
                ErrorKind::Damaged => {
                    "stop the server, run pbmserv check, and restore a backup with pbmserv restore"
                }
                ErrorKind::ReadOnly | ErrorKind::CannotOpen => {
                    "give the server's account write permission for the file and its folder"
                }
                ErrorKind::Io => "check its disk: it may be full or broken",
                ErrorKind::Unreachable => {
                    "see that PostgreSQL runs and can be reached at store.url; nothing else is needed"
                }
                ErrorKind::Crowded => {
                    "raise max_connections in postgresql.conf, or end sessions of other programs: a server needs 16; nothing else is needed"
                }
                ErrorKind::NotAllowed => "correct store.url, or what PostgreSQL grants to this user",
                ErrorKind::Unprepared | ErrorKind::Refused | ErrorKind::Other => CHECK,
            },
            Self::Newer { .. } => "install the newer program",
            Self::Older { .. } => "run pbmserv migrate",
            Self::Unreleased { .. } => "begin with an empty database",
            Self::Unfinished { .. } => "run pbmserv store copy again",
            Self::NotEmpty(_) => "name an empty database",
            Self::Unequal(_) => "run pbmserv store copy again, into an empty database",
            Self::InUse { .. } => "ask that server, or stop it first: two never write to one database",
            Self::TakenOver => "this one waits until that one ends; nothing else is needed",
            Self::NoFile => "use the tools of PostgreSQL",
            Self::Corrupt(_) => CHECK,
        }
    }

    /// A short description without any data from the database.
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
                ErrorKind::Unreachable => "its server cannot be reached",
                ErrorKind::Crowded => "PostgreSQL has no free session (53300, max_connections)",
                ErrorKind::NotAllowed => "its server refuses us",
                ErrorKind::Unprepared | ErrorKind::Refused | ErrorKind::Other => "a statement failed",
            },
            Self::Corrupt(_) => "a row has an invalid value",
            Self::Newer { .. } => "a newer version of pbmserv wrote it",
            Self::Older { .. } => "an older version of pbmserv wrote it",
            Self::Unreleased { .. } => "a version before the first release wrote it",
            Self::FileFault(what) => what.in_a_word(),
            Self::InUse { .. } | Self::TakenOver => "another server has it",
            Self::NoFile => "it has no file",
            Self::Unfinished { .. } => "it is an unfinished copy",
            Self::NotEmpty(_) => "it is not empty",
            Self::Unequal(_) => "it is not like its source",
        }
    }

    const fn kind(&self) -> Option<ErrorKind> {
        match self {
            Self::Database { kind, .. } => Some(*kind),
            _ => None,
        }
    }
}

const CHECK: &str = "run pbmserv check for details";
