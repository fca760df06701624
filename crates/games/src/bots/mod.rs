//! Players that are computers: they choose a turn in any game, and say what the turns of a finished game cost.
//!
//! A search counts the positions it looks at, not time, and takes its chance from a seed. So the same board, the same
//! level and the same seed give the same turn on every machine.

mod alpha_beta;
mod best_first;
#[cfg(test)]
mod blunder_tests;
mod captures;
pub mod contest;
mod dice;
#[cfg(test)]
mod end_tests;
mod good;
mod level;
mod proof;
mod puzzle;
mod rave;
mod review;
mod search;
mod search_result;
mod short_wins;
mod sight;
#[cfg(test)]
mod solved_tests;
mod table;
#[cfg(test)]
mod tests;
mod uct;
mod value;

use std::sync::atomic::AtomicBool;

use crate::Match;

pub use level::Level;
use level::Means;
pub use puzzle::{Puzzle, puzzle};
pub use review::{Cost, cost_of, costs, quick_costs};
use value::expected;

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// A legal turn, in its canonical text.
    pub turn: String,
    /// The expected result for the player to move in thousandths: 1000 is a proven win, -1000 a proven loss.
    pub value: i32,
    /// How many positions were looked at.
    pub nodes: u64,
}

/// A thought, and how it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// What was found.
    pub thought: Thought,
    /// The best turns of both players from here on, as far as they are known: at least the one chosen.
    pub line: Vec<String>,
    /// How many turns ahead were looked at.
    pub depth: u32,
}

/// Chooses a turn. `None` if the game is over, or if `stop` was set meanwhile.
#[must_use]
pub fn think(position: &dyn Match, level: Level, seed: u64, stop: &AtomicBool) -> Option<Thought> {
    look(position, level, seed, stop).map(|look| look.thought)
}

/// The best turn that is found within the means of [`Level::Hard`], without the mistakes of a player. `None` as with [`think`].
#[must_use]
pub fn advise(position: &dyn Match, stop: &AtomicBool) -> Option<Thought> {
    found(position, &Means::of_advice(), 0, stop).map(|look| look.thought)
}

/// Chooses a turn, as [`think`] does, and says how.
#[must_use]
pub fn look(position: &dyn Match, level: Level, seed: u64, stop: &AtomicBool) -> Option<Look> {
    let means = level.means(position.walk().mistakes());
    found(position, &means, seed, stop)
}

/// What a position seems worth to this side, in thousandths of the expected result. No turn is looked at.
#[must_use]
pub fn at_first_sight(position: &dyn Match, side: crate::Seat) -> i32 {
    expected(position.walk().estimate(side))
}

fn found(position: &dyn Match, means: &Means, seed: u64, stop: &AtomicBool) -> Option<Look> {
    let found = search::search(position, means, seed, stop)?;
    let thought = Thought {
        turn: found.line.first()?.clone(),
        value: expected(found.value),
        nodes: found.nodes,
    };
    Some(Look {
        thought,
        line: found.line,
        depth: found.depth,
    })
}
