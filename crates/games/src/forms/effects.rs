//! What a turn does, in words.

use super::{FACTS, Forms, Turn};
use crate::kit::words::{count, number};
use crate::{Rules, Seat};

impl Forms {
    /// See [`Rules::effects`].
    pub(super) fn in_words(&self, turns: &[Turn]) -> Vec<String> {
        turns.iter().fold((*self, Vec::new()), one).1
    }
}

fn one((before, mut effects): (Forms, Vec<String>), turn: &Turn) -> (Forms, Vec<String>) {
    let mut after = before;
    after.play(turn);
    let (mover, other) = (before.mover, before.mover.other());
    let gone = |seat: Seat| {
        let [before, after] = [before, after].map(|position| position.stones[seat.index()].count() as usize);
        before - after
    };
    let captured = usize::from(before.enemy().has(turn.to));
    if captured > 0 {
        effects.push(format!("captured a {} stone", colour(other)));
    }
    let (theirs, own) = (gone(other) - captured, gone(mover));
    if theirs + own > 0 {
        effects.push(format!("cut off {}", stones((other, theirs), (mover, own))));
    }
    if after.stones[other.index()].is_empty() {
        effects.push(format!("left {} no stone", FACTS.sides[other.index()]));
    }
    (after, effects)
}

fn colour(seat: Seat) -> String {
    FACTS.sides[seat.index()].to_ascii_lowercase()
}

/// `two white stones`, `two white and one black stone`.
fn stones((a, of_a): (Seat, usize), (b, of_b): (Seat, usize)) -> String {
    match (of_a, of_b) {
        (_, 0) => count(of_a, &format!("{} stone", colour(a))),
        (0, _) => count(of_b, &format!("{} stone", colour(b))),
        _ => {
            let plural = if of_b == 1 { "" } else { "s" };
            let [of_a, of_b] = [of_a, of_b].map(number);
            format!("{of_a} {} and {of_b} {} stone{plural}", colour(a), colour(b))
        }
    }
}
