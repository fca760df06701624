//! Tests of clock arithmetic, and properties of arbitrary clocks.

use proptest::prelude::*;

use super::*;

fn at(minutes: i64) -> DateTime<Utc> {
    let start: DateTime<Utc> = "2026-11-20T08:00:00Z".parse().unwrap();
    start + TimeDelta::minutes(minutes)
}

const DAY: i64 = 24 * 60;

fn terms(nag_days: u32, forfeit_days: u32, total_days: Option<u32>) -> Terms {
    Terms {
        nag_days,
        forfeit_days,
        total_days,
        ..Terms::default()
    }
}

/// Everything that a clock does until the time is up, with the minute of each action. Each action happens when it is
/// due, and each mail is delivered after `delivery` minutes.
fn life(terms: &Terms, clock: Clock, delivery: i64) -> Vec<(Tick, i64)> {
    let (mut clock, mut warning) = (clock, Warning::None);
    let (mut actions, mut now) = (Vec::new(), at(0));
    for _ in 0..10_000 {
        let (due, tick) = clock.next(terms, Seat::First, warning, at(0), now).unwrap();
        assert!(due >= now || actions.is_empty(), "{actions:?}");
        now = now.max(due);
        actions.push((tick, (now - at(0)).num_minutes()));
        match tick {
            Tick::Remind => clock.reminded = Some(clock.thinking(now)),
            Tick::Warn(_) => {
                warning = Warning::OnItsWay;
                let (look, tick) = clock.next(terms, Seat::First, warning, at(0), now).unwrap();
                assert!(look > now && tick == Tick::Look);
                let written = now;
                now += TimeDelta::minutes(delivery);
                warning = Warning::Sent { written, at: now };
            }
            Tick::Look => unreachable!(),
            Tick::End => return actions,
        }
    }
    panic!("{actions:?}");
}

#[test]
fn the_turn_that_is_thought_about_counts_for_the_player_to_move_alone() {
    let clock = Clock::started(at(0)).turned(&Terms::default(), Seat::First, TurnsPlayed::default(), at(50));
    let total = |seat| clock.total(seat, Some(Seat::Second), at(70)).num_minutes();
    assert_eq!((total(Seat::First), total(Seat::Second)), (50, 20));
}

#[test]
fn a_reminder_comes_after_seven_days_and_every_three_and_the_warning_a_day_before_the_end() {
    let days = [7, 10, 13, 16, 19].map(|day| (Tick::Remind, day * DAY));
    let end = [(Tick::Warn(Limit::Turn), 20 * DAY), (Tick::End, 21 * DAY)];
    let clock = Clock::started(at(0));
    assert_eq!(life(&Terms::default(), clock, 0), [&days[..], &end[..]].concat());
}

#[test]
fn the_time_of_the_whole_game_counts_where_it_is_shorter() {
    let mut clock = Clock::started(at(0));
    clock.used = [TimeDelta::days(27), TimeDelta::zero()];
    let terms = terms(7, 21, Some(30));
    let end = [(Tick::Warn(Limit::Total), 2 * DAY), (Tick::End, 3 * DAY)];
    assert_eq!(life(&terms, clock, 0), end);
    assert_eq!(
        clock.limit(&terms, Seat::Second),
        (TimeDelta::days(21), Limit::Turn)
    );
    clock.used[0] = TimeDelta::days(99);
    assert_eq!(
        clock.limit(&terms, Seat::First),
        (TimeDelta::zero(), Limit::Total)
    );
}

#[test]
fn no_time_is_up_before_a_day_after_the_warning_and_after_the_start() {
    let (clock, terms) = (Clock::started(at(0)), Terms::default());
    let next = |warning, steady: i64, now: i64| {
        let (due, tick) = clock
            .next(&terms, Seat::First, warning, at(steady), at(now))
            .unwrap();
        ((due - at(0)).num_minutes(), tick)
    };
    // Down for a month: first the warning, at once, and nothing else.
    let (due, tick) = next(Warning::None, 30 * DAY, 30 * DAY);
    assert_eq!((due, tick), (20 * DAY, Tick::Warn(Limit::Turn)));
    let sent = |written, sent| Warning::Sent {
        written: at(written),
        at: at(sent),
    };
    let warned = sent(30 * DAY, 30 * DAY + 5);
    assert_eq!(next(warned, 30 * DAY, 30 * DAY + 5), (31 * DAY + 5, Tick::End));
    let again = (20 * DAY, Tick::Warn(Limit::Turn));
    // Warned in time, then down until long after the limit: another end is to be named.
    let warned = sent(20 * DAY, 20 * DAY);
    assert_eq!(next(warned, 40 * DAY, 40 * DAY), again);
    assert_eq!(next(warned, 20 * DAY + 1, 20 * DAY + 1), again);
    // So is one if the warning was sent after hours, whoever was to blame.
    assert_eq!(
        next(sent(20 * DAY, 20 * DAY + 6 * 60), 0, 21 * DAY),
        (21 * DAY + 6 * 60, Tick::End)
    );
    assert_eq!(next(sent(20 * DAY, 23 * DAY), 0, 23 * DAY), again);
    // Nobody waits for ever for an address that takes no mail.
    let given_up = |was_sending| Warning::GivenUp {
        written: at(20 * DAY),
        at: at(25 * DAY),
        was_sending,
    };
    assert_eq!(next(given_up(true), 0, 25 * DAY), (26 * DAY, Tick::End));
    // But the relay may have been away.
    assert_eq!(next(given_up(false), 0, 25 * DAY), again);
    // The warning was written in the future: the machine's clock was set back.
    let warned = sent(400 * DAY, 400 * DAY);
    assert_eq!(next(warned, 22 * DAY, 22 * DAY), again);
    // A warning that came much too early does not count either.
    assert_eq!(next(warned, 3 * DAY, 3 * DAY), (7 * DAY, Tick::Remind));
    // Without delivery the game does not end, however late it is.
    assert_eq!(next(Warning::OnItsWay, 0, 50 * DAY), (51 * DAY, Tick::Look));
}

#[test]
fn reminders_sent_while_the_clock_was_wrong_do_not_count() {
    let mut clock = Clock::started(at(0));
    clock.reminded = Some(TimeDelta::days(300));
    let (terms, now) = (Terms::default(), at(DAY));
    let next = clock.next(&terms, Seat::First, Warning::None, now, now);
    assert_eq!(next, Some((at(7 * DAY), Tick::Remind)));
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Turn,
    Stop,
    Resume,
}

fn steps() -> impl Strategy<Value = Vec<(Step, i64)>> {
    let step = prop_oneof![Just(Step::Turn), Just(Step::Stop), Just(Step::Resume)];
    prop::collection::vec((step, 0..20 * DAY), 0..30)
}

proptest! {
    #[test]
    fn every_minute_in_which_the_clock_runs_is_thought_by_one_player_once(steps in steps(), rest in 0..DAY) {
        let (mut clock, mut seat, mut minutes, mut running) = (Clock::started(at(0)), Seat::First, 0, 0);
        for (step, wait) in steps {
            running += if clock.since.is_some() { wait } else { 0 };
            minutes += wait;
            let before = clock.thinking(at(minutes));
            match step {
                Step::Turn => {
                    clock = clock.turned(&Terms::default(), seat, TurnsPlayed::default(), at(minutes));
                    seat = seat.other();
                }
                Step::Stop => clock = clock.stopped(at(minutes)),
                Step::Resume => clock = clock.resumed(at(minutes)),
            }
            if !matches!(step, Step::Turn) {
                prop_assert_eq!(clock.thinking(at(minutes)), before);
            }
        }
        running += if clock.since.is_some() { rest } else { 0 };
        let now = at(minutes + rest);
        let sum = Seat::BOTH.map(|one| clock.total(one, Some(seat), now));
        prop_assert_eq!(sum[0] + sum[1], TimeDelta::minutes(running));
    }

    #[test]
    fn no_time_is_negative_however_the_clock_is_set(steps in steps(), jumps in prop::collection::vec(-900 * DAY..900 * DAY, 30)) {
        let (mut clock, mut seat) = (Clock::started(at(0)), Seat::First);
        for ((step, _), jump) in steps.into_iter().zip(jumps) {
            let now = at(jump);
            prop_assert!(clock.thinking(now) >= TimeDelta::zero());
            prop_assert!(clock.thinking(now) <= clock.thinking(now + TimeDelta::minutes(1)));
            match step {
                Step::Turn => {
                    clock = clock.turned(&Terms::default(), seat, TurnsPlayed::default(), now);
                    seat = seat.other();
                }
                Step::Stop => clock = clock.stopped(now),
                Step::Resume => clock = clock.resumed(now),
            }
            prop_assert!(clock.used.iter().all(|used| *used >= TimeDelta::zero()));
            prop_assert!(clock.limit(&terms(7, 21, Some(30)), seat).0 >= TimeDelta::zero());
        }
    }

    #[test]
    fn each_thing_comes_once_in_its_order_and_the_end_a_day_after_the_warning(
        nag in 1..60_u32, forfeit in 1..60_u32, total in prop::option::of(1..60_u32),
        used in 0..90 * DAY, thought in 0..90 * DAY, delivery in 0..6 * 60_i64,
    ) {
        let terms = terms(nag, forfeit, total);
        let mut clock = Clock::started(at(0));
        clock.used[0] = TimeDelta::minutes(used);
        clock.thought = TimeDelta::minutes(thought);
        let actions = life(&terms, clock, delivery);
        let [.., (Tick::Warn(_), warned), (Tick::End, end)] = actions.as_slice() else {
            return Err(TestCaseError::fail(format!("{actions:?}")));
        };
        prop_assert!(*end >= warned + delivery + DAY);
        let limit = clock.limit(&terms, Seat::First).0.num_minutes() - thought;
        prop_assert_eq!(*end, limit.max(warned + delivery + DAY));
        let reminders = &actions[..actions.len() - 2];
        prop_assert!(reminders.iter().all(|(tick, _)| *tick == Tick::Remind));
        prop_assert!(reminders.windows(2).all(|two| two[1].1 >= two[0].1 + 3 * DAY));
        prop_assert!(reminders.last().is_none_or(|last| last.1 < *warned));
    }

    #[test]
    fn the_stored_due_time_is_never_too_late(
        nag in 1..60_u32, forfeit in 1..60_u32, total in prop::option::of(1..60_u32),
        used in 0..90 * DAY, thought in 0..90 * DAY, reminded in prop::option::of(0..90 * DAY),
        settled in prop::option::of(-90 * DAY..90 * DAY), now in 0..90 * DAY,
    ) {
        let terms = terms(nag, forfeit, total);
        let clock = Clock {
            used: [TimeDelta::minutes(used), TimeDelta::zero()],
            thought: TimeDelta::minutes(thought),
            reminded: reminded.map(TimeDelta::minutes),
            ..Clock::started(at(0))
        };
        let stored = clock.due_at(&terms, Seat::First).unwrap();
        for warning in [Warning::None, Warning::OnItsWay].into_iter().chain(settled.map(|s| Warning::Sent { written: at(s), at: at(s) })) {
            let (due, _) = clock.next(&terms, Seat::First, warning, at(0), at(now)).unwrap();
            prop_assert!(stored <= due, "{warning:?}: {stored} {due}");
        }
        prop_assert_eq!(clock.stopped(at(now)).due_at(&terms, Seat::First), None);
    }
}

#[test]
fn a_substitute_starts_at_zero_and_the_opponent_keeps_the_time_used() {
    let clock = Clock {
        used: [TimeDelta::days(3), TimeDelta::days(4)],
        thought: TimeDelta::days(1),
        since: Some(at(0)),
        reminded: Some(TimeDelta::days(1)),
        ..Clock::started(at(0))
    };
    let now = at(DAY);
    let mover = clock.reseated(Seat::First, Some(Seat::First), now);
    let used = [TimeDelta::zero(), TimeDelta::days(4)];
    assert_eq!(
        mover,
        Clock {
            used,
            ..Clock::started(now)
        }
    );
    let other = clock.reseated(Seat::Second, Some(Seat::First), now);
    let used = [TimeDelta::days(3), TimeDelta::zero()];
    assert_eq!((other.used, other.thinking(now)), (used, clock.thinking(now)));
    assert_eq!((other.since, other.reminded), (Some(now), clock.reminded));
    let stopped = clock.stopped(now);
    let other = stopped.reseated(Seat::Second, Some(Seat::First), now);
    assert_eq!(other, Clock { used, ..stopped });
}

proptest! {
    /// An extension gives at least the time that was granted, by all terms, and never less than there was before.
    #[test]
    fn an_extension_leaves_exactly_so_much(
        nag in 1_u32..30, forfeit in 1_u32..60, total in proptest::option::of(1_u32..200),
        used in 0_i64..250 * DAY, thought in 0_i64..70 * DAY, left in 1_u32..60, is_stopped in any::<bool>(),
    ) {
        let terms = terms(nag, forfeit, total);
        let (now, wanted) = (at(0), TimeDelta::days(i64::from(left)));
        let before = Clock {
            used: [TimeDelta::minutes(used), TimeDelta::zero()],
            thought: TimeDelta::minutes(thought),
            since: (!is_stopped).then(|| at(-7)),
            reminded: None,
            ..Clock::started(now)
        };
        let left_of = |clock: &Clock| clock.limit(&terms, Seat::First).0 - clock.thinking(now);
        match before.extended(&terms, Seat::First, wanted, now) {
            Some(after) => {
                prop_assert!(left_of(&before) < wanted);
                prop_assert_eq!(left_of(&after), wanted);
                prop_assert!(after.thinking(now) >= TimeDelta::zero() && after.used[0] >= TimeDelta::zero());
                prop_assert_eq!(after.since.is_some(), before.since.is_some());
                if !is_stopped {
                    prop_assert_eq!(after.ends_at(&terms, Seat::First), Some(now + wanted));
                }
            }
            None => {
                let most = forfeit.min(total.unwrap_or(u32::MAX));
                prop_assert!(left > most || left_of(&before) >= wanted);
            }
        }
    }
}

#[test]
fn chosen_reminders_come_before_the_end_and_replace_the_usual_ones() {
    let clock = Clock {
        reminders: "30 7 3".parse().unwrap(),
        ..Clock::started(at(0))
    };
    let actions = life(&Terms::default(), clock, 0);
    let reminders = [14, 18].map(|day| (Tick::Remind, day * DAY));
    let end = [(Tick::Warn(Limit::Turn), 20 * DAY), (Tick::End, 21 * DAY)];
    assert_eq!(actions, [&reminders[..], &end[..]].concat());
    // A turn of two days has its warning alone.
    let actions = life(&terms(7, 2, None), clock, 0);
    assert_eq!(actions, [(Tick::Warn(Limit::Turn), DAY), (Tick::End, 2 * DAY)]);
}

#[test]
fn no_time_is_up_on_a_quiet_day_however_late_the_warning_was() {
    // It begins on a Friday at eight.
    let clock = Clock {
        calendar: "Sat Sun UTC".parse().unwrap(),
        ..Clock::started(at(0))
    };
    let terms = terms(7, 1, None);
    let next = |sent: i64, steady: i64| {
        let warning = Warning::Sent {
            written: at(0),
            at: at(sent),
        };
        let (due, tick) = clock
            .next(&terms, Seat::First, warning, at(steady), at(sent.max(steady)))
            .unwrap();
        ((due - at(0)).num_minutes(), tick)
    };
    assert_eq!(next(0, 0), (3 * DAY, Tick::End), "Monday at eight");
    assert_eq!(next(5 * 60, 0), (3 * DAY + 5 * 60, Tick::End));
    // The server was down until Sunday morning: the day after that is Monday, and the end that was named comes before its end.
    assert_eq!(next(0, 2 * DAY), (0, Tick::Warn(Limit::Turn)));
}

#[test]
fn an_empty_bank_has_a_day_after_each_warning_and_no_debts() {
    let terms = Terms::read(["--days=3+1"]).unwrap();
    let turns = |of_player| TurnsPlayed { count: 1, of_player };
    // Thought for nine days, since a warning came late.
    let mut clock = Clock::started(at(0)).turned(&terms, Seat::First, turns(1), at(9 * DAY));
    assert_eq!(
        clock.limit(&terms, Seat::First),
        (TimeDelta::days(1), Limit::Turn),
        "a warning holds for its turn alone"
    );
    // Many turns at once fill it, and not more.
    clock = clock.turned(
        &terms,
        Seat::First,
        TurnsPlayed {
            count: u32::MAX,
            of_player: 9,
        },
        at(9 * DAY),
    );
    assert_eq!(clock.used[0], TimeDelta::zero());
    // A turn that was taken back gives nothing.
    clock = clock.turned(&terms, Seat::First, TurnsPlayed::default(), at(10 * DAY));
    assert_eq!(clock.used[0], TimeDelta::days(1));
    // Ten turns in thirty days: after the tenth and the twentieth all days are there again.
    let terms = Terms::read(["--days=10/30"]).unwrap();
    let used = |count, of_player| {
        let clock = Clock::started(at(0));
        let clock = clock.turned(&terms, Seat::First, TurnsPlayed { count, of_player }, at(DAY));
        clock.used[0].num_days()
    };
    assert_eq!(
        [used(1, 9), used(1, 10), used(1, 11), used(3, 21), used(0, 10)],
        [1, 0, 1, 0, 1]
    );
}
