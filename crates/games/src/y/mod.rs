//! Y, by Claude Shannon, and by Craige Schensted and Charles Titus, 1953: one chain that touches three sides.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::placement::joining::{self, chain, nearest, reached_from};
use super::families::placement::{self, Board, NO_SWAP, StoneGame, Stones};
use super::{Facts, OptionFact, Options, Outcome, Worked};
use crate::kit::hexagons::{Form, Hexagons};
use crate::kit::square::{BitBoard, Cell, WideBits};

const FACTS: Facts = Facts {
    name: "Y",
    title: "Y",
    sides: ["First", "Second"],
    options: &[
        OptionFact::number("size", [5, 21, 15], "the number of cells on a side"),
        NO_SWAP,
    ],
    designer: "Claude Shannon; Craige Schensted and Charles Titus",
    summary: "Put stones on a triangle and join all three sides.",
    rules: include_str!("rules.txt"),
    worked: Worked {
        options: &["-size=5", "-noswap"],
        before: &["b2", "a3", "b3", "c2", "a4", "c1", "c3"],
        turns: [
            (
                "a1",
                "Second takes the corner. First has the left side with a4 and the right side with c3, and needs the bottom.",
            ),
            (
                "b1",
                "The stone joins b2 to the bottom. One chain of First touches all three sides now.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["e5", "d6", "f4", "e6"],
    source: "Craige Schensted and Charles Titus, Mudcrack Y and Poly-Y, 1975, on the triangle of hexagons; the swap as in Hex",
    ..placement::FACTS
};

/// A position of Y. A board of 21 rows needs wide sets.
pub type Y = Stones<ThreeSides, 25, 10>;

/// The rule of Y: the bottom, the left and the right side. A corner belongs to two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreeSides([WideBits; 3]);

impl StoneGame<25, 10> for ThreeSides {
    const FACTS: Facts = FACTS;

    const EFFORT: u64 = 450;

    fn board(options: &Options) -> Board {
        // The option allows no number above 21.
        let size = options.number(&FACTS, "size") as u8;
        Board::Hexagons(Hexagons::new(Form::Triangle, size))
    }

    fn start(_: &Options, board: Board) -> Self {
        let (cells, last): (WideBits, u8) = (board.cells(), board.side() - 1);
        let on: [fn(Cell, u8) -> bool; 3] = [
            |cell, _| cell.row() == 0,
            |cell, _| cell.column() == 0,
            |cell, last| cell.column() + cell.row() == last,
        ];
        Self(on.map(|on| cells.iter().filter(|cell| on(*cell, last)).collect()))
    }

    fn follow(at: &mut Y, cell: Cell) -> Option<Outcome> {
        let stones = chain(at.board, BitBoard::of(cell), at.own());
        let wins = at.game.0.iter().all(|side| side.meets(stones));
        wins.then_some(Outcome::Won(at.mover))
    }

    fn effects(_: &Y, after: &Y, _: Cell) -> Vec<String> {
        let joined = after.winner().map(|_| "joined all three sides".to_owned());
        joined.into_iter().collect()
    }

    fn status(_: &Y) -> Option<String> {
        Some("both join all three sides".to_owned())
    }

    fn value(at: &Y) -> i32 {
        let missing = |side| {
            let (own, empty) = (at.stones[side], at.empty());
            nearest(&reached_from(at.board, at.game.0, own, empty), empty, 3)
        };
        let [own, other] = [at.mover, at.mover.other()].map(|side| missing(side.index()));
        joining::value(own, other)
    }

    fn worth_a_look(at: &Y) -> (WideBits, bool) {
        joining::worth_a_look(at)
    }
}
