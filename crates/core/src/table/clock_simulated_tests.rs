//! A second reckoning of the clock: it walks through whole games minute by minute and counts down, with quiet days, vacations and
//! pauses. What [`Clock`] computes at once must be the same to the minute.

use chrono::{Datelike, Weekday};
use chrono_tz::Tz;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::table::QuietDays;
use crate::table::calendar::tests::ZONES;

const DAY: usize = 24 * 60;

/// A game may begin at any time of the first year.
const MINUTES: usize = 800 * DAY;

/// So many games in a run of the tests.
const GAMES: u64 = 1000;

fn at(minute: usize) -> DateTime<Utc> {
    let start: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
    start + TimeDelta::minutes(i64::try_from(minute).unwrap())
}

fn minutes(time: TimeDelta) -> usize {
    assert_eq!(time, TimeDelta::minutes(time.num_minutes()));
    usize::try_from(time.num_minutes()).unwrap()
}

/// The weekday of each quarter of an hour in a zone, as a bit. No zone changes its time within one.
struct Weekdays(Vec<u8>);

fn bit(day: Weekday) -> u8 {
    1 << day.num_days_from_monday()
}

impl Weekdays {
    fn of(zone: Tz) -> Self {
        let quarters = 0..=MINUTES / 15;
        let weekday = |quarter| at(quarter * 15).with_timezone(&zone).weekday();
        Self(quarters.map(|quarter| bit(weekday(quarter))).collect())
    }
}

/// One player, as the slow reckoning sees it.
struct Player<'a> {
    weekdays: &'a Weekdays,
    quiet: u8,
    is_away: bool,
    /// In minutes.
    bank: usize,
    turns_to_go: u32,
    presence: Presence,
}

impl Player<'_> {
    fn is_quiet(&self, minute: usize) -> bool {
        self.weekdays.0[minute / 15] & self.quiet != 0
    }

    fn presence(&self) -> Presence {
        Presence {
            is_timeless: self.is_away,
            ..self.presence
        }
    }
}

fn player<'a>(rng: &mut StdRng, zones: &'a [(Tz, Weekdays)], terms: &Terms) -> Player<'a> {
    let (zone, weekdays) = &zones[rng.random_range(0..zones.len())];
    let count = rng.random_range(0..=3);
    let days = (0..count).map(|_| Weekday::try_from(rng.random_range(0..7_u8)).unwrap());
    let days: Vec<_> = days.collect();
    Player {
        weekdays,
        quiet: days.iter().fold(0, |bits, day| bits | bit(*day)),
        is_away: false,
        bank: terms.total_days.map_or(usize::MAX, |days| days as usize * DAY),
        turns_to_go: match terms.refill {
            Refill::Every { turns } => turns,
            _ => 0,
        },
        presence: Presence {
            calendar: Calendar::of(QuietDays::of(days).unwrap(), *zone),
            ..Presence::HERE
        },
    }
}

fn terms(rng: &mut StdRng) -> Terms {
    let days = rng.random_range(1..=20);
    let text = match rng.random_range(0..4) {
        0 => format!("--forfeittime={days}"),
        1 => format!("--forfeittime={days} --totaltime={}", rng.random_range(1..60)),
        2 => format!("--days={days}+{}", rng.random_range(1..=days)),
        _ => format!("--days={}/{days}", rng.random_range(1..=12)),
    };
    // The walk counts no reminders.
    Terms {
        nag_days: 3650,
        ..Terms::read(text.split(' ')).unwrap()
    }
}

/// What was seen in all games, so that no case is left out by accident.
#[derive(Debug, Default)]
struct Seen {
    turns: usize,
    ends: usize,
    late_turns: usize,
    refills: usize,
    stops: usize,
    warnings: usize,
}

/// The clock that is tested, and the walk that knows the truth.
struct Game<'a> {
    terms: Terms,
    clock: Clock,
    players: [Player<'a>; 2],
    is_paused: bool,
    seat: Seat,
    of_player: [u32; 2],
    minute: usize,
    /// In minutes.
    thought: usize,
    left_of_turn: usize,
}

impl Game<'_> {
    fn mover(&self) -> &Player<'_> {
        &self.players[self.seat.index()]
    }

    fn left(&self) -> usize {
        self.left_of_turn.min(self.mover().bank)
    }

    fn is_stopped(&self) -> bool {
        self.is_paused || self.mover().is_away
    }

    /// So many minutes go by, each of which counts or not. What is foreseen at their beginning must come true.
    fn walk(&mut self, wait: usize, seen: &mut Seen) {
        let until = self.minute + wait;
        if self.is_stopped() {
            self.minute = until;
            return;
        }
        let ends_at = self.clock.ends_at(&self.terms, self.seat);
        let next = self
            .clock
            .next(&self.terms, self.seat, Warning::None, at(0), at(self.minute));
        let (mut minute, mut left, mut counted) = (self.minute, self.left(), 0);
        while minute < until {
            let counts = !self.mover().is_quiet(minute);
            minute += 1;
            if !counts {
                continue;
            }
            counted += 1;
            if left > 0 {
                left -= 1;
                if left == DAY {
                    assert_eq!(next, Some((at(minute), Tick::Warn(self.limit()))));
                    seen.warnings += 1;
                } else if left == 0 {
                    assert_eq!(ends_at, Some(at(minute)));
                    seen.ends += 1;
                }
            }
        }
        self.minute = minute;
        self.thought += counted;
        self.left_of_turn = self.left_of_turn.saturating_sub(counted);
        let bank = &mut self.players[self.seat.index()].bank;
        if *bank < usize::MAX {
            *bank = bank.saturating_sub(counted);
        }
    }

    /// A bank that comes back is a limit of the turn.
    fn limit(&self) -> Limit {
        match self.mover().bank < self.left_of_turn && self.terms.refill == Refill::Never {
            true => Limit::Total,
            false => Limit::Turn,
        }
    }

    fn begin_turn(&mut self) {
        self.thought = 0;
        self.left_of_turn = self.terms.forfeit_days as usize * DAY;
        let clock = self.clock.of(&self.mover().presence(), at(self.minute));
        self.clock = match self.is_paused {
            true => clock.stopped(at(self.minute)),
            false => clock,
        };
    }

    fn turn(&mut self, seen: &mut Seen) {
        let seat = self.seat;
        self.of_player[seat.index()] += 1;
        let turns = TurnsPlayed {
            count: 1,
            of_player: self.of_player[seat.index()],
        };
        self.clock = self.clock.turned(&self.terms, seat, turns, at(self.minute));
        let full = self.terms.total_days.unwrap_or_default() as usize * DAY;
        let player = &mut self.players[seat.index()];
        match self.terms.refill {
            Refill::Never => {}
            Refill::EachTurn { days } => player.bank = (player.bank + days as usize * DAY).min(full),
            Refill::Every { turns } => {
                player.turns_to_go -= 1;
                if player.turns_to_go == 0 {
                    (player.turns_to_go, player.bank) = (turns, full);
                    seen.refills += 1;
                }
            }
        }
        seen.turns += 1;
        self.seat = seat.other();
        self.begin_turn();
    }

    /// The clock stops or goes on, as vacations and the pause say now.
    fn settle(&mut self) {
        let now = at(self.minute);
        self.clock = match self.is_stopped() {
            true => self.clock.stopped(now),
            false => self.clock.resumed(now),
        };
    }

    fn check(&self) {
        let now = at(self.minute);
        assert_eq!(minutes(self.clock.thinking(now)), self.thought);
        let next = self.clock.next(&self.terms, self.seat, Warning::None, at(0), now);
        let ends_at = self.clock.ends_at(&self.terms, self.seat);
        if self.is_stopped() {
            assert_eq!((next, ends_at), (None, None));
            return;
        }
        let (warn_at, tick) = next.unwrap();
        assert!(matches!(tick, Tick::Warn(_)));
        assert_eq!(
            warn_at <= now,
            self.left() <= DAY,
            "{warn_at} {now} {}",
            self.left()
        );
        assert_eq!(ends_at.unwrap() <= now, self.left() == 0);
        assert!(self.clock.due_at(&self.terms, self.seat).unwrap() <= warn_at);
    }
}

fn play(seed: u64, zones: &[(Tz, Weekdays)], seen: &mut Seen) {
    let mut rng = StdRng::seed_from_u64(seed);
    let terms = terms(&mut rng);
    let players = [player(&mut rng, zones, &terms), player(&mut rng, zones, &terms)];
    let minute = rng.random_range(0..366 * DAY);
    let days = if seed.is_multiple_of(50) {
        366
    } else {
        rng.random_range(5..60)
    };
    let end = minute + days * DAY;
    let mut game = Game {
        terms,
        clock: Clock::started(at(minute)),
        players,
        is_paused: false,
        seat: Seat::First,
        of_player: [0; 2],
        minute,
        thought: 0,
        left_of_turn: 0,
    };
    game.begin_turn();
    while game.minute < end {
        game.check();
        let wait = match rng.random_range(0..3) {
            0 => rng.random_range(1..DAY),
            1 => rng.random_range(1..4 * DAY),
            _ => rng.random_range(1..12 * DAY),
        };
        game.walk(wait, seen);
        game.check();
        match rng.random_range(0..8) {
            0 | 1 => {
                let player = &mut game.players[rng.random_range(0..2)];
                player.is_away = !player.is_away;
                seen.stops += 1;
                game.settle();
            }
            2 => {
                game.is_paused = !game.is_paused;
                seen.stops += 1;
                game.settle();
            }
            // The player who waits has other settings from the next turn on.
            3 => {
                let other = player(&mut rng, zones, &terms);
                let seat = game.seat.other();
                let changed = &mut game.players[seat.index()];
                changed.weekdays = other.weekdays;
                changed.quiet = other.quiet;
                changed.presence = other.presence;
            }
            _ => {
                seen.late_turns += usize::from(game.left() == 0);
                game.check();
                game.turn(seen);
            }
        }
    }
    // The day after a late warning is one of the clock too.
    let warned = game.minute;
    let mut left = DAY;
    while left > 0 {
        left -= usize::from(!game.mover().is_quiet(game.minute));
        game.minute += 1;
    }
    assert_eq!(game.clock.a_day_after(at(warned)), at(game.minute));
}

#[test]
fn a_year_of_clocks_is_the_same_by_an_independent_reckoning() {
    let zones = ZONES.map(|zone| (zone, Weekdays::of(zone)));
    let mut seen = Seen::default();
    for seed in 0..GAMES {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            play(seed, &zones, &mut seen);
        }));
        assert!(result.is_ok(), "game {seed}");
    }
    let Seen {
        turns,
        ends,
        late_turns,
        refills,
        stops,
        warnings,
    } = seen;
    assert!(turns > 5000 && ends > 300 && late_turns > 300, "{seen:?}");
    assert!(refills > 100 && stops > 2000 && warnings > 300, "{seen:?}");
}
