//! What a lost game counts: how likely it is a gammon or a backgammon, for matches and the cube.
//!
//! The numbers are fitted to the estimates of GNU Backgammon in 2629 positions of games that it played against itself. In contact the
//! chance of a gammon in a lost game is 0.13 off on average (root of the mean square), in races 0.07.

use super::board::{BAR, OFF, Position};
use super::equity::has_contact;
use crate::Seat;

/// The pips of an average roll.
const ROLL: f32 = 8.17;

/// The checkers that an average roll bears off.
const OFF_PER_ROLL: f32 = 2.27;

/// The chances, which are 1 together, that a lost game counts one, two or three times the cube. `roller` rolls next; `None`: who does
/// is not known.
#[must_use]
pub(super) fn counts(position: &Position, loser: Seat, roller: Option<Seat>) -> [f32; 3] {
    if position.count(loser, OFF) > 0 {
        return [1.0, 0.0, 0.0];
    }
    let winner = loser.other();
    let beyond = |edge: u8| -> f32 {
        let points =
            (edge + 1..=BAR).map(|point| u16::from(point - edge) * u16::from(position.count(loser, point)));
        f32::from(points.sum::<u16>())
    };
    let pips = f32::from(position.pips(winner));
    let left = f32::from(position.checkers(winner) - position.count(winner, OFF));
    let needed = (pips / ROLL).max(left / OFF_PER_ROLL) + 0.8;
    let rolls = match roller {
        None => 0.5,
        Some(roller) if roller == loser => 1.0,
        Some(_) => 0.0,
    };
    let gammon = if has_contact(position) {
        let caught: u8 = (19..=BAR).map(|point| position.count(winner, point)).sum();
        let on_bar = f32::from(position.count(loser, BAR));
        -1.14 + 0.031 * beyond(6) - 0.016 * pips + 0.27 * f32::from(caught) + 0.58 * on_bar - 0.37 * rolls
    } else {
        late(beyond(6) / ROLL + 1.0, needed, rolls)
    };
    let gammon = chance(gammon);
    let behind = beyond(18);
    let backgammon = match behind > 0.0 {
        true => gammon * chance(late(behind / ROLL + 0.5, needed, rolls)),
        false => 0.0,
    };
    [1.0 - gammon, gammon - backgammon, backgammon]
}

/// How likely a side that needs `own` rolls is late against one that needs `other`, as the argument of [`chance`].
fn late(own: f32, other: f32, rolls: f32) -> f32 {
    2.07 + 2.07 * (own - other) - 1.89 * rolls
}

fn chance(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}
