//! Tests of quiet days: known days of 2026, and every calendar against a walk by minutes.

use proptest::prelude::*;

use super::*;

/// Summer time begins at 02:00, 02:00, never, 02:45, 00:00 and 02:00; the last one's is half an hour.
pub(crate) const ZONES: [Tz; 6] = [
    Tz::Europe__Berlin,
    Tz::America__New_York,
    Tz::Asia__Kolkata,
    Tz::Pacific__Chatham,
    Tz::Africa__Cairo,
    Tz::Australia__Lord_Howe,
];

fn at(text: &str) -> DateTime<Utc> {
    format!("{text}:00Z").parse().unwrap()
}

fn calendar(quiet: &str, zone: Tz) -> Calendar {
    Calendar::of(quiet.parse().unwrap(), zone)
}

#[test]
fn quiet_days_are_read_as_they_are_printed() {
    for bits in 0..128_u8 {
        let days = WEEK.into_iter().filter(|day| bits & bit(*day) != 0);
        let Ok(quiet) = QuietDays::of(days) else {
            assert!(bits.count_ones() > QuietDays::MOST);
            continue;
        };
        assert_eq!(quiet.to_string().parse(), Ok(quiet));
        assert_eq!(quiet.is_none(), bits == 0);
    }
    let weekend: QuietDays = "sunday SAT sat".parse().unwrap();
    assert_eq!(weekend.to_string(), "Sat Sun");
    assert_eq!("Sat Sunny".parse::<QuietDays>(), Err(NotQuiet::NoDay));
    assert_eq!("Mon Tue Wed Thu".parse::<QuietDays>(), Err(NotQuiet::TooMany));
}

#[test]
fn a_quiet_day_is_from_midnight_to_midnight_where_the_player_lives() {
    // The quiet day, and the first and the last moment of it.
    for (quiet, zone, begin, end) in [
        ("Sun", Tz::UTC, "2026-03-29T00:00", "2026-03-30T00:00"),
        // 23 hours in spring and 25 in autumn.
        ("Sun", Tz::Europe__Berlin, "2026-03-28T23:00", "2026-03-29T22:00"),
        ("Sun", Tz::Europe__Berlin, "2026-10-24T22:00", "2026-10-25T23:00"),
        (
            "Sun",
            Tz::America__New_York,
            "2026-03-08T05:00",
            "2026-03-09T04:00",
        ),
        ("Sat", Tz::Asia__Kolkata, "2026-03-27T18:30", "2026-03-28T18:30"),
        (
            "Sun",
            Tz::Pacific__Chatham,
            "2026-04-04T10:15",
            "2026-04-05T11:15",
        ),
        // Friday begins at 01:00, since there is no midnight; in autumn the Thursday before has 25 hours.
        ("Fri", Tz::Africa__Cairo, "2026-04-23T22:00", "2026-04-24T21:00"),
        ("Thu", Tz::Africa__Cairo, "2026-10-28T21:00", "2026-10-29T22:00"),
        (
            "Sun",
            Tz::Australia__Lord_Howe,
            "2026-04-04T13:00",
            "2026-04-05T13:30",
        ),
        // Samoa had no 30 December in 2011, and no such Friday.
        ("Fri", Tz::Pacific__Apia, "2012-01-05T10:00", "2012-01-06T10:00"),
    ] {
        let (calendar, [begin, end]) = (calendar(quiet, zone), [begin, end].map(at));
        let minute = TimeDelta::minutes(1);
        let quiet = [begin - minute, begin, end - minute, end].map(|at| calendar.is_quiet(at));
        assert_eq!(quiet, [false, true, true, false], "{zone}");
        assert_eq!(calendar.running(begin, end), TimeDelta::zero(), "{zone}");
        assert_eq!(
            calendar.running(begin - minute, end + minute),
            minute * 2,
            "{zone}"
        );
        assert_eq!(calendar.after(begin - minute, minute), Some(begin), "{zone}");
        assert_eq!(calendar.after(begin, minute), Some(end + minute), "{zone}");
    }
    let apia = calendar("Fri", Tz::Pacific__Apia);
    let [thursday, saturday] = [at("2011-12-29T12:00"), at("2011-12-31T12:00")];
    assert_eq!(apia.running(thursday, saturday), saturday - thursday);
}

#[test]
fn the_time_of_a_turn_goes_on_after_the_weekend() {
    let berlin = calendar("Sat Sun", Tz::Europe__Berlin);
    // Friday noon, and two days: the Monday after the clocks were set forward.
    let end = berlin.after(at("2026-03-27T11:00"), TimeDelta::days(1));
    assert_eq!(end, Some(at("2026-03-30T10:00")));
    assert_eq!(
        berlin.running(at("2026-03-27T11:00"), at("2026-03-30T10:00")),
        TimeDelta::days(1)
    );
}

#[test]
fn times_that_no_calendar_has_cost_nothing() {
    let calendar = calendar("Fri Sat Sun", Tz::Pacific__Apia);
    let [first, last] = [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC];
    for (from, to) in [(first, last), (last, first), (first, first), (last, last)] {
        assert!(calendar.running(from, to) >= TimeDelta::zero());
        let _ = calendar.is_quiet(from);
        let _ = calendar.after(from, TimeDelta::days(1));
        let _ = calendar.after(from, TimeDelta::MAX);
        let _ = calendar.after(from, TimeDelta::MIN);
    }
}

fn calendars() -> impl Strategy<Value = Calendar> {
    let quiet = prop::collection::vec(0..7_usize, 0..=3);
    (quiet, 0..ZONES.len()).prop_map(|(days, zone)| {
        let quiet = QuietDays::of(days.into_iter().map(|day| WEEK[day])).unwrap();
        Calendar::of(quiet, ZONES[zone])
    })
}

proptest! {
    #[test]
    fn a_stored_calendar_is_read_as_it_was(calendar in calendars()) {
        prop_assert_eq!(calendar.to_string().parse(), Ok(calendar));
    }

    #[test]
    fn the_two_reckonings_undo_each_other(
        calendar in calendars(), from in 1_735_689_600_000..1_900_000_000_000_i64, wait in 0..400 * 86_400_000_i64,
    ) {
        let from = DateTime::from_timestamp_millis(from).unwrap();
        let time = TimeDelta::milliseconds(wait);
        let end = calendar.after(from, time).unwrap();
        prop_assert_eq!(calendar.running(from, end), time);
        // It is the first such moment.
        if wait > 0 {
            let before = end - TimeDelta::milliseconds(1);
            prop_assert_eq!(calendar.running(from, before), time - TimeDelta::milliseconds(1));
        }
        let to = from + time;
        let run = calendar.running(from, to);
        let back = calendar.after(from, run).unwrap();
        prop_assert!(back <= to);
        // Between the two is a quiet time only.
        prop_assert_eq!(calendar.running(back, to), TimeDelta::zero());
        prop_assert!(back == to || calendar.is_quiet(back));
    }

    #[test]
    fn a_stretch_is_the_sum_of_its_parts(
        calendar in calendars(), from in 1_735_689_600_000..1_900_000_000_000_i64, first in 0..99 * 86_400_000_i64, rest in 0..99 * 86_400_000_i64,
    ) {
        let from = DateTime::from_timestamp_millis(from).unwrap();
        let middle = from + TimeDelta::milliseconds(first);
        let to = middle + TimeDelta::milliseconds(rest);
        let sum = calendar.running(from, middle) + calendar.running(middle, to);
        prop_assert_eq!(calendar.running(from, to), sum);
    }
}
