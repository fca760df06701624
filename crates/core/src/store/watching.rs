//! Figures for monitoring: counts and ages, nothing about any player.

use std::ops::ControlFlow;

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

/// The mails of an hour of the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HourOfMail {
    /// When the hour began.
    pub begins: DateTime<Utc>,
    /// Messages received.
    pub received: u32,
    /// Mails that the transport took.
    pub sent: u32,
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

/// An hour, in milliseconds.
const HOUR_MILLIS: i64 = 3_600_000;

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

    /// The mails of the last hours, the present one last. The cost is that of the mails of these hours.
    pub fn hours_of_mail(&self, now: DateTime<Utc>, hours: u32) -> Result<Vec<HourOfMail>> {
        let this = now.timestamp_millis().div_euclid(HOUR_MILLIS);
        let first = this - i64::from(hours) + 1;
        let mut found: Vec<_> = (first..=this)
            .map(|hour| HourOfMail {
                begins: time(hour * HOUR_MILLIS),
                received: 0,
                sent: 0,
            })
            .collect();
        let place = |hour: i64| usize::try_from(hour - first).ok();
        // By their numbers, since no index has their times.
        let sql = "SELECT received_at FROM inbox ORDER BY id DESC";
        self.db.each(sql, &[], |row| {
            let hour = row.get::<i64>(0)?.div_euclid(HOUR_MILLIS);
            let Some(place) = place(hour) else {
                return Ok(ControlFlow::Break(()));
            };
            if let Some(hour) = found.get_mut(place) {
                hour.received += 1;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let sql = format!(
            "SELECT settled_at / {HOUR_MILLIS}, COUNT(*) FROM outbox WHERE settled_at >= $1 AND state = $2 GROUP BY 1"
        );
        let values: [&dyn ToValue; 2] = [&(first * HOUR_MILLIS), &MailState::Sent.word()];
        let sent = self.db.all(&sql, &values, |row| Ok((row.get(0)?, row.get(1)?)))?;
        for (hour, count) in sent {
            if let Some(hour) = place(hour).and_then(|place| found.get_mut(place)) {
                hour.sent = count;
            }
        }
        Ok(found)
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
    fn mails_are_counted_by_the_hour_in_which_they_came_and_went() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(folder.path().join("test.sqlite")).unwrap();
        let now = time(500_000 * HOUR_MILLIS + 1);
        let at = |hours_ago: i64| now.timestamp_millis() - hours_ago * HOUR_MILLIS;
        for (hours_ago, state) in [
            (72, "done"),
            (47, "done"),
            (1, "refused"),
            (1, "done"),
            (0, "done"),
        ] {
            let sql = "INSERT INTO inbox (received_at, door, recipient, state) VALUES ($1, 'smtp', 'a@b.example', $2)";
            store.db.write(sql, &[&at(hours_ago), &state]).unwrap();
        }
        for (number, (hours_ago, state)) in [
            (48, "sent"),
            (47, "sent"),
            (2, "failed"),
            (0, "sent"),
            (0, "sent"),
        ]
        .into_iter()
        .enumerate()
        {
            let sql = "INSERT INTO outbox (kind, recipient, recipient_key, subject, message_id, is_reply, created_at, state, \
                       due_at, settled_at) VALUES ('page', 'a', 'a', 's', $1, 0, 0, $2, 0, $3)";
            store
                .db
                .write(sql, &[&number.to_string(), &state, &at(hours_ago)])
                .unwrap();
        }
        let hours = store.hours_of_mail(now, 48).unwrap();
        assert_eq!(hours.len(), 48);
        assert_eq!(hours[47].begins, time(500_000 * HOUR_MILLIS));
        let found: Vec<_> = (0..)
            .zip(&hours)
            .map(|(place, hour)| (place, hour.received, hour.sent))
            .filter(|(_, received, sent)| received + sent > 0)
            .collect();
        assert_eq!(found, [(0, 1, 1), (46, 2, 0), (47, 1, 2)]);
    }

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
