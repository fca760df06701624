//! Reminders at times that a player chooses, as days before the end.

use std::fmt;
use std::str::FromStr;

use chrono::TimeDelta;

/// On which days before the end of a turn its player is reminded; without such days as the terms say. The days are those of the
/// clock, which stands still on quiet days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reminders(u64);

/// Some words are no days of reminders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Reminders come from 2 to 60 days before the end, at most five of them, such as 7 3.")]
pub struct NoReminders;

impl Reminders {
    /// The warning comes a day before the end, whatever is chosen.
    const LATEST: u32 = 2;
    const EARLIEST: u32 = 60;
    const MOST: u32 = 5;

    /// As the terms say.
    pub const USUAL: Self = Self(0);

    /// Whether the player has chosen days.
    #[must_use]
    pub const fn is_set(self) -> bool {
        self.0 != 0
    }

    /// The chosen days before the end, the earliest first.
    pub fn days(self) -> impl Iterator<Item = u32> {
        let days = (Self::LATEST..=Self::EARLIEST).rev();
        days.filter(move |day| self.0 & (1 << day) != 0)
    }

    /// At which thinking time in a turn of this limit the next reminder is sent, if the last one was sent at that thinking time.
    /// Reminders before the beginning of the turn do not count.
    #[must_use]
    pub fn next(self, limit: TimeDelta, last: Option<TimeDelta>) -> Option<TimeDelta> {
        let last = last.unwrap_or_default();
        self.days()
            .map(|day| limit - TimeDelta::days(day.into()))
            .find(|at| *at > last)
    }
}

/// `7 3`, as it is stored and as a player writes it.
impl fmt::Display for Reminders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, day) in self.days().enumerate() {
            let gap = if at == 0 { "" } else { " " };
            write!(f, "{gap}{day}")?;
        }
        Ok(())
    }
}

impl FromStr for Reminders {
    type Err = NoReminders;

    /// Numbers of days between blanks, in any order.
    fn from_str(text: &str) -> Result<Self, NoReminders> {
        let mut bits = 0_u64;
        for word in text.split_whitespace() {
            let day: u32 = word.parse().map_err(|_| NoReminders)?;
            if !(Self::LATEST..=Self::EARLIEST).contains(&day) {
                return Err(NoReminders);
            }
            bits |= 1 << day;
        }
        match bits.count_ones() <= Self::MOST {
            true => Ok(Self(bits)),
            false => Err(NoReminders),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reminders_are_read_as_they_are_printed() {
        for (text, printed) in [("", ""), ("3 7", "7 3"), ("60 2 3 3 4 5", "60 5 4 3 2")] {
            let reminders: Reminders = text.parse().unwrap();
            assert_eq!(reminders.to_string(), printed);
            assert_eq!(printed.parse(), Ok(reminders));
        }
        for text in ["1", "61", "x", "2 3 4 5 6 7", "-3", "99999999999"] {
            assert_eq!(text.parse::<Reminders>(), Err(NoReminders), "{text}");
        }
    }

    #[test]
    fn one_reminder_follows_the_other_and_none_comes_before_the_turn() {
        let reminders: Reminders = "30 7 3".parse().unwrap();
        let next = |limit, last: Option<i64>| {
            let last = last.map(TimeDelta::days);
            reminders
                .next(TimeDelta::days(limit), last)
                .map(|at| at.num_days())
        };
        assert_eq!(
            (next(21, None), next(21, Some(14)), next(21, Some(18))),
            (Some(14), Some(18), None)
        );
        assert_eq!(
            (next(7, None), next(3, None), next(40, None)),
            (Some(4), None, Some(10))
        );
        // After an outage one reminder stands for those that were missed.
        assert_eq!(next(21, Some(16)), Some(18));
    }
}
