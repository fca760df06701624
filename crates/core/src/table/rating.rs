//! Glicko-2 ratings: pure arithmetic; the current time is a parameter.
//!
//! The system is Mark Glickman's, as in "Example of the Glicko-2 system" (2022,
//! <http://www.glicko.net/glicko/glicko2.pdf>), with these choices:
//!
//! - A new player has the rating 1500, the deviation 350 and the volatility 0.06; tau is 0.5.
//! - Each finished game is a separate rating period for its two players: steps 2 to 8 with one result. In a game with dice a
//!   longer match says more about its players: its result counts as often as the square root of its points, rounded, as FIBS has it
//!   (<http://www.fibs.com/ratings.html>).
//! - Idle time is counted in periods of 30 days, including fractions. Step 6 adds the square of the volatility to the
//!   square of the deviation once for each period. So after `t` idle periods the deviation, on the scale of the paper, is
//!   `sqrt(deviation^2 + t * volatility^2)`, but never more than a new player's. This is applied before a game is
//!   counted.

use chrono::{DateTime, TimeDelta, Utc};
use pbmserv_games::{Game, Outcome, Seat};
use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};

use super::{Board, BoardId, PlayerId};

/// Identifies the formula. If it changes, all ratings are recounted from the finished games.
pub const FORMULA: &str = "glicko2 1";

/// A game of fewer turns is short: between the same two, one in a week can raise a rating.
pub const SHORT_BELOW: u32 = 4;

/// How long an account is young: a win against it raises no rating. The same time passes between two short games that count.
pub const YOUNG_FOR: TimeDelta = TimeDelta::days(7);

/// A rating with a smaller deviation is established.
pub const ESTABLISHED_BELOW: f64 = 110.0;

/// The deviation of a new player; idle time does not increase it further.
const LARGEST_DEVIATION: f64 = 350.0;

/// The factor between ratings and the scale of the paper (steps 2 and 8).
const SCALE: f64 = 173.7178;

/// Limits how fast volatilities change (step 1).
const TAU: f64 = 0.5;

/// The end of the iteration for the volatility (step 5).
const TOLERANCE: f64 = 0.000_001;

/// The option that makes a game a match of some points.
pub(crate) const POINTS: &str = "points";

/// The points of the longest match that counts as one.
const MAX_POINTS: u32 = 25;

/// The length of an idle period.
const PERIOD: TimeDelta = TimeDelta::days(30);

/// An estimate of a player's strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// 1500 at first.
    pub value: f64,
    /// The standard deviation: the true strength is within twice this with a probability of 95 percent.
    pub deviation: f64,
    /// How much the strength is expected to change.
    pub volatility: f64,
}

impl Default for Rating {
    fn default() -> Self {
        Self {
            value: 1500.0,
            deviation: LARGEST_DEVIATION,
            volatility: 0.06,
        }
    }
}

impl Rating {
    /// The rating after this many idle periods.
    #[must_use]
    pub fn after_idle(self, periods: f64) -> Self {
        let growth = periods.max(0.0) * (self.volatility * SCALE).powi(2);
        let deviation = (self.deviation.powi(2) + growth).sqrt();
        Self {
            deviation: deviation.min(LARGEST_DEVIATION),
            ..self
        }
    }

    /// The rating after a rating period with these opponents (their ratings before it) and scores: 1 for a win, a half
    /// for a draw, 0 for a loss.
    #[must_use]
    pub fn after_period(self, results: &[(Self, f64)]) -> Self {
        let results: Vec<_> = results
            .iter()
            .map(|(opponent, score)| {
                let outcome = match *score {
                    score if score > 0.75 => Outcomes::WIN,
                    score if score < 0.25 => Outcomes::LOSS,
                    _ => Outcomes::DRAW,
                };
                (opponent.as_theirs(), outcome)
            })
            .collect();
        let config = Glicko2Config {
            tau: TAU,
            convergence_tolerance: TOLERANCE,
        };
        let after = glicko2_rating_period(&self.as_theirs(), &results, &config);
        let numbers = [after.rating, after.deviation, after.volatility];
        // If ratings are thousands apart, the variance of the score is zero, and the division gives no number.
        if numbers.iter().all(|number| number.is_finite()) {
            Self {
                value: after.rating,
                deviation: after.deviation.min(LARGEST_DEVIATION),
                volatility: after.volatility,
            }
        } else {
            self
        }
    }

    /// Whether the deviation is small enough.
    #[must_use]
    pub fn is_established(self) -> bool {
        self.deviation < ESTABLISHED_BELOW
    }

    /// As shown to players: a whole number.
    #[must_use]
    pub fn shown(self) -> String {
        format!("{:.0}", self.value)
    }

    /// How many idle periods it remains established; 0 if it is not.
    fn established_periods(self) -> f64 {
        let room = ESTABLISHED_BELOW.powi(2) - self.deviation.powi(2);
        room.max(0.0) / (self.volatility * SCALE).powi(2)
    }

    const fn as_theirs(self) -> Glicko2Rating {
        Glicko2Rating {
            rating: self.value,
            deviation: self.deviation,
            volatility: self.volatility,
        }
    }
}

/// A player's rating and score in one game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// After the last game.
    pub rating: Rating,
    /// Games won.
    pub won: u32,
    /// Games lost.
    pub lost: u32,
    /// Games drawn.
    pub drawn: u32,
    /// When the last game ended, in milliseconds since 1970; `None` before the first.
    pub rated_at: Option<i64>,
}

impl Standing {
    /// The rating at this time: less certain, the longer ago the last game was.
    #[must_use]
    pub fn rating_at(&self, now: DateTime<Utc>) -> Rating {
        let Some(rated_at) = self.rated_at else {
            return self.rating;
        };
        // Whole milliseconds, as they are stored: so a game counts the same when it is counted again later.
        let idle = now.timestamp_millis().saturating_sub(rated_at);
        self.rating
            .after_idle(idle as f64 / PERIOD.num_milliseconds() as f64)
    }

    /// How many games were counted.
    #[must_use]
    pub const fn played(&self) -> u32 {
        self.won + self.lost + self.drawn
    }

    /// When the rating stops being established without another game, in milliseconds since 1970.
    #[must_use]
    pub fn established_until(&self) -> i64 {
        let millis = self.rating.established_periods() * PERIOD.num_milliseconds() as f64;
        // The cast turns numbers that are too large into the largest one, which is good enough.
        self.rated_at.unwrap_or_default().saturating_add(millis as i64)
    }

    /// Both players' standings after a game, or a match of these points, that ended at this time.
    #[must_use]
    pub fn after_game(before: [Self; 2], outcome: Outcome, points: u32, at: DateTime<Utc>) -> [Self; 2] {
        let times = f64::from(points.clamp(1, MAX_POINTS)).sqrt().round() as usize;
        let ratings = before.map(|standing| standing.rating_at(at));
        Seat::BOTH.map(|seat| {
            let (own, other) = (seat.index(), seat.other().index());
            let standing = before[own];
            let (score, won, lost, drawn) = match outcome {
                Outcome::Won(winner) if winner == seat => (1.0, 1, 0, 0),
                Outcome::Won(_) => (0.0, 0, 1, 0),
                Outcome::Drawn => (0.5, 0, 0, 1),
            };
            Self {
                rating: ratings[own].after_period(&vec![(ratings[other], score); times]),
                won: standing.won + won,
                lost: standing.lost + lost,
                drawn: standing.drawn + drawn,
                rated_at: Some(at.timestamp_millis()),
            }
        })
    }
}

/// Whose rating a game cannot raise: the first player's, the second player's. It can still fall, so nobody escapes a loss.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gainless(pub [bool; 2]);

impl Gainless {
    /// Neither player can gain.
    pub const BOTH: Self = Self([true; 2]);

    /// The standings after a game that ended at this time, if these are what it would make of those before it.
    #[must_use]
    pub fn hold(self, before: [Standing; 2], after: [Standing; 2], at: DateTime<Utc>) -> [Standing; 2] {
        Seat::BOTH.map(|seat| {
            let [before, after] = [before, after].map(|standings| standings[seat.index()]);
            match self.0[seat.index()] && after.rating.value > before.rating.value {
                true => Standing {
                    rating: before.rating_at(at),
                    ..after
                },
                false => after,
            }
        })
    }
}

/// A finished game with the new ratings.
#[derive(Clone, Debug)]
pub struct Rated {
    /// The game that was played.
    pub game: &'static Game,
    /// The board that has ended.
    pub board: BoardId,
    /// First player, second player.
    pub players: [PlayerId; 2],
    /// Their standings after this game.
    pub after: [Standing; 2],
    /// Whether it was over after a few turns.
    pub is_short: bool,
    /// Whose rating it could not raise.
    pub gainless: Gainless,
}

impl Rated {
    /// Counts the game of a board that ended at this time, with the players' standings before it.
    #[must_use]
    pub fn new(
        board: &Board,
        before: [Standing; 2],
        outcome: Outcome,
        gainless: Gainless,
        at: DateTime<Utc>,
    ) -> Self {
        let points = board.options.number(board.game.facts, POINTS);
        Self {
            game: board.game,
            board: board.id,
            players: board.players.each_ref().map(|player| player.id),
            after: gainless.hold(before, Standing::after_game(before, outcome, points, at), at),
            is_short: board.turns < SHORT_BELOW,
            gainless,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;
    use proptest::prelude::*;

    fn rating(value: f64, deviation: f64) -> Rating {
        Rating {
            value,
            deviation,
            ..Rating::default()
        }
    }

    fn close(left: f64, right: f64, within: f64) {
        assert!((left - right).abs() <= within, "{left} is not {right}");
    }

    fn day(number: i64) -> DateTime<Utc> {
        Utc.with_ymd_and_hms(2026, 11, 20, 8, 0, 0).unwrap() + TimeDelta::days(number)
    }

    #[test]
    fn the_example_of_the_paper_is_reproduced() {
        let opponents = [
            (rating(1400.0, 30.0), 1.0),
            (rating(1550.0, 100.0), 0.0),
            (rating(1700.0, 300.0), 0.0),
        ];
        let after = rating(1500.0, 200.0).after_period(&opponents);
        close(after.value, 1464.06, 0.01);
        close(after.deviation, 151.52, 0.01);
        close(after.volatility, 0.05999, 0.00001);
    }

    #[test]
    fn a_period_without_a_game_adds_the_volatility_once() {
        let idle = rating(1500.0, 200.0).after_idle(1.0);
        close(
            idle.deviation,
            rating(1500.0, 200.0).after_period(&[]).deviation,
            1e-9,
        );
        close(idle.deviation, 200.2714, 0.0001);
        assert_eq!(idle.value, 1500.0);
    }

    #[test]
    fn two_halves_of_a_period_are_one_and_no_idleness_makes_a_stranger_stranger() {
        let start = rating(1700.0, 60.0);
        let halves = start.after_idle(0.5).after_idle(0.5);
        close(halves.deviation, start.after_idle(1.0).deviation, 1e-9);
        assert_eq!(start.after_idle(1e9).deviation, 350.0);
        assert_eq!(start.after_idle(-3.0), start, "a clock that jumps back");
    }

    #[test]
    fn the_first_game_of_two_new_players_moves_both_by_the_same() {
        let [first, second] =
            Standing::after_game([Standing::default(); 2], Outcome::Won(Seat::Second), 1, day(0));
        assert_eq!(
            (first.rating.shown(), second.rating.shown()),
            ("1338".into(), "1662".into())
        );
        assert_eq!((first.lost, first.won, first.played()), (1, 0, 1));
        assert_eq!((second.lost, second.won, second.drawn), (0, 1, 0));
        let drawn = Standing::after_game([first, second], Outcome::Drawn, 1, day(1));
        assert!(drawn[0].rating.value > first.rating.value);
        assert_eq!((drawn[0].drawn, drawn[1].played()), (1, 2));
    }

    #[test]
    fn a_match_counts_more_the_longer_it_is() {
        let known = Standing {
            rating: rating(1500.0, 60.0),
            ..Standing::default()
        };
        let won =
            |points| Standing::after_game([known; 2], Outcome::Won(Seat::First), points, day(0))[0].rating;
        let gains = [0, 1, 3, 5, 7, 25].map(|points| format!("{:.1}", won(points).value - 1500.0));
        assert_eq!(gains, ["10.2", "10.2", "19.8", "19.8", "28.9", "45.7"]);
        assert!(won(25).deviation < won(1).deviation);
    }

    #[test]
    fn who_cannot_gain_keeps_the_rating_and_still_loses() {
        let before = [Standing::default(); 2];
        for (outcome, gainless, values) in [
            (Outcome::Won(Seat::First), [true, false], ["1500", "1338"]),
            (Outcome::Won(Seat::First), [false, true], ["1662", "1338"]),
            (Outcome::Won(Seat::Second), [true, true], ["1338", "1500"]),
            (Outcome::Drawn, [true, true], ["1500", "1500"]),
        ] {
            let after = Standing::after_game(before, outcome, 1, day(0));
            let after = Gainless(gainless).hold(before, after, day(0));
            assert_eq!(after.map(|after| after.rating.shown()), values);
            assert_eq!(after.map(|after| after.played()), [1, 1]);
        }
    }

    #[test]
    fn some_twelve_games_against_a_known_player_establish_a_rating_and_years_of_idleness_end_that() {
        let known = Standing {
            rating: rating(1500.0, 60.0),
            ..Standing::default()
        };
        let mut new = Standing::default();
        let mut games = 0;
        while !new.rating.is_established() {
            let outcome = if games % 2 == 0 {
                Outcome::Won(Seat::First)
            } else {
                Outcome::Won(Seat::Second)
            };
            [new, _] = Standing::after_game([new, known], outcome, 1, day(games));
            games += 1;
        }
        assert!((8..=14).contains(&games), "{games}");
        let until = Utc.timestamp_millis_opt(new.established_until()).unwrap();
        assert!(new.rating_at(until - TimeDelta::hours(1)).is_established());
        assert!(!new.rating_at(until + TimeDelta::hours(1)).is_established());
        assert!(Standing::default().established_until() <= 0);
    }

    proptest! {
        #[test]
        fn no_game_leads_to_a_number_that_is_none(
            values in prop::array::uniform2(-20_000.0..20_000.0_f64),
            deviations in prop::array::uniform2(1.0..350.0_f64),
            won in 0..3,
            days in 0..100_000_i64,
            points: u32,
        ) {
            let outcome = match won {
                0 => Outcome::Won(Seat::First),
                1 => Outcome::Won(Seat::Second),
                _ => Outcome::Drawn,
            };
            let standing = |index: usize| Standing {
                rating: rating(values[index], deviations[index]),
                rated_at: Some(day(0).timestamp_millis()),
                ..Standing::default()
            };
            for after in Standing::after_game([standing(0), standing(1)], outcome, points, day(days)) {
                prop_assert!(after.rating.value.is_finite());
                prop_assert!(after.rating.volatility.is_finite() && after.rating.volatility > 0.0);
                prop_assert!(after.rating.deviation > 0.0 && after.rating.deviation <= 350.0);
            }
        }
    }
}
