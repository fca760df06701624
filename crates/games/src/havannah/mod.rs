//! Havannah, by Christian Freeling, 1979: a ring, a bridge or a fork.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::placement::joining::{self, chain, nearest, reached_from};
use super::families::placement::{self, Board, NO_SWAP, StoneGame, Stones};
use super::{Facts, OptionFact, Options, Outcome, Worked};
use crate::kit::hexagons::{Form, Hexagons};
use crate::kit::square::{Bits, Cell};

const FACTS: Facts = Facts {
    name: "Havannah",
    title: "Havannah",
    sides: ["White", "Black"],
    letters: ["o", "x"],
    options: &[
        OptionFact::number("size", [4, 10, 8], "the number of cells on a side"),
        NO_SWAP,
    ],
    designer: "Christian Freeling",
    summary: "Put stones on a hexagon; a ring, a bridge or a fork wins.",
    rules: include_str!("rules.txt"),
    worked: Worked {
        options: &["-size=4", "-noswap"],
        before: &["c3", "d4", "d3", "a1", "e4", "b1", "e5", "g7", "d5"],
        turns: [
            (
                "c1",
                "Black looks for a bridge from a1 to the corner d1, and sees nothing else. But White has five stones round d4.",
            ),
            (
                "c4",
                "The sixth stone closes the ring. That Black's stone is inside does not matter.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["h8", "g9", "i8", "h9"],
    source: "Christian Freeling, https://mindsports.nl, the rules of Havannah, with the swap of the first stone",
    knows_draws: true,
    ..placement::FACTS
};

/// A position of Havannah.
pub type Havannah = Stones<Shapes>;

/// The rule of Havannah: the corners, and the sides without them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shapes {
    corners: [Bits; 6],
    sides: [Bits; 6],
}

/// How a chain wins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Ring,
    Bridge,
    Fork,
}

/// The shape that the stone on this cell is part of.
fn shape(at: &Havannah, own: Bits, cell: Cell) -> Option<Shape> {
    let (board, Shapes { corners, sides }) = (at.board, at.game);
    let stone = Bits::of(cell);
    let stones = chain(board, stone, own);
    let met = |ends: [Bits; 6]| ends.into_iter().filter(|end| end.meets(stones)).count();
    if met(corners) > 1 {
        return Some(Shape::Bridge);
    }
    if met(sides) > 2 {
        return Some(Shape::Fork);
    }
    let may_close = (board.around(stone) & own).count() > 1;
    (may_close && has_ring(at, stones)).then_some(Shape::Ring)
}

/// Whether a loop of these stones goes round a cell, whatever is in it.
fn has_ring(at: &Havannah, stones: Bits) -> bool {
    let Shapes { corners, sides } = at.game;
    let others = at.cells - stones;
    let edge = corners
        .into_iter()
        .chain(sides)
        .fold(Bits::EMPTY, |all, end| all | end);
    // A loop round stones of the chain goes round one whose neighbours are all of the chain.
    let is_round_own = (stones - edge)
        .iter()
        .any(|cell| !at.board.around(Bits::of(cell)).meets(others));
    is_round_own || chain(at.board, edge, others) != others
}

impl StoneGame for Shapes {
    const FACTS: Facts = FACTS;

    const EFFORT: u64 = 1300;

    fn board(options: &Options) -> Board {
        // The option allows no number above 10.
        let size = options.number(&FACTS, "size") as u8;
        Board::Hexagons(Hexagons::new(Form::Hexagon, size))
    }

    fn start(_: &Options, board: Board) -> Self {
        let (last, long) = (board.side() - 1, board.grid().size() - 1);
        let corners = [
            (0, 0),
            (last, 0),
            (long, last),
            (long, long),
            (last, long),
            (0, last),
        ];
        let corners = corners.map(|(column, row)| Bits::of(Cell::at(column, row)));
        let all = corners.into_iter().fold(Bits::EMPTY, |all, corner| all | corner);
        let on: [fn(Cell, u8, u8) -> bool; 6] = [
            |cell, _, _| cell.row() == 0,
            |cell, last, _| cell.column() == cell.row() + last,
            |cell, _, long| cell.column() == long,
            |cell, _, long| cell.row() == long,
            |cell, last, _| cell.row() == cell.column() + last,
            |cell, _, _| cell.column() == 0,
        ];
        let cells: Bits = board.cells();
        let sides = on.map(|on| {
            cells
                .iter()
                .filter(|cell| on(*cell, last, long))
                .collect::<Bits>()
                - all
        });
        Self { corners, sides }
    }

    fn follow(at: &mut Havannah, cell: Cell) -> Option<Outcome> {
        shape(at, at.own(), cell).map(|_| Outcome::Won(at.mover))
    }

    fn effects(before: &Havannah, after: &Havannah, cell: Cell) -> Vec<String> {
        let made = shape(after, after.stones[before.mover.index()], cell).map(|shape| match shape {
            Shape::Ring => "closed a ring",
            Shape::Bridge => "made a bridge between two corners",
            Shape::Fork => "made a fork of three sides",
        });
        made.map(str::to_owned).into_iter().collect()
    }

    fn value(at: &Havannah) -> i32 {
        let missing = |side| {
            let (own, empty, Self { corners, sides }) = (at.stones[side], at.empty(), at.game);
            let bridge = nearest(&reached_from(at.board, corners, own, empty), empty, 2);
            let fork = nearest(&reached_from(at.board, sides, own, empty), empty, 3);
            if bridge.0 < fork.0 { bridge } else { fork }
        };
        let [own, other] = [at.mover, at.mover.other()].map(|side| missing(side.index()));
        joining::value(own, other)
    }

    fn worth_a_look(at: &Havannah) -> (Bits, bool) {
        joining::worth_a_look(at)
    }
}
