//! How good a position is: exact at the end of a race, near in a race, and set by hand while the sides can still hit.

use super::bearoff::{BearOff, home};
use super::board::{BAR, OFF, Position};
use crate::Seat;

/// The rolls of 36 that hit over 1 to 24 points, if nothing is in the way.
const SHOTS: [i32; 24] = [
    11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1,
];

/// What a run of this many made points in front of a checker is worth.
const PRIMES: [i32; 7] = [0, 0, 1, 4, 8, 14, 22];

/// From -100 to 100, how sure the side that rolls next is to win. Gammons do not count.
#[must_use]
pub fn estimate(position: &Position, roller: Seat) -> i32 {
    let other = roller.other();
    if let Some(winner) = position.winner() {
        return if winner == roller { 100 } else { -100 };
    }
    if has_contact(position) {
        let own = worth(position, roller) - risk(position, roller) / 4;
        let against = worth(position, other) - risk(position, other) * 3 / 4;
        let length = position.pips(Seat::First) + position.pips(Seat::Second);
        let ahead = real(lead(position, roller) + 4) / f32::from(length).sqrt();
        return percent(((real(own - against) + 6.0 * ahead) / 100.0).tanh()).clamp(-99, 99);
    }
    let homes = home(position, roller).zip(home(position, other));
    let chance = homes.and_then(|(own, against)| BearOff::table().chance(&own, &against));
    match chance {
        Some(chance) => percent(2.0 * chance - 1.0),
        None => race(position, roller),
    }
}

/// Whether a checker of one side still has to pass one of the other.
#[must_use]
pub fn has_contact(position: &Position) -> bool {
    let [own, other] = Seat::BOTH.map(|seat| position.last(seat));
    own + other > 25
}

fn percent(part: f32) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is a whole number from -100 to 100"
    )]
    let percent = (part * 100.0).round().clamp(-100.0, 100.0) as i32;
    percent
}

fn real(number: i32) -> f32 {
    f32::from(i16::try_from(number).unwrap_or(0))
}

/// How many steps the roller is ahead.
fn lead(position: &Position, roller: Seat) -> i32 {
    let pips = |seat| i32::from(position.pips(seat));
    pips(roller.other()) - pips(roller)
}

/// What checkers on the last points lose, since no die is less than theirs.
fn waste(position: &Position, seat: Seat) -> i32 {
    let count = |point| i32::from(position.count(seat, point));
    2 * count(1) + count(2) + count(3).min(1)
}

/// The lead in a race, with half a roll for the turn, against the length of the race, as in Kleinman's formula.
fn race(position: &Position, roller: Seat) -> i32 {
    let lead = lead(position, roller) + waste(position, roller.other()) - waste(position, roller) + 4;
    let length = position.pips(Seat::First) + position.pips(Seat::Second) + 10;
    percent((0.7 * real(lead) / f32::from(length).sqrt()).tanh())
}

fn is_made(position: &Position, seat: Seat, point: u8) -> bool {
    (1..=24).contains(&point) && position.count(seat, point) > 1
}

/// What a side has built.
fn worth(position: &Position, seat: Seat) -> i32 {
    let made = |points: std::ops::RangeInclusive<u8>| {
        let made = points.filter(|point| is_made(position, seat, *point));
        i32::try_from(made.count()).unwrap_or(0)
    };
    let count = |point| i32::from(position.count(seat, point));
    let held = i32::from(position.count(seat.other(), BAR));
    let board = made(1..=6);
    let back: i32 = (19..=24).map(count).sum();
    board * 8 + held * (7 + board * board / 2) + prime(position, seat) * 4 + made(19..=24).min(1) * 4
        - back * 11
        + count(OFF) * 13
        - count(BAR) * 8
}

/// The longest run of made points with a checker of the opponent behind it.
fn prime(position: &Position, seat: Seat) -> i32 {
    let behind = 25 - position.last(seat.other()).min(25);
    let (mut run, mut longest) = (0_usize, 0);
    for point in behind + 1..=24 {
        run = if is_made(position, seat, point) {
            run + 1
        } else {
            0
        };
        longest = longest.max(run);
    }
    PRIMES.get(longest).or(PRIMES.last()).copied().unwrap_or(0)
}

/// What the single checkers of a side can lose to the opponent's next roll.
fn risk(position: &Position, seat: Seat) -> i32 {
    let single = (1..=24).filter(|point| position.count(seat, *point) == 1);
    let lost = single.map(|point| {
        let hitters = (1..=BAR).filter(|from| position.count(seat.other(), *from) > 0);
        let shots = hitters.filter_map(|from| {
            let distance = usize::from(from.checked_sub(25 - point)?);
            SHOTS.get(distance.checked_sub(1)?)
        });
        let shots = shots.sum::<i32>().min(36);
        shots * (25 - i32::from(point) + 6) / 36
    });
    lost.sum()
}
