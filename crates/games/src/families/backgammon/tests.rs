//! Random positions for the tests.

mod concessions;
mod drawings;
mod equity;
mod matches;
mod plays;
mod refusals;
mod texts;

use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::{BAR, OFF, Position, Roll, Variant, plays as all_plays};
use crate::Seat;

fn roll(dice: [u8; 2]) -> Roll {
    Roll::new(dice).unwrap()
}

fn random_roll(rng: &mut ChaCha8Rng) -> Roll {
    roll([rng.random_range(1..=6), rng.random_range(1..=6)])
}

fn position(white: &[(u8, u8)], black: &[(u8, u8)]) -> Position {
    Position::of(white, black).unwrap()
}

/// A position of a random kind: reached in play, scattered, or near the end.
fn random_position(rng: &mut ChaCha8Rng) -> Position {
    match rng.random_range(0..3) {
        0 => played(rng),
        1 => scattered(rng, BAR),
        _ => {
            let top = rng.random_range(5..=8);
            scattered(rng, top)
        }
    }
}

fn played(rng: &mut ChaCha8Rng) -> Position {
    let variant = Variant::ALL[rng.random_range(0..3)];
    let (mut position, mut seat) = (Position::start(variant), Seat::First);
    for _ in 0..rng.random_range(0..60) {
        let plays = all_plays(&position, seat, random_roll(rng));
        if !plays.is_empty() {
            position = *plays[rng.random_range(0..plays.len())].result();
        }
        if position.winner().is_some() {
            return Position::start(variant);
        }
        seat = seat.other();
    }
    position
}

/// White's checkers are up to this point, Black's anywhere.
fn scattered(rng: &mut ChaCha8Rng, top: u8) -> Position {
    let number = [2, 3, 6, 15, 15][rng.random_range(0..5)];
    let mut sides = [[0_u8; 26]; 2];
    for side in 0..2 {
        let top = if side == 0 { top } else { BAR };
        let wide = rng.random_range(0..3) == 0;
        let favourite: [u8; 6] = std::array::from_fn(|_| rng.random_range(OFF..=top));
        for _ in 0..number {
            loop {
                let point = match wide {
                    true => rng.random_range(OFF..=top),
                    false => favourite[rng.random_range(0..6)],
                };
                let at = usize::from(point);
                let is_taken = (1..=24).contains(&point) && sides[1 - side][25 - at] > 0;
                if !is_taken {
                    sides[side][at] += 1;
                    break;
                }
                if !wide {
                    // Every favourite may be taken.
                    sides[side][0] += 1;
                    break;
                }
            }
        }
    }
    let [white, black] = sides.map(|side| (0..).zip(side).collect::<Vec<(u8, u8)>>());
    position(&white, &black)
}
