//! What a turn does, in words.

use super::board::{NAMES, Points, bit, board};
use super::{FACTS, Pow2, Turn};
use crate::games::{Outcome, Rules};
use crate::kit::words::{count, list, number};

pub(super) fn deeds(before: &Pow2, turns: &[Turn]) -> Vec<String> {
    turns.iter().fold((*before, Vec::new()), one).1
}

fn one((before, mut deeds): (Pow2, Vec<String>), turn: &Turn) -> (Pow2, Vec<String>) {
    let mut after = before;
    after.play(turn);
    let own = before.mover.index();
    let (from, to) = (bit(usize::from(turn.from)), bit(usize::from(turn.to)));
    // The mover's pieces after the move, before anything is placed or ages.
    let moved = before.pieces[own] & !from | to;
    let already_aged = if before.aged & from == 0 {
        before.aged
    } else {
        before.aged & !from | to
    };
    let placed = turn.placed.count_ones();
    if placed > 0 {
        let is_last = placed == before.supply(before.mover);
        deeds.push(match placed {
            1 if is_last => "placed the last piece".to_owned(),
            _ if is_last => format!("placed the last {} pieces", number(placed as usize)),
            _ => format!("placed {}", count(placed as usize, "piece")),
        });
    }
    let aged = moved & after.pieces[own] & after.aged & !already_aged;
    if aged != 0 {
        deeds.push(format!("aged {}", names(aged)));
    }
    // A piece is never placed where one goes back to the supply in the same turn.
    let back = moved & !after.pieces[own];
    if back != 0 {
        deeds.push(format!("took {} back", names(back)));
    }
    if after.winner.is_some() {
        deeds.push("has all sixteen on the board".to_owned());
    } else if after.outcome() == Some(Outcome::Won(before.mover)) {
        deeds.push(format!("left {} no legal move", FACTS.sides[after.mover.index()]));
    }
    (after, deeds)
}

fn names(points: Points) -> String {
    list(board().in_reading_order(points).map(|point| NAMES[point]))
}
