//! What the actions of a turn do together, in words.

use super::shape::shapes;
use super::{FACTS, ShapeChess, Turn};
use crate::kit::words::{count, list, number};
use crate::{Outcome, Rules, Seat};

/// If more shapes than this leave the board, only their number is said.
const MAX_SIZES: usize = 3;

impl ShapeChess {
    /// See [`Rules::effects`].
    pub(super) fn in_words(&self, turns: &[Turn]) -> Vec<String> {
        let [own, other] = [self.mover, self.mover.other()].map(Seat::index);
        let mut position = *self;
        let (mut pushes, mut sizes, mut are_formed) = (0, Vec::new(), true);
        for turn in turns {
            let earlier = position.stones[own];
            let mut unsettled = position;
            unsettled.put_stones(turn);
            position.play(turn);
            pushes += usize::from(matches!(turn, Turn::Push(..)));
            let removed = unsettled.stones[own] - position.stones[own];
            for shape in shapes(removed, removed) {
                sizes.push(number(shape.count() as usize));
                // The opponent's push can have made it symmetric before.
                are_formed &= shapes(earlier, shape).all(|old| old != shape);
            }
        }
        let mut effects = Vec::new();
        if pushes > 0 {
            let stone = format!("{} stone", FACTS.sides[other].to_ascii_lowercase());
            effects.push(format!("pushed {}", count(pushes, &stone)));
        }
        let verb = if are_formed { "formed" } else { "had" };
        match sizes.as_slice() {
            [] => {}
            [size] => effects.push(format!("{verb} a symmetric shape of {size}")),
            sizes if sizes.len() > MAX_SIZES => {
                effects.push(format!("{verb} {} symmetric shapes", number(sizes.len())));
            }
            sizes => effects.push(format!("{verb} symmetric shapes of {}", list(sizes))),
        }
        let scored = position.points[own] - self.points[own];
        if scored > 0 {
            let [ours, theirs] = [own, other].map(|seat| position.points[seat]);
            effects.push(format!("scored {scored} ({ours} to {theirs})"));
        }
        if position.outcome == Some(Outcome::Drawn) {
            effects.push("filled the board".to_owned());
        }
        effects
    }
}
