//! What all players do: they search by alpha-beta, best first where that plays better, and over all rolls where there are dice. A win that was not seen so is looked
//! for among the short ones, and by proof numbers; and so is a loss after the turn that was found.

use std::sync::atomic::{AtomicBool, Ordering};

use super::level::Means;
use super::search_result::SearchResult;
use super::sight::Sight;
use super::value::LEAST_PROVEN;
use super::{alpha_beta, best_first, dice, proof, rave, short_wins};
use crate::{Match, SearchPosition, WON};

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
    if position.facts().has_dice {
        let found = dice::search(position.walk(), means, sight, nodes, stop);
        return found.filter(|_| !stop.load(Ordering::Relaxed));
    }
    if means.best_first
        && let Some(board) = walk.rhombus()
    {
        let found = rave::search(&board, walk.to_move()?, means.effort, seed, stop);
        return found.filter(|_| !stop.load(Ordering::Relaxed));
    }
    if means.best_first
        && means.proof > 0
        && let Some(turn) = walk.win_by_threats()
    {
        return Some(SearchResult::won(turn)).filter(|_| !stop.load(Ordering::Relaxed));
    }
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
    if means.proof > 0 && found.value.abs() < LEAST_PROVEN {
        avoid_loss(&mut found, walk.as_mut(), nodes * means.proof / 100, stop);
    }
    (!stop.load(Ordering::Relaxed)).then_some(found)
}

/// Takes the first good turn after which the other side is not proven to win, as far as `left` goes. If all lose, the best one stays.
fn avoid_loss(found: &mut SearchResult, walk: &mut dyn SearchPosition, mut left: u64, stop: &AtomicBool) {
    let side = walk.to_move();
    let best = found.line.first().cloned();
    let good = best.into_iter().chain(std::mem::take(&mut found.others));
    for (place, turn) in good.enumerate() {
        if !walk.play_again(&turn) {
            return;
        }
        let answers = walk.to_move().is_some_and(|mover| Some(mover) != side);
        let mut is_lost = answers && walk.win_by_threats().is_some();
        if answers && left > 0 && !is_lost {
            let (lost, judged) = proof::winning_turn(walk, left, stop);
            is_lost = lost.is_some();
            left -= judged.min(left);
            found.nodes += judged;
        }
        walk.back();
        if !is_lost {
            if place > 0 {
                found.line = vec![turn];
            }
            return;
        }
    }
}
