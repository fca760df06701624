//! What a computer player knows of Breakthrough.

use super::Breakthrough;
use crate::kit::mix::mix;
use crate::kit::square::SmallBits;
use crate::{Evaluate, Seat};

impl Evaluate for Breakthrough {
    const EFFORT: u64 = 2;

    fn key(&self) -> u64 {
        let [white, black] = self.pawns.map(SmallBits::words);
        mix(white.into_iter().chain(black).chain([self.mover.index() as u64]))
    }

    fn estimate(&self, side: Seat) -> i32 {
        self.strength(side) - self.strength(side.other())
    }
}

impl Breakthrough {
    /// A pawn is worth more the nearer it is to its goal, and so is one on the own edge, which guards it.
    fn strength(&self, side: Seat) -> i32 {
        let (pawns, size) = (self.pawns[side.index()], self.grid.size());
        let rows = (0..size).map(|done| {
            let row = match side {
                Seat::First => done,
                Seat::Second => size - 1 - done,
            };
            let guards = if done == 0 { 12 } else { 0 };
            let left = i32::from(size - 1 - done);
            pawns.row(row).count() as i32 * (60 + guards + 240 / (left * left + 2))
        });
        rows.sum()
    }
}
