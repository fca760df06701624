//! What the search goes on with beyond its depth: captures, one after the other, which the player to move need not make.

use super::alpha_beta::{Ended, Search};
use super::value::later;
use crate::Seat;

impl Search<'_> {
    /// The value of a position when the captures that pay have been made.
    pub(super) fn settled(&mut self, mover: Seat, least: i32, most: i32, ply: i32) -> Result<i32, Ended> {
        self.go_on()?;
        self.nodes += 1;
        let mut best = self.walk.estimate(mover);
        if best >= most {
            return Ok(best);
        }
        for turn in 0..self.walk.list_captures() {
            self.walk.play(turn);
            let value = match self.walk.to_move() {
                Some(next) => self
                    .settled(next, -most, -best.max(least), ply + 1)
                    .map(|value| -value),
                None => Ok(later(self.walk.end(mover).unwrap_or_default(), ply + 1)),
            };
            self.walk.back();
            best = best.max(value?);
            if best >= most {
                break;
            }
        }
        Ok(best)
    }
}
