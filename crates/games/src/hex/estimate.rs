//! What a computer player knows of Hex.

use super::Hex;
use crate::kit::mix::mix;
use crate::kit::square::{Bits, Cell};
use crate::{Evaluate, Mistake, Mistakes, Seat};

/// What a stone that is missing is worth, and to be to move.
const STONE: i32 = 70;
const TEMPO: i32 = 30;

/// No way is longer.
const LONGEST: i32 = 20;

impl Evaluate for Hex {
    const EFFORT: u64 = 100;

    const BEST_FIRST: bool = true;

    const MISTAKES: Mistakes = Mistakes {
        medium: Mistake {
            noise: 30,
            overlooked: 0,
        },
        ..Mistakes::USUAL
    };

    fn key(&self) -> u64 {
        let [first, second] = self.stones.map(|stones| stones.words());
        let rest = [self.mover.index() as u64 | u64::from(self.can_swap()) << 1];
        mix(first.into_iter().chain(second).chain(rest))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let (own, other) = (self.missing(side), self.missing(side.other()));
        let tempo = if side == self.mover { TEMPO } else { -TEMPO };
        STONE * (other.0 - own.0) + 4 * (own.1 - other.1) + tempo
    }
}

impl Hex {
    /// How many stones this side needs to join its edges if the other side passes and bridges need none, and how many cells are on
    /// such a shortest way, counted from its first edge. If bridges alone join the edges, it is the better the fewer stones are
    /// needed with them, so that the game comes to its end.
    fn missing(&self, side: Seat) -> (i32, i32) {
        match self.shortest(side, self.joined_to_edges(side), with_bridges) {
            (0, _) => (
                0,
                LONGEST
                    - self
                        .shortest(side, self.edges(side), |cells, _| cells.hexagonal())
                        .0,
            ),
            missing => missing,
        }
    }

    /// The stones missing on the shortest way between two edges, and the cells where such ways end. `near` are the cells to which
    /// others are joined.
    fn shortest(&self, side: Seat, [edge, goal]: [Bits; 2], near: fn(Bits, Bits) -> Bits) -> (i32, i32) {
        let (own, empty) = (self.stones[side.index()], self.empty());
        let joined = |mut reached: Bits| {
            loop {
                let next = reached | near(reached, empty) & own;
                if next == reached {
                    return reached;
                }
                reached = next;
            }
        };
        let mut reached = joined(edge & own);
        let mut open = edge & empty;
        for stones in 0..=LONGEST {
            if reached.meets(goal) {
                return (stones, 0);
            }
            let next = (open | near(reached, empty) & empty) - reached;
            if next.meets(goal) {
                return (stones + 1, (next & goal).count() as i32);
            }
            reached = joined(reached | next);
            open = Bits::EMPTY;
        }
        (LONGEST, 0)
    }

    /// The cells on the edges that this side is to join.
    fn edges(&self, side: Seat) -> [Bits; 2] {
        let height = |cell: Cell| [cell.row(), cell.column()][side.index()];
        [0, self.grid.size() - 1].map(|at| {
            let cells = self.grid.cells().iter();
            cells.filter(|cell| height(*cell) == at).collect()
        })
    }

    /// The cells that are joined to these edges: those on them, and those with two empty cells between.
    fn joined_to_edges(&self, side: Seat) -> [Bits; 2] {
        let edges = self.edges(side);
        let [low, high] = edges.map(|edge| edge & self.empty());
        let between = match side {
            Seat::First => [
                low.north() & low.north().west(),
                high.south() & high.south().east(),
            ],
            Seat::Second => [low.east() & low.east().south(), high.west() & high.west().north()],
        };
        [edges[0] | between[0], edges[1] | between[1]]
    }
}

/// The neighbours of these cells, and the cells two empty cells away, of which the opponent can take only one: bridges.
fn with_bridges(cells: Bits, empty: Bits) -> Bits {
    let ways: [fn(Bits) -> Bits; 6] = [
        Bits::east,
        Bits::north,
        |cells| cells.north().west(),
        Bits::west,
        Bits::south,
        |cells| cells.south().east(),
    ];
    let neighbours = ways.map(|way| way(cells));
    let mut near = Bits::EMPTY;
    for at in 0..ways.len() {
        let next = (at + 1) % ways.len();
        near |= neighbours[at] | ways[next](neighbours[at] & empty) & ways[at](neighbours[next] & empty);
    }
    near
}
