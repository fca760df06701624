//! What a computer player knows of Hex.

use super::{Hex, TwoSides};
use crate::Seat;
use crate::families::placement::joining::{MAX_MISSING, shortest, with_bridges};
use crate::kit::hexagons::Form;
use crate::kit::square::{Bits, Cell};

/// What a stone that is missing is worth, and to be to move.
const STONE: i32 = 70;
const TEMPO: i32 = 30;

impl TwoSides {
    /// The estimate for the player to move.
    pub(super) fn estimated(at: &Hex) -> i32 {
        let [own, other] = [at.mover, at.mover.other()].map(|side| missing(at, side));
        STONE * (other.0 - own.0) + 4 * (own.1 - other.1) + TEMPO
    }
}

/// How many stones this side needs to join its edges if the other side passes and bridges need none, and how many cells are on
/// such a shortest way, counted from its first edge. If bridges alone join the edges, it is the better the fewer stones are
/// needed with them, so that the game comes to its end.
fn missing(at: &Hex, side: Seat) -> (i32, i32) {
    let (own, empty, edges) = (at.stones[side.index()], at.empty(), edges(at, side));
    let joined = joined_to_edges(edges, empty, side);
    match shortest(own, empty, joined, |cells| {
        with_bridges(Form::Rhombus, cells, empty)
    }) {
        (0, _) => (0, MAX_MISSING - shortest(own, empty, edges, Bits::hexagonal).0),
        missing => missing,
    }
}

/// The cells on the edges that this side is to join.
fn edges(at: &Hex, side: Seat) -> [Bits; 2] {
    let height = |cell: Cell| [cell.row(), cell.column()][side.index()];
    [0, at.board.side() - 1].map(|edge| {
        let cells = at.cells.iter();
        cells.filter(|cell| height(*cell) == edge).collect()
    })
}

/// The cells that are joined to these edges: those on them, and those with two empty cells between.
fn joined_to_edges(edges: [Bits; 2], empty: Bits, side: Seat) -> [Bits; 2] {
    let [low, high] = edges.map(|edge| edge & empty);
    let between = match side {
        Seat::First => [
            low.north() & low.north().west(),
            high.south() & high.south().east(),
        ],
        Seat::Second => [low.east() & low.east().south(), high.west() & high.west().north()],
    };
    [edges[0] | between[0], edges[1] | between[1]]
}
