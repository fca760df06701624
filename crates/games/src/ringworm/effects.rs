//! What a turn does, in words.

use super::{FACTS, Ringworm, Turn};
use crate::kit::hex::Cell;
use crate::kit::words::{count, list, number};
use crate::{Rules, Seat};

impl Ringworm {
    /// See [`Rules::effects`].
    pub(super) fn in_words(&self, turns: &[Turn]) -> Vec<String> {
        turns.iter().fold((*self, Vec::new()), one).1
    }
}

fn one((before, mut effects): (Ringworm, Vec<String>), turn: &Turn) -> (Ringworm, Vec<String>) {
    let mut after = before;
    after.play(turn);
    let (mover, other) = (before.mover, before.mover.other());
    let [[own, theirs], [own_after, theirs_after]] =
        [before, after].map(|position| [mover, other].map(|seat| position.stones[seat.index()].count()));
    let sides = places(&turn.drops);
    if !sides.is_empty() {
        effects.push(format!("dropped {}", list(sides)));
    }
    if !turn.bursts.is_empty() {
        effects.push(format!("burst {}", count(turn.bursts.len(), "ring")));
    }
    // A burst lays as many stones as it lifts: what is missing was captured.
    let captured = [
        (other, theirs - theirs_after),
        (mover, own + turn.drops.len() - own_after),
    ];
    let side = |seat: Seat| FACTS.sides[seat.index()];
    match captured {
        [(_, 0), (_, 0)] => {}
        [(seat, stones), (_, 0)] | [(_, 0), (seat, stones)] => {
            effects.push(format!("captured {} of {}", count(stones, "stone"), side(seat)));
        }
        [(a, of_a), (b, of_b)] => effects.push(format!(
            "captured {} of {} and {} of {}",
            count(of_a, "stone"),
            side(a),
            number(of_b),
            side(b)
        )),
    }
    if after.is_over() {
        effects.push(format!("ended the game (stones: {own_after} to {theirs_after})"));
    }
    (after, effects)
}

/// `c9 at the left`, `C9 at the right`: the drops on cells whose name, but for the capital, is that of a cell on the other
/// side. A player who wrote the other one sees it here.
fn places(drops: &[Cell]) -> Vec<String> {
    let place = |from_left: bool| {
        let cells = drops
            .iter()
            .filter(|cell| has_twin(**cell) && is_left(**cell) == from_left);
        let cells: Vec<_> = cells.collect();
        (!cells.is_empty()).then(|| {
            format!(
                "{} at the {}",
                list(cells),
                if from_left { "left" } else { "right" }
            )
        })
    };
    [true, false].into_iter().filter_map(place).collect()
}

fn has_twin(cell: Cell) -> bool {
    let name = cell.to_string();
    let twin = if is_left(cell) {
        name.to_ascii_uppercase()
    } else {
        name.to_ascii_lowercase()
    };
    twin != name && Cell::find(&twin).is_ok()
}

fn is_left(cell: Cell) -> bool {
    cell.to_string()
        .starts_with(|letter: char| letter.is_ascii_lowercase())
}
