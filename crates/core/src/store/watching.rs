//! Figures for monitoring: counts and ages, nothing about any player.

use chrono::{DateTime, Utc};

use super::inbox::UNDONE;
use super::outbox::UNSENT;
use super::value::{ToValue, time};
use super::{GameStats, MailState, RateLimit, Reader, Result, State, Store, hourly};

/// The length of a queue and its oldest entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueState {
    /// At most [`Queues::MOST`].
    pub mails: u32,
    /// When the oldest mail was written or received.
    pub oldest: Option<DateTime<Utc>>,
}

/// The queues that the monitoring watches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queues {
    /// Mails to be sent. If there are more than [`Queues::MOST`], `oldest` covers only those that are due first.
    pub waiting: QueueState,
    /// Mails held by the operator.
    pub held: QueueState,
    /// Failed messages that the operator has neither retried nor dropped.
    pub failed: QueueState,
    /// Boards whose computer is to move, but for those in [`left_alone`](Self::left_alone).
    pub computers: QueueState,
    /// Running boards at a position that has ended the program while a computer thought about it.
    pub left_alone: u32,
    /// When the last message came in, of those that are still recorded.
    pub last_in: Option<DateTime<Utc>>,
    /// When this server last made a backup.
    pub backed_up: Option<DateTime<Utc>>,
    /// What mail that proves nobody has caused in this hour.
    pub unproven: Unproven,
}

/// What mail that proves nobody has caused in this hour of the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unproven {
    /// Mails sent because of mail from strangers.
    pub for_strangers: u32,
    /// Mails sent because of mail from the addresses of players.
    pub for_players: u32,
    /// Messages that were dropped because these were too many.
    pub dropped: u32,
}

impl Queues {
    /// No more than this many are counted, so that a growing queue does not slow the monitoring down.
    pub const MOST: u32 = 10_000;
}

impl Unproven {
    /// The keys of [`RateLimit::Caused`].
    pub const STRANGERS: &str = "strangers";
    /// See [`Unproven::for_players`].
    pub const PLAYERS: &str = "players";
    /// See [`Unproven::dropped`].
    pub const DROPPED: &str = "dropped";
}

/// Totals of the server, for monitoring.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Active players.
    pub players: u32,
    /// Without games that have no board.
    pub boards: Vec<GameStats>,
    /// The size of the database in bytes, without its WAL.
    pub bytes: u64,
    /// Addresses that have complained of our mail as spam, and sent none since.
    pub complaints: u32,
}

/// The note with the time of the last backup, in milliseconds since 1970.
const BACKED_UP: &str = "backed_up_at";

impl Reader {
    /// The queues. The cost is bounded, whatever the size of the database.
    pub fn queues(&self, now: DateTime<Utc>) -> Result<Queues> {
        let backed_up = self.note(BACKED_UP)?;
        let last_in = "SELECT received_at FROM inbox ORDER BY id DESC LIMIT 1";
        let caused = |by| self.tally(RateLimit::Caused, &hourly(by, now), now);
        Ok(Queues {
            waiting: self.outbox_in(MailState::Waiting)?,
            held: self.outbox_in(MailState::Held)?,
            failed: self.inbox_in(State::Failed)?,
            last_in: self.db.find(last_in, &[], |row| row.get(0))?,
            computers: self.computers_waiting()?,
            left_alone: self.count_left_alone(Queues::MOST)?,
            backed_up: backed_up.and_then(|at| at.parse().ok()).map(time),
            unproven: Unproven {
                for_strangers: caused(Unproven::STRANGERS)?,
                for_players: caused(Unproven::PLAYERS)?,
                dropped: caused(Unproven::DROPPED)?,
            },
        })
    }

    /// The boards whose computer is to move.
    fn computers_waiting(&self) -> Result<QueueState> {
        let (mails, oldest) = self.count_waiting_for_computers(Queues::MOST)?;
        Ok(QueueState { mails, oldest })
    }

    /// The outgoing mails in one state.
    pub fn outbox_in(&self, state: MailState) -> Result<QueueState> {
        let sql = format!(
            "SELECT COUNT(*), MIN(created_at) FROM (SELECT created_at FROM outbox WHERE state = $1 AND {UNSENT} \
             ORDER BY is_unproven, due_at, id LIMIT $2) AS first"
        );
        self.db.one(&sql, &[&state.word(), &Queues::MOST], |row| {
            Ok(QueueState {
                mails: row.get(0)?,
                oldest: row.get(1)?,
            })
        })
    }

    fn inbox_in(&self, state: State) -> Result<QueueState> {
        let values: [&dyn ToValue; 2] = [&state.word(), &Queues::MOST];
        let mails = self.db.one(&count_of_messages(), &values, |row| row.get(0))?;
        let sql = format!("SELECT received_at FROM inbox WHERE state = $1 AND {UNDONE} ORDER BY id LIMIT 1");
        let oldest = self.db.find(&sql, &[&state.word()], |row| row.get(0))?;
        Ok(QueueState { mails, oldest })
    }

    /// The totals. Needs two passes over indexes, so the cost grows with the database.
    pub fn totals(&self) -> Result<Totals> {
        let players = "SELECT COUNT(*) FROM players \
                       WHERE id > 0 AND deleted_at IS NULL AND away_since IS NULL AND disabled_at IS NULL";
        Ok(Totals {
            players: self.db.one(players, &[], |row| row.get(0))?,
            boards: self.boards_by_game()?,
            bytes: self.db.pages()?.bytes,
            complaints: self.complaints()?,
        })
    }
}

/// Counts the messages in a state, but not those in state `done`.
fn count_of_messages() -> String {
    format!(
        "SELECT COUNT(*) FROM (SELECT 1 FROM inbox WHERE state = $1 AND {UNDONE} ORDER BY id LIMIT $2) AS first"
    )
}

impl Store {
    /// Records that a backup was made.
    pub fn set_backed_up(&self, now: DateTime<Utc>) -> Result<()> {
        self.set_note(BACKED_UP, &now.timestamp_millis().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_messages_in_a_state_are_counted_by_their_index() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("test.sqlite")).unwrap();
        let plan = store.db.plan(&count_of_messages());
        assert!(
            plan.contains("USING COVERING INDEX inbox_by_state (state=?)"),
            "{plan}"
        );
    }
}
