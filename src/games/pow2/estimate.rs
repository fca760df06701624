//! What a computer player knows of The Power of Two.

use super::Pow2;
use super::board::{board, each};
use crate::games::{Judged, Seat};
use crate::kit::mix::mix;

impl Judged for Pow2 {
    const EFFORT: u64 = 3;

    fn key(&self) -> u64 {
        let [light, dark] = self.pieces;
        mix([light, dark, self.aged, self.mover.index() as u64])
    }

    fn estimate(&self, side: Seat) -> i32 {
        self.strength(side) - self.strength(side.other())
    }
}

impl Pow2 {
    fn strength(&self, side: Seat) -> i32 {
        let own = self.pieces[side.index()];
        let (all, aged) = (own.count_ones() as i32, (own & self.aged).count_ones() as i32);
        let occupied = self.occupied();
        let mobility: u32 = each(own)
            .map(|from| board().reach(self.noborder, from, occupied).count_ones())
            .sum();
        30 * all - 10 * aged + mobility as i32
    }
}
