//! How a computer searches such a game.

use std::ops::ControlFlow;

use super::{Liberties, LibertyGame, Point, Turn};
use crate::evaluate::{best_of, promising_of};
use crate::kit::mix::mix;
use crate::kit::square::Bits;
use crate::{Evaluate, Mistakes, Promising, Rules as _, Seat};

/// What it is worth that a pass wins the game at once.
const WINS_BY_PASS: i32 = 50_000;

impl<G: LibertyGame> Evaluate for Liberties<G> {
    const EFFORT: u64 = G::EFFORT;

    const MISTAKES: Mistakes = G::MISTAKES;

    fn key(&self) -> u64 {
        let stones = self.board.stones.map(|stones| stones.words());
        let rest = self.mover.index() as u64 | u64::from(self.can_swap()) << 1 | u64::from(self.passes) << 2;
        mix(stones.concat().into_iter().chain([rest]))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let value = match self.passes {
            // So a computer passes a game away only if it has nothing else to do.
            1 if self.wins_by_pass() => WINS_BY_PASS,
            _ => G::value(self),
        };
        if side == self.mover { value } else { -value }
    }

    fn promising(&self, most: usize) -> Promising<Turn> {
        let (turns, is_whole) = self.worth_a_look();
        promising_of(self, turns, is_whole, most)
    }

    fn best(&self, enough: i32) -> (Option<i32>, u64) {
        best_of(self, self.worth_a_look().0, enough)
    }

    fn turns_that_may_win(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        let pass =
            (self.passes == 1 && G::FACTS.knows_pass && self.to_move().is_some()).then_some(Turn::Pass);
        let stones = G::may_win(self, self.legal())
            .iter()
            .map(|cell| Turn::On(Point(cell)));
        pass.into_iter().chain(stones).try_for_each(|turn| each(&turn))
    }
}

impl<G: LibertyGame> Liberties<G> {
    fn wins_by_pass(&self) -> bool {
        let mut after = self.clone();
        after.play(&Turn::Pass);
        after.outcome() == Some(crate::Outcome::Won(self.mover))
    }

    /// The turns that can be good, a pass before stones of the same value, and whether these are all turns.
    fn worth_a_look(&self) -> (impl Iterator<Item = Turn> + use<G>, bool) {
        let legal = self.legal();
        let worth = G::worth_a_look(self, legal) & legal;
        let stones = match worth.is_empty() && self.words().next().is_none() {
            true => legal,
            false => worth,
        };
        (
            self.words()
                .chain(stones.iter().map(|cell| Turn::On(Point(cell)))),
            stones == legal,
        )
    }

    /// The crossings near stones, and those of the lines and corners where a game begins.
    #[must_use]
    pub fn near_stones_and_corners(&self) -> Bits {
        let board = &self.board;
        let stones = board.stones[0] | board.stones[1];
        let inside = board.cells.north() & board.cells.south() & board.cells.east() & board.cells.west();
        let edge = board.cells - inside;
        let second = edge.adjacent() & inside;
        let inner = board.cells - edge - second;
        let third = inner & second.around();
        let opening = match stones.count() < u32::from(board.grid.size()) {
            true => inner & (third | third.around()),
            false => Bits::EMPTY,
        };
        stones.around().around() | opening
    }
}
