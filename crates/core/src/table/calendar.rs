//! Days of the week on which a player's clocks stand still, as exact arithmetic.
//!
//! A quiet day lasts from midnight to midnight in the player's zone, so it has 23 or 25 hours when summer time begins or ends.
//! [`Calendar::running`] says how long a clock has run between two moments, and [`Calendar::after`] when it has run so long. Each
//! undoes the other.
//!
//! Known limit: a zone that sets its clocks back across midnight, not at it, has two midnights of one date. The day then begins at
//! one of them. No zone has done so since 2011.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveTime, Offset, TimeDelta, TimeZone, Utc, Weekday};
use chrono_tz::Tz;

const WEEK: [Weekday; 7] = [
    Weekday::Mon,
    Weekday::Tue,
    Weekday::Wed,
    Weekday::Thu,
    Weekday::Fri,
    Weekday::Sat,
    Weekday::Sun,
];

/// No clock is asked about more than this. A machine's clock that was wrong by centuries costs no time.
const HORIZON: TimeDelta = TimeDelta::days(100 * 366);

/// The days of the week on which a player does not play: none, or at most [`MOST`](Self::MOST).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietDays(u8);

/// Why some words are not quiet days. It prints as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotQuiet {
    /// A word is no day of the week.
    #[error("Quiet days are days of the week, such as Sat Sun.")]
    NoDay,
    /// There are too many.
    #[error("At most three days of the week can be quiet, so that every game goes on.")]
    TooMany,
}

impl QuietDays {
    /// No day is quiet.
    pub const NONE: Self = Self(0);

    /// With more, an opponent would wait too long.
    pub const MOST: u32 = 3;

    /// These days; one that is named twice counts once.
    ///
    /// # Errors
    ///
    /// They are more than [`MOST`](Self::MOST).
    pub fn of(days: impl IntoIterator<Item = Weekday>) -> Result<Self, NotQuiet> {
        let bits = days.into_iter().fold(0, |bits, day| bits | bit(day));
        match u8::count_ones(bits) <= Self::MOST {
            true => Ok(Self(bits)),
            false => Err(NotQuiet::TooMany),
        }
    }

    /// Whether no day is quiet.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// Whether this day is quiet.
    #[must_use]
    pub fn has(self, day: Weekday) -> bool {
        self.0 & bit(day) != 0
    }
}

fn bit(day: Weekday) -> u8 {
    1 << day.num_days_from_monday()
}

/// `Sat Sun`, as it is stored and as a player writes it; nothing if no day is quiet.
impl fmt::Display for QuietDays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let days = WEEK.into_iter().filter(|day| self.has(*day));
        for (at, day) in days.enumerate() {
            let gap = if at == 0 { "" } else { " " };
            write!(f, "{gap}{day}")?;
        }
        Ok(())
    }
}

impl FromStr for QuietDays {
    type Err = NotQuiet;

    /// Names of days between blanks, whole or the first three letters, in any case and order.
    fn from_str(text: &str) -> Result<Self, NotQuiet> {
        let days = text.split_whitespace().map(str::parse);
        let days: Result<Vec<_>, _> = days.collect();
        Self::of(days.map_err(|_| NotQuiet::NoDay)?)
    }
}

/// When a player's clocks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Calendar {
    quiet: QuietDays,
    zone: Tz,
}

/// `Sat Sun Europe/Berlin`, as it is stored; nothing if clocks always run.
impl fmt::Display for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.quiet.is_none() {
            true => Ok(()),
            false => write!(f, "{} {}", self.quiet, self.zone.name()),
        }
    }
}

impl FromStr for Calendar {
    type Err = NotQuiet;

    fn from_str(text: &str) -> Result<Self, NotQuiet> {
        let Some((quiet, zone)) = text.rsplit_once(' ') else {
            return match text.is_empty() {
                true => Ok(Self::ALWAYS),
                false => Err(NotQuiet::NoDay),
            };
        };
        // A zone that a later table of zones no longer has counts as UTC.
        Ok(Self::of(quiet.parse()?, zone.parse().unwrap_or(Tz::UTC)))
    }
}

impl Calendar {
    /// Clocks always run.
    pub const ALWAYS: Self = Self::of(QuietDays::NONE, Tz::UTC);

    /// Clocks stand still on these days, from midnight to midnight in this zone.
    #[must_use]
    pub const fn of(quiet: QuietDays, zone: Tz) -> Self {
        // Without quiet days all zones are alike.
        let zone = if quiet.is_none() { Tz::UTC } else { zone };
        Self { quiet, zone }
    }

    /// The days on which clocks stand still.
    #[must_use]
    pub const fn quiet(&self) -> QuietDays {
        self.quiet
    }

    /// Whether clocks stand still at this moment.
    #[must_use]
    pub fn is_quiet(&self, at: DateTime<Utc>) -> bool {
        date(at, self.zone).is_some_and(|date| self.quiet.has(date.weekday()))
    }

    /// How long a clock runs between two moments, in whole milliseconds. Nothing if the second is the earlier one, as when the
    /// machine's clock was set back.
    #[must_use]
    pub fn running(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> TimeDelta {
        let [from, to] = [from, to].map(whole);
        if self.quiet.is_none() {
            return (to - from).max(TimeDelta::zero());
        }
        let to = to.min(from.checked_add_signed(HORIZON).unwrap_or(to));
        let quiet: TimeDelta = self
            .quiet_from(from)
            .take_while(|(begin, _)| *begin < to)
            .map(|(begin, end)| end.min(to) - begin.max(from))
            .sum();
        (to - from - quiet).max(TimeDelta::zero())
    }

    /// The first moment at which a clock that was started at `from` has run so long. A negative time is counted back without a
    /// look at quiet days: then it is over already. `None` if it is beyond all calendars.
    #[must_use]
    pub fn after(&self, from: DateTime<Utc>, running: TimeDelta) -> Option<DateTime<Utc>> {
        let end = from.checked_add_signed(running)?;
        if self.quiet.is_none() || running <= TimeDelta::zero() {
            return Some(end);
        }
        let horizon = from.checked_add_signed(HORIZON)?;
        // Each quiet day before the end puts the end off by its length, or by what is left of it.
        let mut end = end;
        for (begin, over) in self.quiet_from(from).take_while(|(begin, _)| *begin < horizon) {
            if end <= begin {
                break;
            }
            end = end.checked_add_signed(over - begin.max(from))?;
        }
        Some(end)
    }

    /// The quiet days that end after this moment, in their order.
    fn quiet_from(&self, from: DateTime<Utc>) -> impl Iterator<Item = (DateTime<Utc>, DateTime<Utc>)> {
        let Self { quiet, zone } = *self;
        let today = date(from, zone);
        (0..)
            .map_while(move |after| today?.checked_add_days(Days::new(after)))
            .filter(move |date| quiet.has(date.weekday()))
            .map_while(move |date| Some((midnight(date, zone)?, midnight(date.succ_opt()?, zone)?)))
            .filter(move |(_, end)| *end > from)
    }
}

/// The date in this zone; `None` beyond all calendars.
fn date(at: DateTime<Utc>, zone: Tz) -> Option<NaiveDate> {
    Some(at.checked_add_signed(offset(at, zone))?.date_naive())
}

fn offset(at: DateTime<Utc>, zone: Tz) -> TimeDelta {
    let offset = zone.offset_from_utc_datetime(&at.naive_utc()).fix();
    TimeDelta::seconds(offset.local_minus_utc().into())
}

/// The first moment of a date in this zone: 01:00 where summer time begins at midnight.
fn midnight(date: NaiveDate, zone: Tz) -> Option<DateTime<Utc>> {
    let named = Utc.from_utc_datetime(&date.and_time(NaiveTime::MIN));
    let second = TimeDelta::seconds(1);
    let here = offset(named, zone);
    let guess = named.checked_sub_signed(here)?;
    if offset(guess, zone) == here && offset(guess.checked_sub_signed(second)?, zone) == here {
        return Some(guess);
    }
    // The offset changes near this midnight. No zone is further from UTC than 14 hours.
    let near = TimeDelta::hours(26);
    let [mut before, mut begun] = [named.checked_sub_signed(near)?, named.checked_add_signed(near)?];
    while begun - before > second {
        let middle = before + TimeDelta::seconds((begun - before).num_seconds() / 2);
        match self::date(middle, zone)? >= date {
            true => begun = middle,
            false => before = middle,
        }
    }
    Some(begun)
}

/// A moment as it is stored, in whole milliseconds.
fn whole(at: DateTime<Utc>) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(at.timestamp_millis()).unwrap_or(at)
}

#[cfg(test)]
#[path = "calendar_tests.rs"]
pub(super) mod tests;
