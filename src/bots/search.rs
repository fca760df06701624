//! What all players do: they search by alpha-beta, or best first where that plays better; a win that was not seen so is looked
//! for by proof numbers.

use std::sync::atomic::{AtomicBool, Ordering};

use super::found::Found;
use super::level::Means;
use super::proof::winning_turn;
use super::sight::Sight;
use super::value::LEAST_PROVEN;
use super::{alpha_beta, best_first};
use crate::games::Match;

/// Searches within these means. `None` if the game is over or the search was stopped.
pub(super) fn search(position: &dyn Match, means: &Means, seed: u64, stop: &AtomicBool) -> Option<Found> {
    let mut walk = position.walk();
    let nodes = (means.effort / walk.effort()).max(1);
    let sight = Sight::new(means, seed);
    let goes_best_first = means.best_first && walk.is_best_first();
    let mut found = if goes_best_first {
        best_first::search(position.walk(), sight, nodes, stop)
    } else {
        alpha_beta::search(position.walk(), means, sight, nodes, stop)
    }?;
    if means.proof > 0 && found.value < LEAST_PROVEN {
        let (won, judged) = winning_turn(walk.as_mut(), nodes * means.proof / 100, stop);
        found.nodes += judged;
        if let Some(won) = won {
            found.value = LEAST_PROVEN;
            found.line = vec![walk.text(won)];
        }
    }
    // The win seen first need not be a short one, and a player who could end the game but plays on seems to mock.
    if goes_best_first
        && found.value >= LEAST_PROVEN
        && let Some(short) = alpha_beta::search(position.walk(), &Means::of_short_wins(), sight, nodes, stop)
    {
        found.nodes += short.nodes;
        if short.value >= LEAST_PROVEN {
            (found.value, found.line) = (short.value, short.line);
        }
    }
    (!stop.load(Ordering::Relaxed)).then_some(found)
}
