//! What a computer player knows of Reversi.

use super::{Reversi, Turn};
use crate::kit::mix::mix;
use crate::kit::square::{Cell, SmallBits};
use crate::{Evaluate, Seat, Weighed};

/// With fewer empty cells the discs themselves count.
const END: i32 = 12;

impl Evaluate for Reversi {
    const EFFORT: u64 = 5;

    const HAS_FEW_TURNS: bool = true;

    /// A corner first, a cell next to one last.
    fn promise(&self, turn: &Turn) -> i32 {
        let Turn::Disc(cell) = turn else { return 0 };
        let last = self.grid.size() - 1;
        let from_edge = |place: u8| place.min(last - place);
        match (from_edge(cell.column()), from_edge(cell.row())) {
            (0, 0) => 10_000,
            (0 | 1, 0 | 1) => -10_000,
            _ => 0,
        }
    }

    fn number(&self, turn: &Turn) -> u64 {
        match turn {
            Turn::Disc(cell) => u64::from(cell.row()) * 10 + u64::from(cell.column()),
            Turn::Pass => 100,
        }
    }

    fn key(&self) -> u64 {
        let [black, white] = self.discs.map(SmallBits::words);
        mix(black.into_iter().chain(white).chain([self.mover.index() as u64]))
    }

    fn estimate(&self, side: Seat) -> i32 {
        self.weighed(side)
    }
}

impl Weighed<5> for Reversi {
    const WEIGHTS: [(&'static str, i32); 5] = [
        ("corners", 120),
        ("discs beside open corners", -35),
        ("turns to choose from", 10),
        ("discs beside empty cells", -4),
        ("discs late in the game", 1),
    ];

    fn counts(&self, side: Seat) -> [i32; 5] {
        let [own, other] = [side, side.other()].map(|side| self.strength(side));
        std::array::from_fn(|at| own[at] - other[at])
    }
}

impl Reversi {
    /// Corners, the turns to choose from, few discs that can be turned over, and late in the game the discs, more with each cell
    /// that is filled.
    fn strength(&self, side: Seat) -> [i32; 5] {
        let [own, other] = [side, side.other()].map(|seat| self.discs[seat.index()]);
        let board = SmallBits::square(self.grid.size());
        let empty = board - own - other;
        let last = self.grid.size() - 1;
        let corners: SmallBits = [(0, 0), (0, last), (last, 0), (last, last)]
            .into_iter()
            .map(|(column, row)| Cell::at(column, row))
            .collect();
        let open_corners = corners & empty;
        let beside_corners = open_corners.around() & own;
        let exposed = empty.around() & own;
        let [own_corners, risky, exposed] =
            [corners & own, beside_corners, exposed].map(|set| set.count() as i32);
        let choice = self.open_to(side).count() as i32;
        let late = (END - empty.count() as i32).max(0);
        [own_corners, risky, choice, exposed, late * own.count() as i32]
    }
}
