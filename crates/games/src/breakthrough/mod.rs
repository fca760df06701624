//! Breakthrough, by Dan Troyka, 2000: bring one pawn through to the last row.

mod estimate;
mod pictured;
#[cfg(test)]
mod race_tests;
#[cfg(test)]
mod tests;

use super::families::steps::{Bounded, StepGame, Steps};
use super::{Facts, OptionFact, Options, Outcome, Seat, Worked};
use crate::kit::square::{Cell, Grid, Move, SmallBits, Way};

const FACTS: Facts = Facts {
    name: "Breakthrough",
    title: "Breakthrough",
    sides: ["White", "Black"],
    letters: ["o", "x"],
    options: &[OptionFact::number(
        "size",
        [5, 10, 8],
        "the number of rows and of columns",
    )],
    designer: "Dan Troyka",
    summary: "Pawns that move one step forward. The first pawn on the last row wins.",
    rules: include_str!("rules.txt"),
    notation: "The cell of the pawn and the cell that it moves to, with a hyphen between them: b2-c3. Captures are \
               written alike; b2xc3 is read too, and c3 alone if only one of your pawns can go there.",
    worked: Worked {
        options: &["-size=5"],
        before: &["c2-c3", "b4-b3"],
        turns: [
            ("a2-b3", "A pawn captures diagonally ahead."),
            ("a4-b3", "Black takes back: the pawn on a4 guarded b3."),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["b2-c3", "g7-g6", "c3-c4", "g6-f5"],
    source: "Dan Troyka, Breakthrough, 8x8 Game Design Competition 2001",
    // Each turn brings a pawn one row forward. On the largest board ten pawns of each side can go nine rows and ten can
    // go eight.
    longest_random_game: 340,
    ..Facts::BLANK
};

/// The three ways forward of each side, the straight one first.
const FORWARD: [[Way; 3]; 2] = [
    [Way::North, Way::NorthWest, Way::NorthEast],
    [Way::South, Way::SouthWest, Way::SouthEast],
];

/// A position of Breakthrough.
pub type Breakthrough = Steps<Race>;

/// The rule of Breakthrough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race;

/// The cells to which these pawns of the mover can go, by way, in the order of [`FORWARD`].
fn targets(at: &Breakthrough, pawns: SmallBits) -> [(Way, SmallBits); 3] {
    let others = SmallBits::square(at.grid.size()) - at.own();
    FORWARD[at.mover.index()].map(|way| {
        let ahead = pawns.step(way) & others;
        match way {
            Way::North | Way::South => (way, ahead - at.enemy()),
            _ => (way, ahead),
        }
    })
}

impl StepGame for Race {
    const FACTS: Facts = FACTS;
    const PIECE: &'static str = "pawn";
    const EFFORT: u64 = 4;
    type Past = Bounded;

    fn start(options: &Options) -> (Grid, [SmallBits; 2]) {
        // The option allows no number above 10.
        let size = options.number(&FACTS, "size") as u8;
        let cells = SmallBits::square(size);
        let rows = |[a, b]: [u8; 2]| cells.row(a) | cells.row(b);
        (Grid::new(size), [rows([0, 1]), rows([size - 2, size - 1])])
    }

    fn moves(at: &Breakthrough, pawns: SmallBits) -> impl Iterator<Item = Move> {
        targets(at, pawns).into_iter().flat_map(|(way, cells)| {
            cells.into_iter().filter_map(move |to| {
                let from = SmallBits::of(to).step(way.opposite()).first()?;
                Some(Move { from, to })
            })
        })
    }

    fn count(at: &Breakthrough) -> u64 {
        let counts = targets(at, at.own()).map(|(_, cells)| cells.count());
        counts.into_iter().map(u64::from).sum()
    }

    fn no_target(at: &Breakthrough, from: Cell, to: Cell) -> String {
        let [we, they] = [at.mover, at.mover.other()].map(Breakthrough::side);
        let (_, up) = FORWARD[at.mover.index()][0].step();
        let is_one_row = i16::from(to.row()) - i16::from(from.row()) == i16::from(up);
        if !is_one_row || from.column().abs_diff(to.column()) > 1 {
            format!(
                "A pawn moves one step forward, straight or diagonally, and {to} is not one step ahead of {from}."
            )
        } else if at.own().has(to) {
            format!("A pawn cannot move onto a pawn of its own colour, and the one on {to} is {we}'s too.")
        } else {
            format!(
                "A pawn captures only diagonally, and {to}, where {they}'s pawn is, is straight ahead of {from}."
            )
        }
    }

    fn end(at: &Breakthrough, mover: Seat, to: Cell) -> Option<Outcome> {
        let last_row = [at.grid.size() - 1, 0][mover.index()];
        (to.row() == last_row || at.own().is_empty()).then_some(Outcome::Won(mover))
    }

    fn words_of_end(at: &Breakthrough, _: Seat, _: Outcome) -> String {
        let words = if at.own().is_empty() {
            "left no enemy pawn"
        } else {
            "reached the last row"
        };
        words.to_owned()
    }

    const KNOWS_CAPTURES: bool = true;

    fn foregone(at: &Breakthrough) -> Option<i32> {
        at.race()
    }

    /// Pawns one step from their goal.
    fn threats(at: &Breakthrough) -> SmallBits {
        let last = at.grid.size() - 2;
        let [own, other] = match at.mover {
            Seat::First => [last, 1],
            Seat::Second => [1, last],
        };
        match at.own().row(own).is_empty() {
            true => at.enemy().row(other),
            false => SmallBits::EMPTY,
        }
    }

    /// The nearer to the goal, the earlier.
    fn promise(at: &Breakthrough, to: Cell) -> i32 {
        let last = at.grid.size() - 1;
        let done = [to.row(), last - to.row()][at.mover.index()];
        if done == last {
            100_000
        } else {
            40 * i32::from(done)
        }
    }

    fn estimate(at: &Breakthrough, side: Seat) -> i32 {
        let value = at.value();
        if side == at.mover { value } else { -value }
    }
}
