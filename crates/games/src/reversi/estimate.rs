//! What a computer player knows of Reversi.

use super::{Reversi, Turn};
use crate::kit::mix::mix;
use crate::kit::square::{Cell, SmallBits, Way};
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

impl Weighed<8> for Reversi {
    const WEIGHTS: [(&'static str, i32); 8] = [
        ("corners", 80),
        ("discs diagonal to open corners", -80),
        ("discs on edges beside open corners", -14),
        ("discs on edges in a row from a corner", 10),
        ("turns to choose from", 6),
        ("discs beside empty cells", -6),
        ("discs late in the game", 1),
        ("to move", -10),
    ];

    fn counts(&self, side: Seat) -> [i32; 8] {
        let [own, other] = [side, side.other()].map(|side| self.strength(side));
        std::array::from_fn(|at| own[at] - other[at])
    }
}

impl Reversi {
    /// See the weights. Late in the game the discs count more with each cell that is filled.
    fn strength(&self, side: Seat) -> [i32; 8] {
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
        let edges = [
            board.row(0),
            board.row(last),
            board - board.step(Way::East),
            board - board.step(Way::West),
        ];
        let held = edges.into_iter().fold(SmallBits::EMPTY, |all, edge| {
            let own = own & edge;
            all | (corners & own).spread_around(own)
        });
        let exposed = empty.around() & own;
        let [own_corners, diagonal, risky, held, exposed] = [
            corners & own,
            beside_corners & board.inner(),
            beside_corners - board.inner(),
            held - corners,
            exposed,
        ]
        .map(|set| set.count() as i32);
        let choice = self.open_to(side).count() as i32;
        let late = (END - empty.count() as i32).max(0);
        [
            own_corners,
            diagonal,
            risky,
            held,
            choice,
            exposed,
            late * own.count() as i32,
            i32::from(side == self.mover),
        ]
    }
}
