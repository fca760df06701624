//! What a computer player knows of Amazons.

use super::Amazons;
use crate::kit::mix::mix;
use crate::kit::square::SmallBits;
use crate::{Evaluate, Mistake, Mistakes, Seat};

impl Evaluate for Amazons {
    const EFFORT: u64 = 8;

    const MISTAKES: Mistakes = Mistakes {
        medium: Mistake {
            noise: 30,
            overlooked: 10,
        },
        ..Mistakes::USUAL
    };

    fn key(&self) -> u64 {
        let [white, black] = self.amazons.map(SmallBits::words);
        let rest = [self.mover.index() as u64];
        mix(white
            .into_iter()
            .chain(black)
            .chain(self.arrows.words())
            .chain(rest))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let (own, other) = (self.reach(side), self.reach(side.other()));
        let near = |count: SmallBits| count.count() as i32;
        let [closer, farther] = self.nearer(side);
        12 * (near(closer) - near(farther)) + 5 * (near(own) - near(other))
    }
}

impl Amazons {
    /// The cells that this side's amazons can go to in one move.
    fn reach(&self, side: Seat) -> SmallBits {
        let free = self.free();
        let reached = self.amazons[side.index()]
            .iter()
            .map(|from| SmallBits::queen(from, free));
        reached.fold(SmallBits::EMPTY, |all, cells| all | cells)
    }

    /// The free cells that this side reaches in fewer single steps than the other, and those where it is the other way.
    fn nearer(&self, side: Seat) -> [SmallBits; 2] {
        let mut free = self.free();
        let mut fronts = [side, side.other()].map(|seat| self.amazons[seat.index()]);
        let mut won = [SmallBits::EMPTY; 2];
        while !(fronts[0].is_empty() && fronts[1].is_empty()) {
            let [a, b] = fronts.map(|front| front.around() & free);
            won = [won[0] | (a - b), won[1] | (b - a)];
            free -= a | b;
            // A cell that both reach at the same time is nobody's, and leads on for both.
            fronts = [a, b];
        }
        won
    }
}
