//! How a computer searches such a game.

use super::{Stone, StoneGame, Stones};
use crate::evaluate::{best_of, promising_of};
use crate::kit::mix::mix;
use crate::kit::rhombus::Rhombus;
use crate::{Evaluate, Mistakes, Promising, Rules as _, Seat};

impl<G: StoneGame<STRIDE, WORDS>, const STRIDE: usize, const WORDS: usize> Evaluate
    for Stones<G, STRIDE, WORDS>
{
    const EFFORT: u64 = G::EFFORT;

    const BEST_FIRST: bool = true;

    const MISTAKES: Mistakes = G::MISTAKES;

    fn key(&self) -> u64 {
        let [first, second] = self.stones.map(|stones| stones.words());
        let rest = self.mover.index() as u64 | u64::from(self.can_swap()) << 1 | self.game.key() << 2;
        mix(first.into_iter().chain(second).chain([rest]))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let value = G::value(self);
        if side == self.mover { value } else { -value }
    }

    fn rhombus(&self) -> Option<Rhombus> {
        G::rhombus(self)
    }

    fn promising(&self, most: usize) -> Promising<Stone> {
        let (turns, is_whole) = self.worth_a_look();
        promising_of(self, turns, is_whole, most)
    }

    fn likely(&self, most: usize, is_first: bool) -> Promising<Stone> {
        match G::likely(self, is_first) {
            Some(cells) if self.outcome.is_none() && !self.can_swap() => {
                promising_of(self, cells.iter().map(Stone::On), false, most)
            }
            _ => self.promising(most),
        }
    }

    fn win_by_threats(&self) -> Option<Stone> {
        G::win_by_threats(self).map(Stone::On)
    }

    fn best(&self, enough: i32) -> (Option<i32>, u64) {
        best_of(self, self.worth_a_look().0, enough)
    }
}

impl<G: StoneGame<STRIDE, WORDS>, const STRIDE: usize, const WORDS: usize> Stones<G, STRIDE, WORDS> {
    /// The turns that can be good, and whether all others lose at once.
    fn worth_a_look(&self) -> (impl Iterator<Item = Stone> + use<G, STRIDE, WORDS>, bool) {
        let swap = self.can_swap().then_some(Stone::Swap);
        let (cells, is_whole) = match self.to_move() {
            Some(_) => G::worth_a_look(self),
            None => (self.open(), true),
        };
        (cells.iter().map(Stone::On).chain(swap), is_whole)
    }
}
