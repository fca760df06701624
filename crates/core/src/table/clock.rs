//! The clock of a board: pure arithmetic; the current time is a parameter.
//!
//! The clock counts thinking time, not the time between two turns: a vacation stops it, and afterwards it resumes; it stands still
//! on the quiet days of the player to move. All values are whole milliseconds, as they are stored.
//!
//! A turn keeps the calendar and the reminders with which it began. Otherwise a player could put off the end for ever by naming each
//! day quiet when it comes, and letters that were sent would name ends that no longer hold.

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_games::Seat;

use super::{Calendar, Refill, Reminders, Terms};

/// The time between two reminders.
pub const REMINDED_EVERY: TimeDelta = TimeDelta::days(3);

/// How long before the limit the warning is sent, and the least time that a player has after its delivery.
pub const WARNED_BEFORE: TimeDelta = TimeDelta::days(1);

/// A warning that is sent so much later than it was written is written again, since the end that it names is near or past.
const MAX_DELAY: TimeDelta = TimeDelta::hours(6);

/// The thinking time of both players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Each player's thinking time in earlier turns, without what the terms gave back.
    pub used: [TimeDelta; 2],
    /// The thinking time in the present turn, before the clock last started.
    pub thought: TimeDelta,
    /// When the clock last started; `None` while it is stopped.
    pub since: Option<DateTime<Utc>>,
    /// The thinking time in this turn at the last reminder.
    pub reminded: Option<TimeDelta>,
    /// When the clock of this turn runs.
    pub calendar: Calendar,
    /// When the player to move is reminded in this turn.
    pub reminders: Reminders,
}

/// What a player's settings and state mean for the player's clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Presence {
    /// The clock does not run: on vacation, and always for a computer.
    pub is_timeless: bool,
    /// For turns that begin now.
    pub calendar: Calendar,
    /// For turns that begin now.
    pub reminders: Reminders,
}

impl Presence {
    /// There, without quiet days.
    pub const HERE: Self = Self {
        is_timeless: false,
        calendar: Calendar::ALWAYS,
        reminders: Reminders::USUAL,
    };
}

/// The turns that a player has just played at once; none if the player only stopped thinking, as when a turn is taken back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnsPlayed {
    /// How many.
    pub count: u32,
    /// How many of this player the game has now, with these.
    pub of_player: u32,
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
            calendar: Calendar::ALWAYS,
            reminders: Reminders::USUAL,
        }
    }

    /// The clock of a turn that this player begins.
    #[must_use]
    pub fn of(&self, presence: &Presence, now: DateTime<Utc>) -> Self {
        let clock = Self {
            calendar: presence.calendar,
            reminders: presence.reminders,
            ..*self
        };
        if presence.is_timeless {
            clock.stopped(now)
        } else {
            clock
        }
    }

    /// The thinking time in the present turn. If the machine's clock was set back, it is not negative.
    #[must_use]
    pub fn thinking(&self, now: DateTime<Utc>) -> TimeDelta {
        let running = self.since.map(|since| self.calendar.running(since, now));
        self.thought + running.unwrap_or_default()
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

    /// The clock after turns of this seat, or after an undo of the turn that this seat would have answered: the next
    /// thinking time starts, without a player's calendar yet.
    #[must_use]
    pub fn turned(&self, terms: &Terms, seat: Seat, turns: TurnsPlayed, now: DateTime<Utc>) -> Self {
        let mut used = self.used;
        let spent = used[seat.index()] + self.thinking(now);
        used[seat.index()] = given_back(terms, spent, turns);
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
            reminded: (self.reminders.is_set() || thought >= days(terms.nag_days)).then_some(thought),
            ..*self
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

    /// The time limit for this seat in the present turn, and which of the two limits it is. A bank that is refilled is a limit of
    /// the turn: each turn begins with another bank, so a warning holds for one turn.
    #[must_use]
    pub fn limit(&self, terms: &Terms, seat: Seat) -> (TimeDelta, Limit) {
        let turn = days(terms.forfeit_days);
        let total = terms.total_days.map(|total| {
            let left = days(total) - self.used[seat.index()];
            left.max(TimeDelta::zero())
        });
        match total {
            Some(total) if total < turn => match terms.refill {
                Refill::Never => (total, Limit::Total),
                Refill::EachTurn { .. } | Refill::Every { .. } => (total, Limit::Turn),
            },
            _ => (turn, Limit::Turn),
        }
    }

    /// When the thinking time of this turn reaches this value; `None` while the clock is stopped.
    fn at(&self, thinking: TimeDelta) -> Option<DateTime<Utc>> {
        self.calendar.after(self.since?, thinking - self.thought)
    }

    /// When a day of this turn is over that begins then: the least that a player has after a warning.
    #[must_use]
    pub fn a_day_after(&self, at: DateTime<Utc>) -> DateTime<Utc> {
        let end = self.calendar.after(at, WARNED_BEFORE);
        end.unwrap_or(DateTime::<Utc>::MAX_UTC)
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
        &self,
        ends_at: DateTime<Utc>,
        written: DateTime<Utc>,
        steady_since: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> bool {
        let named = ends_at.max(self.a_day_after(written));
        // In the future it was written by a clock that was wrong.
        written <= now && (steady_since <= written || self.a_day_after(steady_since) <= named)
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
        let warn = limit - WARNED_BEFORE;
        let warn_at = self.at(warn)?;
        // A reminder beyond the present thinking time was sent while the machine's clock was wrong; ignore it.
        let reminded = self.reminded.filter(|reminded| *reminded <= self.thinking(now));
        let remind = match self.reminders.is_set() {
            true => self.reminders.next(limit, reminded),
            false => Some(reminded.map_or(days(terms.nag_days), |reminded| reminded + REMINDED_EVERY)),
        };
        Some(match warning {
            _ if now < warn_at => match remind {
                // At equal times only the warning is sent.
                Some(remind) if remind < warn => (self.at(remind)?, Tick::Remind),
                _ => (warn_at, Tick::Warn(by)),
            },
            Warning::None => (warn_at, Tick::Warn(by)),
            Warning::OnItsWay => (ends_at.max(now + WARNED_BEFORE), Tick::Look),
            Warning::Sent { written, at }
            | Warning::GivenUp {
                written,
                at,
                was_sending: false,
            } if at - written > MAX_DELAY => (warn_at, Tick::Warn(by)),
            Warning::Sent { written, .. } | Warning::GivenUp { written, .. }
                if !self.still_ends(ends_at, written, steady_since, now) =>
            {
                (warn_at, Tick::Warn(by))
            }
            Warning::Sent { at, .. } | Warning::GivenUp { at, .. } => {
                let at = if at > now { steady_since } else { at };
                let day = self.a_day_after(at.max(steady_since));
                (ends_at.max(day), Tick::End)
            }
        })
    }

    /// The earliest time at which something may be due, without looking at the warnings.
    #[must_use]
    pub fn due_at(&self, terms: &Terms, seat: Seat) -> Option<DateTime<Utc>> {
        let (limit, _) = self.limit(terms, seat);
        let nag = days(terms.nag_days);
        let remind = match self.reminders.is_set() {
            true => self.reminders.next(limit, None),
            false => Some(
                self.reminded
                    .map_or(nag, |reminded| nag.min(reminded + REMINDED_EVERY)),
            ),
        };
        let warn = limit - WARNED_BEFORE;
        self.at(remind.map_or(warn, |remind| remind.min(warn)))
    }
}

/// What counts as used of this time after these turns.
fn given_back(terms: &Terms, spent: TimeDelta, turns: TurnsPlayed) -> TimeDelta {
    let TurnsPlayed { count, of_player } = turns;
    // An empty bank has no debts: what was thought between its end and the turn is forgotten.
    let of_bank = spent.min(terms.total_days.map_or(spent, days));
    match terms.refill {
        Refill::Never => spent,
        Refill::EachTurn { days: added } => {
            let left = of_bank - days(added.saturating_mul(count));
            left.max(TimeDelta::zero())
        }
        Refill::Every { turns } => {
            let periods = |played: u32| played.checked_div(turns);
            match periods(of_player) == periods(of_player.saturating_sub(count)) {
                true => of_bank,
                false => TimeDelta::zero(),
            }
        }
    }
}

fn days(count: u32) -> TimeDelta {
    TimeDelta::days(i64::from(count))
}

#[cfg(test)]
#[path = "clock_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "clock_simulated_tests.rs"]
mod simulated;
