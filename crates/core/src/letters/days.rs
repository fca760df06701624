//! Days as people say them: `Sat 12 December, 23:56 UTC`, `in three weeks`.
//!
//! Times are said in the zone of who reads them, in letters as on pages; to strangers, and on pages for everybody, in UTC. Limits
//! count days of UTC.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

/// From this many days on, a day has its year.
const FAR: i64 = 300;

/// How times are said to one reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// The time at which it is said.
    pub now: DateTime<Utc>,
    /// The zone of the reader; UTC for everybody.
    pub zone: Tz,
}

impl Times {
    /// As everybody reads them.
    #[must_use]
    pub const fn utc(now: DateTime<Utc>) -> Self {
        Self { now, zone: Tz::UTC }
    }

    /// A time: `Sat 12 December, 23:56 UTC`; `today` and `tomorrow` are named too, before the day.
    #[must_use]
    pub fn said(self, at: DateTime<Utc>) -> String {
        format!("{}, {}", self.day(at), self.hour(at))
    }

    /// A time without a word for its day: `Sat 21 November, 00:00 UTC`.
    #[must_use]
    pub fn exact(self, at: DateTime<Utc>) -> String {
        let at = at.with_timezone(&self.zone);
        at.format("%a %-d %B, %H:%M %Z").to_string()
    }

    /// The day in [`said`](Self::said).
    #[must_use]
    pub fn day(self, at: DateTime<Utc>) -> String {
        let days = self.days_until(at);
        let name = match days {
            0 => "today, ",
            1 => "tomorrow, ",
            _ => "",
        };
        let year = if days.abs() < FAR { "" } else { " %Y" };
        let at = at.with_timezone(&self.zone);
        format!("{name}{}", at.format(&format!("%a %-d %B{year}")))
    }

    /// The hour in [`said`](Self::said).
    #[must_use]
    pub fn hour(self, at: DateTime<Utc>) -> String {
        at.with_timezone(&self.zone).format("%H:%M %Z").to_string()
    }

    /// As short as it is understood: `Sat 12 December`, `tomorrow, 09:12 UTC`.
    #[must_use]
    pub fn brief(self, at: DateTime<Utc>) -> String {
        let days = self.days_until(at);
        let at = at.with_timezone(&self.zone);
        match days {
            0 => at.format("today, %H:%M %Z").to_string(),
            1 => at.format("tomorrow, %H:%M %Z").to_string(),
            _ => at.format("%a %-d %B").to_string(),
        }
    }

    /// How far away a day is: `in three weeks`. `None` for today, tomorrow and earlier days.
    #[must_use]
    pub fn away(self, at: DateTime<Utc>) -> Option<String> {
        let days = self.days_until(at);
        let (count, unit) = match days {
            ..2 => return None,
            14.. if days % 7 == 0 => (days / 7, "weeks"),
            _ => (days, "days"),
        };
        Some(format!("in {} {unit}", in_words(count)))
    }

    /// A day with its year: `2 November 2026`.
    #[must_use]
    pub fn date(self, at: DateTime<Utc>) -> String {
        at.with_timezone(&self.zone).format("%-d %B %Y").to_string()
    }

    /// A day in a table: `2026-11-02`.
    #[must_use]
    pub fn date_in_digits(self, at: DateTime<Utc>) -> String {
        at.with_timezone(&self.zone).format("%Y-%m-%d").to_string()
    }

    /// The number of midnights until then.
    fn days_until(self, at: DateTime<Utc>) -> i64 {
        let [at, now] = [at, self.now].map(|time| time.with_timezone(&self.zone).date_naive());
        (at - now).num_days()
    }
}

fn in_words(count: i64) -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    let word = usize::try_from(count).ok().and_then(|count| WORDS.get(count));
    word.map_or_else(|| count.to_string(), |word| (*word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> DateTime<Utc> {
        format!("{text}:00Z").parse().unwrap()
    }

    #[test]
    fn a_day_is_said_as_people_say_it() {
        let now = at("2026-11-21T23:56");
        let times = Times::utc(now);
        for (then, words, far) in [
            ("2026-11-21T23:59", "today, Sat 21 November, 23:59 UTC", None),
            ("2026-11-22T09:12", "tomorrow, Sun 22 November, 09:12 UTC", None),
            (
                "2026-11-23T00:01",
                "Mon 23 November, 00:01 UTC",
                Some("in two days"),
            ),
            (
                "2026-11-28T08:00",
                "Sat 28 November, 08:00 UTC",
                Some("in seven days"),
            ),
            (
                "2026-12-04T08:00",
                "Fri 4 December, 08:00 UTC",
                Some("in 13 days"),
            ),
            (
                "2026-12-12T23:56",
                "Sat 12 December, 23:56 UTC",
                Some("in three weeks"),
            ),
            ("2027-01-03T08:00", "Sun 3 January, 08:00 UTC", Some("in 43 days")),
            (
                "2027-11-21T08:00",
                "Sun 21 November 2027, 08:00 UTC",
                Some("in 365 days"),
            ),
            ("2026-11-20T08:00", "Fri 20 November, 08:00 UTC", None),
        ] {
            assert_eq!(times.said(at(then)), words);
            assert_eq!(times.away(at(then)).as_deref(), far, "{then}");
        }
        assert_eq!(times.date(now), "21 November 2026");
        assert_eq!(times.brief(at("2026-11-22T09:12")), "tomorrow, 09:12 UTC");
        assert_eq!(times.brief(at("2026-12-12T23:56")), "Sat 12 December");
    }

    #[test]
    fn a_day_is_that_of_the_readers_zone() {
        let now = at("2026-11-21T22:30");
        let times = |zone| Times { now, zone };
        let [east, west] = [times(Tz::Pacific__Auckland), times(Tz::America__New_York)];
        assert_eq!(east.said(now), "today, Sun 22 November, 11:30 NZDT");
        assert_eq!(west.brief(at("2026-11-22T06:00")), "tomorrow, 01:00 EST");
        assert_eq!(east.date(now), "22 November 2026");
        assert_eq!(
            (east.date_in_digits(now), west.date_in_digits(now)),
            ("2026-11-22".into(), "2026-11-21".into())
        );
    }
}
