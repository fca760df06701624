//! Days as people say them: `Sat 12 December, 23:56 UTC`, `in three weeks`.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

/// From this many days on, a day has its year.
const FAR: i64 = 300;

/// A time: `Sat 12 December, 23:56 UTC`; `today` and `tomorrow` are named too, before the day.
#[must_use]
pub fn said(at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    said_in(Tz::UTC, at, now)
}

/// The same in this zone.
#[must_use]
pub fn said_in(zone: Tz, at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    format!("{}, {}", day_in(zone, at, now), hour_in(zone, at))
}

/// The day in [`said_in`].
#[must_use]
pub fn day_in(zone: Tz, at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let days = days_until(zone, at, now);
    let name = match days {
        0 => "today, ",
        1 => "tomorrow, ",
        _ => "",
    };
    let year = if days.abs() < FAR { "" } else { " %Y" };
    let at = at.with_timezone(&zone);
    format!("{name}{}", at.format(&format!("%a %-d %B{year}")))
}

/// The hour in [`said_in`].
#[must_use]
pub fn hour_in(zone: Tz, at: DateTime<Utc>) -> String {
    at.with_timezone(&zone).format("%H:%M %Z").to_string()
}

/// As short as it is understood: `Sat 12 December`, `tomorrow, 09:12 UTC`.
#[must_use]
pub fn brief_in(zone: Tz, at: DateTime<Utc>, now: DateTime<Utc>) -> String {
    let days = days_until(zone, at, now);
    let at = at.with_timezone(&zone);
    match days {
        0 => at.format("today, %H:%M %Z").to_string(),
        1 => at.format("tomorrow, %H:%M %Z").to_string(),
        _ => at.format("%a %-d %B").to_string(),
    }
}

/// How far away a day is: `in three weeks`. `None` for today, tomorrow and earlier days.
#[must_use]
pub fn away_in(zone: Tz, at: DateTime<Utc>, now: DateTime<Utc>) -> Option<String> {
    let days = days_until(zone, at, now);
    let (count, unit) = match days {
        ..2 => return None,
        14.. if days % 7 == 0 => (days / 7, "weeks"),
        _ => (days, "days"),
    };
    Some(format!("in {} {unit}", in_words(count)))
}

/// A day with its year: `2 November 2026`.
#[must_use]
pub fn date(at: DateTime<Utc>) -> String {
    at.format("%-d %B %Y").to_string()
}

/// The number of midnights between both.
fn days_until(zone: Tz, at: DateTime<Utc>, now: DateTime<Utc>) -> i64 {
    let [at, now] = [at, now].map(|time| time.with_timezone(&zone).date_naive());
    (at - now).num_days()
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
            assert_eq!(said(at(then), now), words);
            assert_eq!(away_in(Tz::UTC, at(then), now).as_deref(), far, "{then}");
        }
        assert_eq!(date(now), "21 November 2026");
        assert_eq!(
            brief_in(Tz::UTC, at("2026-11-22T09:12"), now),
            "tomorrow, 09:12 UTC"
        );
        assert_eq!(brief_in(Tz::UTC, at("2026-12-12T23:56"), now), "Sat 12 December");
    }
}
