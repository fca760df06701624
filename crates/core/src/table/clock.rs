//! The clock of a board: pure arithmetic; the current time is a parameter.
//!
//! The clock counts thinking time, not the time between two turns: a vacation stops it, and afterwards it resumes. All
//! values are whole milliseconds, as they are stored.

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_games::Seat;

use super::Terms;

/// The time between two reminders.
pub const REMINDED_EVERY: TimeDelta = TimeDelta::days(3);

/// How long before the limit the warning is sent, and the least time that a player has after its delivery.
pub const WARNED_BEFORE: TimeDelta = TimeDelta::days(1);

/// A warning that is sent so much later than it was written is written again, since the end that it names is near or past.
const MAX_DELAY: TimeDelta = TimeDelta::hours(6);

/// The thinking time of both players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Each player's thinking time in earlier turns.
    pub used: [TimeDelta; 2],
    /// The thinking time in the present turn, before the clock last started.
    pub thought: TimeDelta,
    /// When the clock last started; `None` while it is stopped.
    pub since: Option<DateTime<Utc>>,
    /// The thinking time in this turn at the last reminder.
    pub reminded: Option<TimeDelta>,
}

/// The time limits in the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// The limit for one turn.
    Turn,
    /// The limit for the whole game.
    Total,
}

/// The state of the warning mail about a time limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// Not written.
    None,
    /// Written, but not yet delivered.
    OnItsWay,
    /// Written, then sent.
    Sent {
        /// When it was written. The end that it names is a day later at the earliest.
        written: DateTime<Utc>,
        /// When it was sent.
        at: DateTime<Utc>,
    },
    /// Written, then given up: no address takes it.
    GivenUp {
        /// When it was written.
        written: DateTime<Utc>,
        /// When it was given up.
        at: DateTime<Utc>,
        /// Whether any mail of the server was sent meanwhile. If not, it is not the reader who could not be reached.
        was_sending: bool,
    },
}

/// What a clock does when it is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// Remind the player to move.
    Remind,
    /// Warn the player to move that this limit is near.
    Warn(Limit),
    /// Check whether the warning has been delivered.
    Look,
    /// The player to move has run out of time.
    End,
}

impl Clock {
    /// The clock of a new board.
    #[must_use]
    pub fn started(now: DateTime<Utc>) -> Self {
        Self {
            used: [TimeDelta::zero(); 2],
            thought: TimeDelta::zero(),
            since: Some(now),
            reminded: None,
        }
    }

    /// The thinking time in the present turn. If the machine's clock was set back, it is not negative.
    #[must_use]
    pub fn thinking(&self, now: DateTime<Utc>) -> TimeDelta {
        let running = self
            .since
            .map_or(0, |since| now.timestamp_millis() - since.timestamp_millis());
        self.thought + TimeDelta::milliseconds(running.max(0))
    }

    /// The thinking time of this seat in the whole game, whether or not it is to move.
    #[must_use]
    pub fn total(&self, seat: Seat, to_move: Option<Seat>, now: DateTime<Utc>) -> TimeDelta {
        let used = self.used[seat.index()];
        if to_move == Some(seat) {
            used + self.thinking(now)
        } else {
            used
        }
    }

    /// The clock after a turn of this seat, or after an undo of the turn that this seat would have answered: the next
    /// thinking time starts.
    #[must_use]
    pub fn turned(&self, seat: Seat, now: DateTime<Utc>) -> Self {
        let mut used = self.used;
        used[seat.index()] += self.thinking(now);
        Self {
            used,
            ..Self::started(now)
        }
    }

    /// The clock after a new player has taken this seat, with no time used. That of the other seat starts again with the time
    /// that it has used: whom its player waits for is news.
    #[must_use]
    pub fn reseated(&self, seat: Seat, to_move: Option<Seat>, now: DateTime<Utc>) -> Self {
        let mut used = self.used;
        used[seat.index()] = TimeDelta::zero();
        let clock = if to_move == Some(seat) {
            Self::started(now)
        } else {
            Self {
                thought: self.thinking(now),
                since: self.since.map(|_| now),
                ..*self
            }
        };
        Self { used, ..clock }
    }

    /// The clock with at least this much time left for this seat, which is to move; `None` if there is that much
    /// already, or if the terms never allow it. Reduces the thinking time of this turn and, if that is not enough, of
    /// earlier turns.
    #[must_use]
    pub fn extended(&self, terms: &Terms, seat: Seat, left: TimeDelta, now: DateTime<Utc>) -> Option<Self> {
        let (limit, _) = self.limit(terms, seat);
        let most = days(terms.forfeit_days.min(terms.total_days.unwrap_or(u32::MAX)));
        if left > most || limit - self.thinking(now) >= left {
            return None;
        }
        let mut used = self.used;
        if let Some(total) = terms.total_days {
            used[seat.index()] = used[seat.index()].min(days(total) - left);
        }
        let (limit, _) = Self { used, ..*self }.limit(terms, seat);
        let thought = limit - left;
        Some(Self {
            used,
            thought,
            since: self.since.map(|_| now),
            // The player was just informed of the extension; no reminder follows at once.
            reminded: (thought >= days(terms.nag_days)).then_some(thought),
        })
    }

    /// The stopped clock.
    #[must_use]
    pub fn stopped(&self, now: DateTime<Utc>) -> Self {
        Self {
            thought: self.thinking(now),
            since: None,
            ..*self
        }
    }

    /// The resumed clock.
    #[must_use]
    pub fn resumed(&self, now: DateTime<Utc>) -> Self {
        Self {
            since: self.since.or(Some(now)),
            ..*self
        }
    }

    /// The time limit for this seat in the present turn, and which of the two limits it is.
    #[must_use]
    pub fn limit(&self, terms: &Terms, seat: Seat) -> (TimeDelta, Limit) {
        let turn = days(terms.forfeit_days);
        let total = terms.total_days.map(|total| {
            let left = days(total) - self.used[seat.index()];
            left.max(TimeDelta::zero())
        });
        match total {
            Some(total) if total < turn => (total, Limit::Total),
            _ => (turn, Limit::Turn),
        }
    }

    /// When the thinking time of this turn reaches this value; `None` while the clock is stopped.
    fn at(&self, thinking: TimeDelta) -> Option<DateTime<Utc>> {
        self.since?.checked_add_signed(thinking - self.thought)
    }

    /// When this seat, which is to move, runs out of time; `None` while the clock is stopped.
    #[must_use]
    pub fn ends_at(&self, terms: &Terms, seat: Seat) -> Option<DateTime<Utc>> {
        self.at(self.limit(terms, seat).0)
    }

    /// Whether a warning about this limit, written then, counts. After a pause it does not: it named another end.
    #[must_use]
    pub fn counts(&self, by: Limit, warned_at: DateTime<Utc>) -> bool {
        // The time for the whole game goes on from turn to turn.
        let is_of_earlier_turn = by == Limit::Total && self.thought.is_zero();
        is_of_earlier_turn || self.since.is_none_or(|since| warned_at >= since)
    }

    /// Whether the end that a warning names, which was written then, still holds. The server has been running since
    /// `steady_since`; if that is later, nobody loses before a day after it.
    fn still_ends(
        ends_at: DateTime<Utc>,
        written: DateTime<Utc>,
        steady_since: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> bool {
        let named = ends_at.max(written + WARNED_BEFORE);
        // In the future it was written by a clock that was wrong.
        written <= now && (steady_since <= written || steady_since + WARNED_BEFORE <= named)
    }

    /// What the clock does next for this seat, which is to move, and when; `None` while the clock is stopped.
    /// `steady_since` is the time since which the server has been running without a change of the machine's clock.
    ///
    /// A player forfeits only after a warning that named the end was sent, and the server has then been running for a day. After
    /// an outage that moves the end, and if the warning was sent late, another one names the new end.
    #[must_use]
    pub fn next(
        &self,
        terms: &Terms,
        seat: Seat,
        warning: Warning,
        steady_since: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Option<(DateTime<Utc>, Tick)> {
        let (limit, by) = self.limit(terms, seat);
        let ends_at = self.at(limit)?;
        let warn_at = self.at(limit - WARNED_BEFORE)?;
        // A reminder beyond the present thinking time was sent while the machine's clock was wrong; ignore it.
        let reminded = self.reminded.filter(|reminded| *reminded <= self.thinking(now));
        let remind_at =
            self.at(reminded.map_or(days(terms.nag_days), |reminded| reminded + REMINDED_EVERY))?;
        Some(match warning {
            _ if now < warn_at => (remind_at, Tick::Remind).min_by_time((warn_at, Tick::Warn(by))),
            Warning::None => (warn_at, Tick::Warn(by)),
            Warning::OnItsWay => (ends_at.max(now + WARNED_BEFORE), Tick::Look),
            Warning::Sent { written, at }
            | Warning::GivenUp {
                written,
                at,
                was_sending: false,
            } if at - written > MAX_DELAY => (warn_at, Tick::Warn(by)),
            Warning::Sent { written, .. } | Warning::GivenUp { written, .. }
                if !Self::still_ends(ends_at, written, steady_since, now) =>
            {
                (warn_at, Tick::Warn(by))
            }
            Warning::Sent { at, .. } | Warning::GivenUp { at, .. } => {
                let at = if at > now { steady_since } else { at };
                let end = ends_at.max(at + WARNED_BEFORE).max(steady_since + WARNED_BEFORE);
                (end, Tick::End)
            }
        })
    }

    /// The earliest time at which something may be due, without looking at the warnings.
    #[must_use]
    pub fn due_at(&self, terms: &Terms, seat: Seat) -> Option<DateTime<Utc>> {
        let nag = days(terms.nag_days);
        let remind = self
            .reminded
            .map_or(nag, |reminded| nag.min(reminded + REMINDED_EVERY));
        let warn = self.limit(terms, seat).0 - WARNED_BEFORE;
        self.at(remind.min(warn))
    }
}

trait Earlier: Sized {
    fn min_by_time(self, other: Self) -> Self;
}

impl Earlier for (DateTime<Utc>, Tick) {
    /// The earlier action; at equal times `other`, so that a player does not get a reminder and a warning at once.
    fn min_by_time(self, other: Self) -> Self {
        if self.0 < other.0 { self } else { other }
    }
}

fn days(count: u32) -> TimeDelta {
    TimeDelta::days(i64::from(count))
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;
