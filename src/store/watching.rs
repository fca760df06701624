//! What a monitoring sees: how many there are and how old the oldest is. Nothing of a player.

use chrono::{DateTime, Utc};

use super::value::time;
use super::{GameStats, MailState, Reader, Result, State, Store};

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

impl Reader {
    /// What waits. Its cost is bounded, whatever the database holds.
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
        self.db.one(sql, &[&state.word(), &Queues::MOST], |row| {
            Ok(Waiting {
                mails: row.get(0)?,
                oldest: row.get(1)?,
            })
        })
    }

    fn inbox_in(&self, state: State) -> Result<Waiting> {
        let sql = "SELECT COUNT(*) FROM (SELECT 1 FROM inbox WHERE state = $1 ORDER BY id LIMIT $2) AS first";
        let mails = self
            .db
            .one(sql, &[&state.word(), &Queues::MOST], |row| row.get(0))?;
        let sql = "SELECT received_at FROM inbox WHERE state = $1 ORDER BY id LIMIT 1";
        let oldest = self.db.find(sql, &[&state.word()], |row| row.get(0))?;
        Ok(Waiting { mails, oldest })
    }

    /// What the server holds: two passes over indexes, which take longer the more there is.
    pub fn census(&self) -> Result<Census> {
        let players = "SELECT COUNT(*) FROM players \
                       WHERE deleted_at IS NULL AND away_since IS NULL AND disabled_at IS NULL";
        Ok(Census {
            players: self.db.one(players, &[], |row| row.get(0))?,
            boards: self.boards_by_game()?,
            bytes: self.db.bytes()?,
        })
    }
}

impl Store {
    /// Remembers that a backup is made.
    pub fn set_backed_up(&self, now: DateTime<Utc>) -> Result<()> {
        self.set_note(BACKED_UP, &now.timestamp_millis().to_string())
    }
}
