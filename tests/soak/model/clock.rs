//! The clock of a board, as `help clocks` describes it: reminders, a warning a day before the end, the end.

use pbmserv_games::Seat;

use super::DAY;

/// The next event of a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tick {
    Remind,
    /// Whether the time of the whole game ends.
    Warn(bool),
    End,
}

/// A clock.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    pub(crate) nag_days: i64,
    pub(crate) forfeit_days: i64,
    pub(crate) total_days: Option<i64>,
    /// Each player's thinking time in earlier turns.
    pub(crate) used: [i64; 2],
    /// The thinking time of this turn before the clock was last started.
    pub(crate) thought: i64,
    /// The time of that start.
    pub(crate) since: Option<i64>,
    /// The thinking time at the last reminder.
    pub(crate) reminded: Option<i64>,
    /// When the player to move was warned about the time of the turn.
    pub(crate) warned: Option<i64>,
    /// When each player was warned about the time of the game.
    pub(crate) warned_of_total: [Option<i64>; 2],
}

impl Clock {
    pub(crate) const fn started(nag_days: i64, forfeit_days: i64, total_days: Option<i64>, now: i64) -> Self {
        Self {
            nag_days,
            forfeit_days,
            total_days,
            used: [0; 2],
            thought: 0,
            since: Some(now),
            reminded: None,
            warned: None,
            warned_of_total: [None; 2],
        }
    }

    pub(crate) fn thinking(&self, now: i64) -> i64 {
        self.thought + self.since.map_or(0, |since| (now - since).max(0))
    }

    /// A turn of the player in this seat ended, or a turn was taken back in it; the next clock stands still if its
    /// player is away.
    pub(crate) fn turned(&mut self, seat: Seat, is_next_away: bool, now: i64) {
        self.used[seat.index()] += self.thinking(now);
        self.thought = 0;
        self.since = (!is_next_away).then_some(now);
        (self.reminded, self.warned) = (None, None);
    }

    pub(crate) fn stop(&mut self, now: i64) {
        self.thought = self.thinking(now);
        self.since = None;
    }

    pub(crate) fn resume(&mut self, now: i64) {
        self.since = self.since.or(Some(now));
    }

    /// The next event for the player in this seat, and its time.
    pub(crate) fn next(&self, seat: Seat, steady_since: i64, now: i64) -> Option<(i64, Tick)> {
        let since = self.since?;
        let turn = self.forfeit_days * DAY;
        let total = self
            .total_days
            .map(|days| (days * DAY - self.used[seat.index()]).max(0));
        let (limit, is_total) = match total {
            Some(total) if total < turn => (total, true),
            _ => (turn, false),
        };
        let at = |thinking: i64| since + thinking - self.thought;
        let (ends_at, warn_at) = (at(limit), at(limit - DAY));
        let remind_at = at(self
            .reminded
            .map_or(self.nag_days * DAY, |reminded| reminded + 3 * DAY));
        let warned = if is_total {
            self.warned_of_total[seat.index()]
        } else {
            self.warned
        };
        Some(match warned {
            _ if now < warn_at && remind_at < warn_at => (remind_at, Tick::Remind),
            None => (warn_at, Tick::Warn(is_total)),
            _ if now < warn_at => (warn_at, Tick::Warn(is_total)),
            // An outage, or a clock that was set, has moved the end that it names.
            Some(warned)
                if warned > now
                    || (steady_since > warned && steady_since + DAY > ends_at.max(warned + DAY)) =>
            {
                (warn_at, Tick::Warn(is_total))
            }
            Some(warned) => (ends_at.max(warned + DAY).max(steady_since + DAY), Tick::End),
        })
    }
}
