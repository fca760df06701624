//! What a computer player knows of Hex.

use super::Hex;
use crate::games::{Judged, Seat};
use crate::kit::mix::mix;
use crate::kit::square::{Bits, Cell};

impl Judged for Hex {
    const EFFORT: u64 = 40;

    fn key(&self) -> u64 {
        let [first, second] = self.stones.map(|stones| stones.words());
        let rest = [self.mover.index() as u64 | u64::from(self.can_swap()) << 1];
        mix(first.into_iter().chain(second).chain(rest))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let (own, other) = (self.missing(side), self.missing(side.other()));
        70 * (other.0 - own.0) + 4 * (own.1 - other.1)
    }
}

impl Hex {
    /// How many stones this side needs to join its edges if the other side passes, and how many cells are on such a shortest
    /// way, counted from its first edge.
    fn missing(&self, side: Seat) -> (i32, i32) {
        let (own, empty) = (self.stones[side.index()], self.empty());
        let last = self.grid.size() - 1;
        let height = |cell: Cell| [cell.row(), cell.column()][side.index()];
        let edge = |at: u8| {
            self.grid
                .cells()
                .iter()
                .filter(|cell| height(*cell) == at)
                .collect::<Bits>()
        };
        let goal = edge(last);
        // What is reached with no stone: the first edge's own stones and what hangs together with them.
        let mut reached = edge(0) & own;
        reached = reached.spread_hexagonal(own);
        let mut open = edge(0) & empty;
        for stones in 0..=i32::from(last) + 1 {
            if reached.meets(goal) {
                return (stones, 0);
            }
            let next = (open | reached.hexagonal() & empty) - reached;
            if next.meets(goal) {
                return (stones + 1, (next & goal).count() as i32);
            }
            reached |= next;
            reached |= reached.hexagonal().spread_hexagonal(own);
            open = Bits::EMPTY;
        }
        (i32::from(last) + 2, 0)
    }
}
