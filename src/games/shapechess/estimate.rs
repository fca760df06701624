//! What a computer player knows of Shape Chess.

use super::ShapeChess;
use super::shape::shapes;
use crate::games::{Judged, Seat};
use crate::kit::mix::mix;

impl Judged for ShapeChess {
    const EFFORT: u64 = 15;

    fn key(&self) -> u64 {
        let [black, white] = self.stones.map(|stones| stones.words());
        let [x, o] = self.points.map(u64::from);
        let rest = [x, o, self.mover.index() as u64];
        mix(black.into_iter().chain(white).chain(rest))
    }

    fn estimate(&self, side: Seat) -> i32 {
        self.strength(side) - self.strength(side.other())
    }
}

impl ShapeChess {
    fn strength(&self, side: Seat) -> i32 {
        let stones = self.stones[side.index()];
        let potential: i32 = shapes(stones, stones)
            .map(|shape| (shape.count() as i32).min(8).pow(2))
            .sum();
        400 * self.points[side.index()] as i32 + potential
    }
}
