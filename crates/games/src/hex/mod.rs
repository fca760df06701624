//! Hex, by Piet Hein, 1942, and John Nash, 1948: join your two sides of the board.

mod estimate;
mod pictured;
#[cfg(test)]
mod tests;

use super::families::placement::{self, Board, NO_SWAP, StoneGame, Stones, rows_and_columns};
use super::sgf::{Points, Sgf, Swapped};
use super::{Facts, Mistake, Mistakes, Options, Outcome, Seat, Worked};
use crate::kit::hexagons::{Form, Hexagons};
use crate::kit::picture::{self, Layout, Tone};
use crate::kit::rhombus::Rhombus;
use crate::kit::square::{Bits, Cell};

const FACTS: Facts = Facts {
    name: "Hex",
    title: "Hex",
    sides: ["First", "Second"],
    roles: Some(["dark (x): join top and bottom", "light (o): join left and right"]),
    options: &[rows_and_columns(3, 19, 11), NO_SWAP],
    designer: "Piet Hein and John Nash",
    summary: "Put stones on a board of hexagons and join your two sides.",
    rules: include_str!("rules.txt"),
    worked: Worked {
        options: &["-size=5"],
        before: &[],
        turns: [
            (
                "c2",
                "A stone near the middle is strong. Perhaps it is too strong:",
            ),
            (
                "swap",
                "Column and row are exchanged, so that the stone is worth as much to the second player, who joins left \
                 and right.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["c5", "f6", "g5", "e7"],
    source: "Piet Hein, Polygon, Politiken 1942; the swap as on Little Golem, by the place and not by the seat",
    ..placement::FACTS
};

/// A position of Hex.
pub type Hex = Stones<TwoSides>;

/// The rule of Hex: for each side, its stones that are joined to its first edge, the bottom or the left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoSides {
    joined: [Bits; 2],
}

impl StoneGame for TwoSides {
    const FACTS: Facts = FACTS;

    const SGF: Option<Sgf> = Some(Sgf {
        number: 11,
        points: Points::Names,
        first_row_is_top: true,
        swap: Swapped::Word("swap-pieces"),
        source: "https://red-bean.com/sgf/hex.html and HexWiki; Little Golem's files are read too",
    });

    const EFFORT: u64 = 100;

    const MISTAKES: Mistakes = Mistakes {
        medium: Mistake {
            noise: 30,
            overlooked: 0,
        },
        ..Mistakes::USUAL
    };

    fn board(options: &Options) -> Board {
        // The option allows no number above 19.
        let size = options.number(&FACTS, "size") as u8;
        Board::Hexagons(Hexagons::new(Form::Rhombus, size))
    }

    fn start(_: &Options, _: Board) -> Self {
        Self {
            joined: [Bits::EMPTY; 2],
        }
    }

    /// The mirror image in the long diagonal, which exchanges the goals.
    fn mirrored(cell: Cell) -> Cell {
        Cell::at(cell.row(), cell.column())
    }

    fn cleared(self) -> Self {
        Self {
            joined: [Bits::EMPTY; 2],
        }
    }

    fn follow(at: &mut Hex, cell: Cell) -> Option<Outcome> {
        let side = at.mover.index();
        let height = |cell: Cell| [cell.row(), cell.column()][side];
        let stone = Bits::of(cell);
        if height(cell) != 0 && !stone.hexagonal().meets(at.game.joined[side]) {
            return None;
        }
        // Only what the new stone joins is new.
        let more = stone.spread_hexagonal(at.stones[side] - at.game.joined[side]);
        at.game.joined[side] |= more;
        let last = at.board.side() - 1;
        let wins = more.iter().any(|cell| height(cell) == last);
        wins.then_some(Outcome::Won(at.mover))
    }

    fn effects(before: &Hex, after: &Hex, _: Cell) -> Vec<String> {
        let joined = match before.mover {
            Seat::First => "joined bottom and top",
            Seat::Second => "joined left and right",
        };
        after.winner().map(|_| joined.to_owned()).into_iter().collect()
    }

    fn status(_: &Hex) -> Option<String> {
        Some("x joins bottom and top, o left and right".to_owned())
    }

    fn layout(at: &Hex) -> Layout {
        picture::rhombus(at.board.side(), [Tone::Dark, Tone::Light])
    }

    /// Not while a swap is possible, which is no stone.
    fn rhombus(at: &Hex) -> Option<Rhombus> {
        if at.outcome.is_some() || at.allows_swap && at.stones[1].is_empty() {
            return None;
        }
        let mut board = Rhombus::new(at.board.side());
        for (side, stones) in (0..).zip(at.stones) {
            stones.iter().for_each(|cell| board.put(board.place(cell), side));
        }
        Some(board)
    }

    fn value(at: &Hex) -> i32 {
        Self::estimated(at)
    }
}
