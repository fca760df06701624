//! What all players do: they search by alpha-beta, or best first where that plays better. A win that was not seen so is looked
//! for among the short ones, and by proof numbers.

use std::sync::atomic::{AtomicBool, Ordering};

use super::level::Means;
use super::search_result::SearchResult;
use super::sight::Sight;
use super::value::LEAST_PROVEN;
use super::{alpha_beta, best_first, proof, short_wins};
use crate::{Match, WON};

/// Searches within these means. `None` if the game is over or the search was stopped.
pub(super) fn search(
    position: &dyn Match,
    means: &Means,
    seed: u64,
    stop: &AtomicBool,
) -> Option<SearchResult> {
    let mut walk = position.walk();
    let nodes = (means.effort / walk.effort()).max(1);
    let sight = Sight::new(means, seed);
    let goes_best_first = means.best_first && walk.is_best_first();
    let mut found = if goes_best_first {
        best_first::search(position.walk(), sight, nodes, stop)
    } else {
        alpha_beta::search(position.walk(), means, sight, nodes, stop)
    }?;
    let mut left = nodes * means.proof / 100;
    // A win that was seen need not be a short one. Take the shortest win.
    if left > 0 && !found.saw_short_wins && found.value < WON - 3 {
        let (won, judged) = short_wins::winning_turn(walk.as_mut(), left, stop);
        left -= judged.min(left);
        found.sees_win(won, judged, walk.as_ref());
    }
    if left > 0 && found.value < LEAST_PROVEN {
        let (won, judged) = proof::winning_turn(walk.as_mut(), left, stop);
        found.sees_win(won, judged, walk.as_ref());
    }
    (!stop.load(Ordering::Relaxed)).then_some(found)
}
