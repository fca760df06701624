//! Vacations, and the days that they use.

use chrono::{DateTime, Datelike, TimeDelta, Utc};

/// The vacation days of a player in a calendar year.
pub const DAYS_A_YEAR: u32 = 30;

/// A period in which a player's clocks are stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vacation {
    /// When it began.
    pub begun_at: DateTime<Utc>,
    /// When it ends or ended.
    pub ends_at: DateTime<Utc>,
}

impl Vacation {
    /// The days that it uses of this year. A day is 24 hours, counted from the beginning of the vacation. A day that
    /// has begun counts fully, in the year in which it begins.
    #[must_use]
    pub fn days_in(&self, year: i32) -> u32 {
        let mut days = 0;
        let mut day = self.begun_at;
        // No vacation touches more than two years.
        for _ in 0..=2 * DAYS_A_YEAR {
            if day >= self.ends_at {
                break;
            }
            days += u32::from(day.year() == year);
            day += TimeDelta::days(1);
        }
        days
    }
}

/// The most days that a vacation takes which begins by itself. If they are not enough, another one may follow.
const AUTOMATIC_DAYS: u32 = 7;

impl Vacation {
    /// The vacation that begins by itself when a player who has chosen so would lose on time: a week, or as many days as are left
    /// in its years after these vacations. `None` if no day is left.
    #[must_use]
    pub fn automatic(vacations: &[Self], now: DateTime<Utc>) -> Option<Self> {
        let fits = |vacation: &Self| {
            let years = vacation.begun_at.year()..=vacation.ends_at.year();
            years
                .into_iter()
                .all(|year| vacation.days_in(year) <= days_left(vacations, year))
        };
        let of = |days: u32| {
            Some(Self {
                begun_at: now,
                ends_at: now.checked_add_signed(TimeDelta::days(days.into()))?,
            })
        };
        (1..=AUTOMATIC_DAYS).rev().filter_map(of).find(fits)
    }
}

/// The days of this year that are left after these vacations.
#[must_use]
pub fn days_left(vacations: &[Vacation], year: i32) -> u32 {
    let taken: u32 = vacations.iter().map(|vacation| vacation.days_in(year)).sum();
    DAYS_A_YEAR.saturating_sub(taken)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::WARNED_BEFORE;

    fn vacation(begun_at: &str, ends_at: &str) -> Vacation {
        let time = |text: &str| format!("{text}:00Z").parse().unwrap();
        Vacation {
            begun_at: time(begun_at),
            ends_at: time(ends_at),
        }
    }

    #[test]
    fn a_day_that_has_begun_counts_whole() {
        for (ends_at, days) in [
            ("2026-05-01T08:00", 0),
            ("2026-05-01T08:01", 1),
            ("2026-05-02T08:00", 1),
            ("2026-05-02T08:01", 2),
            ("2026-05-31T08:00", 30),
        ] {
            assert_eq!(
                vacation("2026-05-01T08:00", ends_at).days_in(2026),
                days,
                "{ends_at}"
            );
        }
        assert_eq!(vacation("2026-05-01T08:00", "2025-05-01T08:00").days_in(2026), 0);
    }

    #[test]
    fn a_vacation_that_begins_by_itself_takes_what_is_left() {
        let now: DateTime<Utc> = "2026-12-29T08:00:00Z".parse().unwrap();
        let taken = |days: i64, year: i32| {
            let begun_at = format!("{year}-03-01T08:00:00Z").parse().unwrap();
            Vacation {
                begun_at,
                ends_at: begun_at + TimeDelta::days(days),
            }
        };
        let spring: DateTime<Utc> = "2026-05-01T08:00:00Z".parse().unwrap();
        let days = |vacations: &[Vacation], now| {
            let vacation = Vacation::automatic(vacations, now)?;
            assert_eq!(vacation.begun_at, now);
            Some((vacation.ends_at - now).num_days())
        };
        assert_eq!(days(&[], spring), Some(7));
        assert_eq!(days(&[taken(23, 2026)], spring), Some(7));
        assert_eq!(days(&[taken(28, 2026)], spring), Some(2));
        assert_eq!(days(&[taken(30, 2026)], spring), None);
        // Three days of this year and four of the next one.
        assert_eq!(days(&[], now), Some(7));
        assert_eq!(days(&[taken(28, 2026)], now), Some(2));
        assert_eq!(days(&[taken(27, 2026), taken(29, 2027)], now), Some(4));
        assert_eq!(days(&[taken(30, 2026)], now), None);
        // All thirty days, and then no more.
        let (mut vacations, mut at, mut sum) = (Vec::new(), spring, 0);
        while let Some(vacation) = Vacation::automatic(&vacations, at) {
            sum += vacation.days_in(2026);
            vacations.push(vacation);
            at = vacation.ends_at + WARNED_BEFORE;
        }
        assert_eq!((sum, vacations.len()), (DAYS_A_YEAR, 5));
    }

    #[test]
    fn each_year_has_days_of_its_own() {
        let winter = vacation("2026-12-20T08:00", "2027-01-10T08:00");
        assert_eq!((winter.days_in(2026), winter.days_in(2027)), (12, 9));
        let summer = vacation("2026-07-01T00:00", "2026-07-11T00:00");
        assert_eq!(days_left(&[winter, summer], 2026), 8);
        assert_eq!(days_left(&[winter, summer], 2027), 21);
        assert_eq!(days_left(&[winter, summer, summer, summer], 2026), 0);
    }
}
