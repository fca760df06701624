//! What is told to a monitoring: how many there are, how old the oldest is, what kind of trouble the database is in.
//! Nothing of a player.

use chrono::{DateTime, Utc};
use rusqlite::{ErrorCode, OptionalExtension};

use super::{Error, GameStats, MailState, Reader, Result, State, Store, time};

/// What waits, and since when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Waiting {
    /// How many; no more than [`Queues::MOST`] are counted.
    pub mails: u32,
    /// When the oldest was made or came.
    pub oldest: Option<DateTime<Utc>>,
}

/// The mails that wait, for their time or for the operator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queues {
    /// Mails to be sent. Beyond [`Queues::MOST`] the oldest is that of those which are tried first.
    pub waiting: Waiting,
    /// Mails that the operator keeps back.
    pub held: Waiting,
    /// Messages whose handling failed, and which the operator has neither retried nor dropped.
    pub failed: Waiting,
    /// When a backup was last made by this server.
    pub backed_up: Option<DateTime<Utc>>,
}

impl Queues {
    /// How many of each are counted: a look at a queue that nobody empties must not take longer and longer.
    pub const MOST: u32 = 10_000;
}

/// What a server holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Players who are here.
    pub players: u32,
    /// The boards of each game that has any.
    pub boards: Vec<GameStats>,
    /// The size of the database, in bytes, without its log.
    pub bytes: u64,
}

/// The note of the last backup, in milliseconds since 1970.
const BACKED_UP: &str = "backed_up_at";

impl Error {
    /// What kind of trouble it is, in words that quote nothing.
    #[must_use]
    pub const fn in_a_word(&self) -> &'static str {
        let code = match self {
            Self::Sqlite(rusqlite::Error::SqliteFailure(failure, _)) => failure.code,
            Self::Sqlite(_) => return "a statement failed",
            Self::Corrupt(_) => return "a row holds what cannot be",
            Self::Newer { .. } => return "a newer program has written it",
            Self::Displaced(what) => return what.in_a_word(),
        };
        match code {
            ErrorCode::DiskFull => "the disk is full",
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => "another process has locked it",
            ErrorCode::SystemIoFailure => "the disk cannot be read or written",
            ErrorCode::CannotOpen | ErrorCode::NotFound => "it cannot be opened",
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => "it may not be written",
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => "it is damaged",
            _ => "a statement failed",
        }
    }
}

impl Reader {
    /// What waits. Its cost is bounded, whatever the database holds.
    ///
    /// # Errors
    /// SQLite's.
    pub fn queues(&self) -> Result<Queues> {
        let backed_up = self.note(BACKED_UP)?;
        Ok(Queues {
            waiting: self.outbox_in(MailState::Waiting)?,
            held: self.outbox_in(MailState::Held)?,
            failed: self.inbox_in(State::Failed)?,
            backed_up: backed_up.and_then(|at| at.parse().ok()).map(time),
        })
    }

    fn outbox_in(&self, state: MailState) -> Result<Waiting> {
        let sql = "SELECT COUNT(*), MIN(created_at) FROM \
                   (SELECT created_at FROM outbox WHERE state = $1 ORDER BY due_at, id LIMIT $2) AS first";
        let mut statement = self.conn.prepare_cached(sql)?;
        Ok(statement.query_row((state.word(), Queues::MOST), |row| {
            Ok(Waiting {
                mails: row.get(0)?,
                oldest: row.get::<_, Option<i64>>(1)?.map(time),
            })
        })?)
    }

    fn inbox_in(&self, state: State) -> Result<Waiting> {
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM inbox WHERE state = $1 ORDER BY id LIMIT $2) AS first";
        let mails = self
            .conn
            .prepare_cached(sql)?
            .query_row((state.word(), Queues::MOST), |row| row.get(0))?;
        let sql = "SELECT received_at FROM inbox WHERE state = $1 ORDER BY id LIMIT 1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let oldest = statement.query_row([state.word()], |row| row.get(0)).optional()?;
        Ok(Waiting {
            mails,
            oldest: oldest.map(time),
        })
    }

    /// What the server holds: two passes over indexes, which take longer the more there is.
    ///
    /// # Errors
    /// SQLite's.
    pub fn census(&self) -> Result<Census> {
        let one = |sql: &str| self.conn.query_row(sql, [], |row| row.get::<_, i64>(0));
        let players = one("SELECT COUNT(*) FROM players \
                           WHERE deleted_at IS NULL AND away_since IS NULL AND disabled_at IS NULL")?;
        Ok(Census {
            players: u32::try_from(players).unwrap_or(u32::MAX),
            boards: self.boards_by_game()?,
            bytes: u64::try_from(one("PRAGMA page_count")? * one("PRAGMA page_size")?).unwrap_or_default(),
        })
    }
}

impl Store {
    /// How many rows this connection has changed so far: two looks tell whether a batch has written anything.
    #[must_use]
    pub fn rows_changed(&self) -> u64 {
        self.conn.total_changes()
    }

    /// Remembers that a backup is made.
    ///
    /// # Errors
    /// SQLite's.
    pub fn set_backed_up(&self, now: DateTime<Utc>) -> Result<()> {
        self.set_note(BACKED_UP, &now.timestamp_millis().to_string())
    }
}
