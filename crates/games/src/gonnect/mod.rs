//! Gonnect by Joao Pedro Neto, 2000: the stones of Go, and a chain from side to side.

mod estimate;
mod pictured;
#[cfg(test)]
mod tests;

use super::families::liberties::{Liberties, LibertyGame};
use super::families::placement::NO_SWAP;
use super::{Facts, OptionFact, Options, Outcome, Worked};
use crate::Seat;
use crate::kit::square::Bits;

const FACTS: Facts = Facts {
    name: "Gonnect",
    title: "Gonnect",
    options: &[
        OptionFact::number("size", [7, 19, 13], "the number of rows and of columns"),
        NO_SWAP,
    ],
    designer: "Joao Pedro Neto, in 2000",
    summary: "Join two opposite sides of the board with stones that can be captured.",
    rules: include_str!("rules.txt"),
    notation: "The crossing of the stone, such as d4. The second player can write swap in the place of the first own turn. The \
               letters of the columns leave out i.",
    worked: Worked {
        options: &["-size=7"],
        before: &[],
        turns: [
            (
                "d4",
                "The middle is the best place for the first stone. Perhaps it is too good:",
            ),
            (
                "swap",
                "White takes the place with a stone of its own, and Black goes on. A stone nearer to the edge would not have \
                 been worth it.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["d4", "k10", "k4", "d10"],
    source: "the inventor's page (http://homepages.di.fc.ul.pt/~jpn/gv/gonnect.htm) and his article with Cameron Browne in \
             Abstract Games 6; that no board may come twice is decided here, where they say the ko of Go",
    knows_swap: true,
    longest_random_game: 20_000,
    ..Facts::BLANK
};

/// A position of Gonnect.
pub type Gonnect = Liberties<Joined>;

/// The rule of Gonnect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Joined;

/// The four sides of a board: left and right, bottom and top.
fn sides(cells: Bits) -> [[Bits; 2]; 2] {
    [
        [cells - cells.east(), cells - cells.west()],
        [cells - cells.north(), cells - cells.south()],
    ]
}

/// Which opposite sides these stones join: left and right, bottom and top.
fn joins(cells: Bits, stones: Bits) -> [bool; 2] {
    sides(cells).map(|[from, to]| (from & stones).spread(stones).meets(to))
}

impl LibertyGame for Joined {
    const FACTS: Facts = FACTS;

    const EFFORT: u64 = 60;

    fn start(_: &Options) -> Self {
        Self
    }

    fn end(at: &Gonnect, _: Bits) -> Option<Outcome> {
        let has_joined = |seat: Seat| joins(at.board.cells, at.board.of(seat)).contains(&true);
        has_joined(at.mover).then_some(Outcome::Won(at.mover))
    }

    fn ended(after: &Gonnect) -> Option<String> {
        let [mover, other] = [after.mover.other(), after.mover];
        Some(match joins(after.board.cells, after.board.of(mover)) {
            [true, true] => "joined all four sides".to_owned(),
            [true, _] => "joined the left and the right".to_owned(),
            [_, true] => "joined the bottom and the top".to_owned(),
            _ => format!("left {} no turn", FACTS.sides[other.index()]),
        })
    }

    fn value(at: &Gonnect) -> i32 {
        Self::estimated(at)
    }

    fn worth_a_look(at: &Gonnect, legal: Bits) -> Bits {
        let near = legal & at.near_stones_and_corners();
        near.iter()
            .filter(|cell| !at.board.is_eye(at.mover, *cell))
            .collect()
    }
}
