//! What the turns of a finished game cost.

use std::sync::atomic::AtomicBool;

use super::{dice, level::Means, search, value::expected};
use crate::{Game, Match, Options};

/// How long it takes to look at a whole game, in tenths of a microsecond.
const EFFORT: u64 = 200_000_000;

/// The same for a quick look.
const QUICK_EFFORT: u64 = EFFORT / 40;

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
    /// How much better than the average roll the dice were for the player, in thousandths of the expected result; 0 without dice.
    pub luck: i32,
}

/// What each turn cost, in the order played: the difference between the best turn found and the one played. Ends early at a
/// turn that is not legal, and when `stop` is set.
#[must_use]
pub fn costs(game: &Game, options: &Options, turns: &[String], stop: &AtomicBool) -> Vec<Cost> {
    costs_within(EFFORT, game, options, turns, stop)
}

/// The same in a small part of the time, and less sure: enough to choose a game among others.
#[must_use]
pub fn quick_costs(game: &Game, options: &Options, turns: &[String], stop: &AtomicBool) -> Vec<Cost> {
    costs_within(QUICK_EFFORT, game, options, turns, stop)
}

/// What the turn of this number cost, as surely as one can be seen. `None` if there is no such turn, or if `stop` is set.
#[must_use]
pub fn cost_of(
    game: &Game,
    options: &Options,
    turns: &[String],
    number: u32,
    stop: &AtomicBool,
) -> Option<Cost> {
    let mut position = game.start(options).ok()?;
    let before = usize::try_from(number).ok()?.checked_sub(1)?;
    for turn in turns.get(..before)? {
        position.play(turn).ok()?;
    }
    cost(
        position.as_mut(),
        number,
        turns.get(before)?,
        &means(u64::MAX),
        stop,
    )
}

fn costs_within(
    effort: u64,
    game: &Game,
    options: &Options,
    turns: &[String],
    stop: &AtomicBool,
) -> Vec<Cost> {
    let mut costs = Vec::with_capacity(turns.len());
    let Ok(mut position) = game.start(options) else {
        return costs;
    };
    let means = means(effort / (2 * turns.len() as u64).max(1));
    for (number, played) in (1..).zip(turns) {
        let Some(cost) = cost(position.as_mut(), number, played, &means, stop) else {
            break;
        };
        costs.push(cost);
    }
    costs
}

/// The means of advice with at most this effort.
fn means(effort: u64) -> Means {
    Means {
        // No more than for a turn of its own, however short the game.
        effort: effort.min(Means::of_advice().effort),
        // A win proved before the turn but not after it, where the opponent is to move, would look like a win thrown away.
        proof: 0,
        ..Means::of_advice()
    }
}

/// What a turn costs here. It is played.
fn cost(
    position: &mut dyn Match,
    number: u32,
    played: &str,
    means: &Means,
    stop: &AtomicBool,
) -> Option<Cost> {
    // The luck of the dice is not the player's.
    let mut before = position.due_roll().map(|_| position.walk());
    position.roll_as_written(played);
    let luck = match (&mut before, position.dice()) {
        (Some(before), Some(dice)) => dice::luck(before.as_mut(), dice),
        _ => 0,
    };
    let mover = position.to_move()?;
    let best = search::search(position, means, 0, stop)?;
    let played = position.play(played).ok()?;
    let better = best.line.into_iter().next()?;
    let reached = if played == better {
        best.value
    } else {
        match (position.to_move(), position.outcome()) {
            (None, _) => position.walk().end(mover).unwrap_or_default(),
            (Some(next), _) => match search::search(position, means, 0, stop)? {
                found if next == mover => found.value,
                found => -found.value,
            },
        }
    };
    let lost = (expected(best.value) - expected(reached)).max(0);
    Some(Cost {
        number,
        played,
        better,
        lost,
        luck,
    })
}
