//! The clock of a board: arithmetic alone, without a database or a time of its own.
//!
//! A player's thinking is counted, not the time between two turns: a vacation stops the clock, and it goes on from
//! where it stood. All is in whole milliseconds, as it is stored.

use chrono::{DateTime, TimeDelta, Utc};

use crate::games::Seat;

use super::Terms;

/// How long after one reminder the next one comes.
pub const REMINDED_EVERY: TimeDelta = TimeDelta::days(3);

/// How long before the end of a player's time the warning comes; and how long a player has after it, at least.
pub const WARNED_BEFORE: TimeDelta = TimeDelta::days(1);

/// How long the players of a board have thought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Each player's thinking in the turns before the present one.
    pub used: [TimeDelta; 2],
    /// The thinking in the present turn before the clock was last started.
    pub thought: TimeDelta,
    /// Since when it runs; `None` while it stands still.
    pub since: Option<DateTime<Utc>>,
    /// How long the player to move had thought when last reminded in this turn.
    pub reminded: Option<TimeDelta>,
}

/// Which of the terms a player's time ends by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// That of one turn.
    Turn,
    /// That of the whole game.
    Total,
}

/// What became of the mail that announces the end of a player's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// It is not written.
    None,
    /// It is written and not delivered.
    OnItsWay,
    /// It was delivered then, or given up.
    Settled(DateTime<Utc>),
}

/// What a clock does when its time has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    /// The player to move is reminded.
    Remind,
    /// The player to move is told that the time ends soon.
    Warn(Limit),
    /// It is looked whether the warning was delivered meanwhile.
    Look,
    /// The time of the player to move is up.
    End,
}

impl Clock {
    /// That of a board that begins now.
    #[must_use]
    pub fn started(now: DateTime<Utc>) -> Self {
        Self {
            used: [TimeDelta::zero(); 2],
            thought: TimeDelta::zero(),
            since: Some(now),
            reminded: None,
        }
    }

    /// How long the player to move has thought in this turn. A clock that was set back adds nothing.
    #[must_use]
    pub fn thinking(&self, now: DateTime<Utc>) -> TimeDelta {
        let running = self
            .since
            .map_or(0, |since| now.timestamp_millis() - since.timestamp_millis());
        self.thought + TimeDelta::milliseconds(running.max(0))
    }

    /// How long the player in this seat has thought in the whole game, if it is the one to move or not.
    #[must_use]
    pub fn total(&self, seat: Seat, to_move: Option<Seat>, now: DateTime<Utc>) -> TimeDelta {
        let used = self.used[seat.index()];
        if to_move == Some(seat) {
            used + self.thinking(now)
        } else {
            used
        }
    }

    /// After a turn of the player in this seat, or after one was taken back that this player would have answered:
    /// a new thinking begins.
    #[must_use]
    pub fn turned(&self, seat: Seat, now: DateTime<Utc>) -> Self {
        let mut used = self.used;
        used[seat.index()] += self.thinking(now);
        Self {
            used,
            ..Self::started(now)
        }
    }

    /// It stands still.
    #[must_use]
    pub fn stopped(&self, now: DateTime<Utc>) -> Self {
        Self {
            thought: self.thinking(now),
            since: None,
            ..*self
        }
    }

    /// It goes on from where it stood.
    #[must_use]
    pub fn resumed(&self, now: DateTime<Utc>) -> Self {
        Self {
            since: self.since.or(Some(now)),
            ..*self
        }
    }

    /// How long the player in this seat may think in the present turn, and by which of the terms.
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

    /// When the thinking of this turn comes to this; `None` while the clock stands still.
    fn at(&self, thinking: TimeDelta) -> Option<DateTime<Utc>> {
        self.since?.checked_add_signed(thinking - self.thought)
    }

    /// When the time of the player to move, in this seat, is up by the terms; `None` while the clock stands still.
    #[must_use]
    pub fn ends_at(&self, terms: &Terms, seat: Seat) -> Option<DateTime<Utc>> {
        self.at(self.limit(terms, seat).0)
    }

    /// When it has something to do next and what, for the player to move, in this seat. `steady_since` is since
    /// when the server has been up with a clock that nobody has set. `None` while the clock stands still.
    ///
    /// Nobody's time ends before the warning was delivered and the server has then been up for a day.
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
        // What was said when the clock of the machine was wrong does not count.
        let reminded = self.reminded.filter(|reminded| *reminded <= self.thinking(now));
        let remind_at =
            self.at(reminded.map_or(days(terms.nag_days), |reminded| reminded + REMINDED_EVERY))?;
        Some(match warning {
            _ if now < warn_at => (remind_at, Tick::Remind).min_by_time((warn_at, Tick::Warn(by))),
            Warning::None => (warn_at, Tick::Warn(by)),
            Warning::OnItsWay => (ends_at.max(now + WARNED_BEFORE), Tick::Look),
            Warning::Settled(at) => {
                let at = if at > now { steady_since } else { at };
                let end = ends_at.max(at + WARNED_BEFORE).max(steady_since + WARNED_BEFORE);
                (end, Tick::End)
            }
        })
    }

    /// When the next thing may have to be done, not later: without a look at the warnings.
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
    /// The earlier one; of two at the same time the other, so that nobody is reminded and warned at once.
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
