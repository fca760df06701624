//! What a computer player knows of draughts.

use super::turn::{Turn, squares};
use super::{Draughts, DraughtsRules};
use crate::kit::mix::mix;
use crate::{Evaluate, Outcome, Rules, Seat};

/// How many captures in a row the estimate looks through.
const MAX_CAPTURES: u32 = 6;

/// The estimate of a game that such captures end.
const DECIDED: i32 = 20_000;

/// What a man on the own last row is worth more: it keeps the other side from making kings.
const BACK_ROW: i32 = 6;

/// What each row forward is worth.
const FORWARD: i32 = 3;

/// What it is worth to have a piece near the middle.
const MIDDLE: i32 = 2;

impl<G: DraughtsRules> Evaluate for Draughts<G> {
    const EFFORT: u64 = G::EFFORT;

    const HAS_FEW_TURNS: bool = true;

    /// Many pieces before few.
    fn promise(&self, turn: &Turn<G>) -> i32 {
        10_000 * turn.captured.count_ones() as i32
    }

    fn number(&self, turn: &Turn<G>) -> u64 {
        let (from, to) = turn.ends();
        u64::from(from) << 6 | u64::from(to)
    }

    /// How often a position has occurred, and how long nothing was captured, is left out.
    fn key(&self) -> u64 {
        let sets = self.men.into_iter().chain(self.kings);
        let state = 2 * self.mover.index() as u64 + u64::from(self.outcome.is_some());
        mix(sets.chain([state]))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let value = self.after_captures(MAX_CAPTURES);
        if side == self.mover { value } else { -value }
    }
}

impl<G: DraughtsRules> Draughts<G> {
    /// The value for the mover when the captures that are a duty now have been made.
    fn after_captures(&self, most: u32) -> i32 {
        if most == 0 || !self.can_capture() {
            return self.strength(self.mover) - self.strength(self.mover.other()) + self.lead();
        }
        let values = self.captures().into_iter().map(|turn| {
            let mut after = self.clone();
            after.play(&turn);
            match after.outcome {
                None => -after.after_captures(most - 1),
                Some(Outcome::Drawn) => 0,
                Some(Outcome::Won(winner)) if winner == self.mover => DECIDED,
                Some(Outcome::Won(_)) => -DECIDED,
            }
        });
        values.max().unwrap_or_default()
    }

    fn worth(&self, seat: Seat) -> i32 {
        let [men, kings] = [self.men, self.kings].map(|sets| sets[seat.index()].count_ones() as i32);
        100 * men + G::KING_WORTH * kings
    }

    /// More material is worth the more the fewer pieces are left.
    fn lead(&self) -> i32 {
        let lead = self.worth(self.mover) - self.worth(self.mover.other());
        lead * 4 / (self.occupied().count_ones() as i32).max(1)
    }

    fn strength(&self, seat: Seat) -> i32 {
        let (men, is_top) = (self.men[seat.index()], Self::is_at_top(seat));
        let last = G::BOARD.place(G::BOARD.count() - 1).1;
        let middle = |column: u8, of: u8| i32::from(column.min(of - column));
        let steps: i32 = squares(men)
            .map(|square| {
                let (column, row) = G::BOARD.place(square);
                let done = if is_top { row } else { last - row };
                FORWARD * i32::from(done) + MIDDLE * middle(column, last)
            })
            .sum();
        let centred: i32 = squares(self.kings[seat.index()])
            .map(|square| {
                let (column, row) = G::BOARD.place(square);
                MIDDLE * (middle(column, last) + middle(row, last))
            })
            .sum();
        let back = (men & G::BOARD.edge(is_top)).count_ones() as i32;
        self.worth(seat) + steps + centred + BACK_ROW * back
    }
}
