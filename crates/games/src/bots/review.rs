//! What the turns of a finished game cost.

use std::sync::atomic::AtomicBool;

use super::{level::Means, search, value::expected};
use crate::{Game, Options};

/// How long it takes to look at a whole game, in tenths of a microsecond.
const EFFORT: u64 = 200_000_000;

/// A turn of a game, and what it cost its player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The number of the turn, from 1; the turns of both players count.
    pub number: u32,
    /// The turn played.
    pub played: String,
    /// The best turn that was found, which may be the one played.
    pub better: String,
    /// How much the expected result of the player fell, in thousandths; 0 if there was nothing better.
    pub lost: i32,
}

/// What each turn cost, in the order played: the difference between the best turn found and the one played. Ends early at a
/// turn that is not legal, and when `stop` is set.
#[must_use]
pub fn costs(game: &Game, options: &Options, turns: &[String], stop: &AtomicBool) -> Vec<Cost> {
    let mut costs = Vec::with_capacity(turns.len());
    let Ok(mut position) = game.start(options) else {
        return costs;
    };
    let means = Means {
        // No more than for a turn of its own, however short the game.
        effort: (EFFORT / (2 * turns.len() as u64).max(1)).min(Means::of_advice().effort),
        // A win proved before the turn but not after it, where the opponent is to move, would look like a win thrown away.
        proof: 0,
        ..Means::of_advice()
    };
    for (number, played) in (1..).zip(turns) {
        let Some(mover) = position.to_move() else { break };
        let Some(best) = search::search(position.as_ref(), &means, 0, stop) else {
            break;
        };
        let Ok(played) = position.play(played) else { break };
        let Some(better) = best.line.into_iter().next() else {
            break;
        };
        let reached = if played == better {
            best.value
        } else {
            match (position.to_move(), position.outcome()) {
                (None, _) => position.walk().end(mover).unwrap_or_default(),
                (Some(next), _) => match search::search(position.as_ref(), &means, 0, stop) {
                    Some(found) if next == mover => found.value,
                    Some(found) => -found.value,
                    None => break,
                },
            }
        };
        let lost = (expected(best.value) - expected(reached)).max(0);
        costs.push(Cost {
            number,
            played,
            better,
            lost,
        });
    }
    costs
}
