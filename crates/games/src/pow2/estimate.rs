//! What a computer player knows of The Power of Two.

use super::Pow2;
use super::board::{board, each};
use crate::kit::mix::mix;
use crate::{Evaluate, Seat, Weighed};

impl Evaluate for Pow2 {
    const EFFORT: u64 = 3;

    fn key(&self) -> u64 {
        let [light, dark] = self.pieces;
        mix([light, dark, self.aged, self.mover.index() as u64])
    }

    fn estimate(&self, side: Seat) -> i32 {
        self.weighed(side)
    }
}

impl Weighed<3> for Pow2 {
    const WEIGHTS: [(&'static str, i32); 3] = [
        ("fresh pieces", 30),
        ("aged pieces", 20),
        ("points to move to", 1),
    ];

    fn counts(&self, side: Seat) -> [i32; 3] {
        let [own, other] = [side, side.other()].map(|side| self.strength(side));
        std::array::from_fn(|at| own[at] - other[at])
    }
}

impl Pow2 {
    /// In the order of the weights.
    fn strength(&self, side: Seat) -> [i32; 3] {
        let own = self.pieces[side.index()];
        let (all, aged) = (own.count_ones() as i32, (own & self.aged).count_ones() as i32);
        let occupied = self.occupied();
        let mobility: u32 = each(own)
            .map(|from| board().reach(self.noborder, from, occupied).count_ones())
            .sum();
        [all - aged, aged, mobility as i32]
    }
}
