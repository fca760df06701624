//! A pause of a board, to which both players have agreed: nobody's clock runs until one of them ends it, or until a date.
//!
//! Turns are played during it as always. A vacation that ends during the pause starts no clock, nor does a pause that ends during
//! a vacation.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Board, Stale};

/// The longest pause. One without a date ends by itself after that time, so that no board stands still for ever.
pub const MAX_PAUSE: TimeDelta = TimeDelta::days(365);

impl Board {
    /// Both players have agreed to a pause until this time, or until one of them ends it. Later times than
    /// [`MAX_PAUSE`] are cut. It can move the end of a pause.
    pub fn paused(&mut self, until: Option<DateTime<Utc>>, now: DateTime<Utc>) {
        if self.end.is_some() {
            return;
        }
        let longest = now.checked_add_signed(MAX_PAUSE).unwrap_or(now);
        self.paused_until = Some(until.map_or(longest, |until| until.clamp(now, longest)));
        self.set_clock(self.clock.stopped(now));
    }

    /// The pause ends. The clock goes on, unless that of the player to move does not run for another reason. Earlier warnings
    /// named another end.
    pub fn pause_over(&mut self, is_timeless: bool, now: DateTime<Utc>) {
        if self.paused_until.take().is_none() {
            return;
        }
        self.set_clock(match is_timeless {
            true => self.clock,
            false => self.clock.resumed(now),
        });
        self.unsaved.stale = Some(Stale::All);
    }
}
