//! What a computer player knows of Forms.

use super::Forms;
use crate::kit::mix::mix;
use crate::{Evaluate, Seat};

impl Evaluate for Forms {
    const EFFORT: u64 = 5;

    const STEP: u32 = 2;

    fn key(&self) -> u64 {
        let [black, white] = self.stones.map(|stones| stones.words());
        let mover = self.mover.index() as u64;
        mix(black.into_iter().chain(white).chain([mover]))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let [own, enemy] = [side, side.other()].map(|seat| self.stones[seat.index()].count() as i32);
        400 * (own - enemy) / (own + enemy).max(1)
    }
}
