//! Lines of Action, by Claude Soucie: connect all your pieces.

mod estimate;
mod pictured;
#[cfg(test)]
mod tests;

use super::families::steps::{Repeated, StepGame, Steps};
use super::{Facts, OptionFact, Options, Outcome, Seat, Weighed, Worked};
use crate::kit::square::{Cell, Grid, Move, SmallBits, Way};
use crate::kit::words::number;

const FACTS: Facts = Facts {
    name: "LOA",
    aliases: &["LinesOfAction"],
    title: "Lines of Action",
    sides: ["Black", "White"],
    letters: ["x", "o"],
    options: &[OptionFact::flag(
        "scrambled",
        "the scrambled eggs start: the pieces of both sides take turns around the edge",
    )],
    designer: "Claude Soucie",
    summary: "A piece moves as far as there are pieces on its line; connect all of yours.",
    rules: include_str!("rules.txt"),
    notation: "The cell of the piece and the cell that it moves to, with a hyphen between them: b1-b3. Captures are \
               written alike; b1xh7 is read too, and b3 alone if only one of your pieces can go there. If no piece of \
               yours can move, write pass.",
    worked: Worked {
        options: &[],
        before: &[],
        turns: [
            (
                "b1-b3",
                "Column b has two pieces, so each of them moves two cells along it.",
            ),
            (
                "a3-c1",
                "The diagonal from a3 to c1 has two pieces, one of each side, so the piece goes two cells and captures.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["b1-b3", "a2-c2", "c1-e3", "h4-f4"],
    source: "Claude Soucie in Sid Sackson's A Gamut of Games, with the rules of Richard's PBeM server as told by Mark Winands",
    knows_draws: true,
    knows_pass: true,
    // Repetition bounds a game only in theory: of 3000 random ones the mean was 212 turns and the longest had 571.
    longest_random_game: 3000,
    ..Facts::BLANK
};

const SIZE: u8 = 8;
const BOARD: SmallBits = SmallBits::square(SIZE);

/// The scrambled eggs start: the first side's cells.
const SCRAMBLED: [(u8, u8); 12] = [
    (1, 0),
    (3, 0),
    (5, 0),
    (7, 1),
    (7, 3),
    (7, 5),
    (2, 7),
    (4, 7),
    (6, 7),
    (0, 2),
    (0, 4),
    (0, 6),
];

/// A position of Lines of Action.
pub type Loa = Steps<Lines>;

/// The rule of Lines of Action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lines;

/// How far a piece on `from` moves along the line of this direction.
fn steps(at: &Loa, from: Cell, way: Way) -> u32 {
    let line = SmallBits::ray(from, way) | SmallBits::ray(from, way.opposite()) | SmallBits::of(from);
    (line & (at.pieces[0] | at.pieces[1])).count()
}

/// The cells between two on a line of this direction.
fn between(from: Cell, to: Cell, way: Way) -> SmallBits {
    SmallBits::ray(from, way) - SmallBits::ray(to, way) - SmallBits::of(to)
}

/// Where the mover's piece on `from` stops in this direction, if it can move there.
fn target(at: &Loa, from: Cell, way: Way) -> Option<Cell> {
    let to = far(from, way, steps(at, from, way))?;
    let is_open = (between(from, to, way) & at.enemy()).is_empty() && !at.own().has(to);
    is_open.then_some(to)
}

/// The cell this many steps away, if the board has it.
fn far(from: Cell, way: Way, steps: u32) -> Option<Cell> {
    let (right, up) = way.step();
    // There are at most eight cells on a line.
    let along = |place: u8, by: i8| u8::try_from(place as i8 + by * steps as i8).ok();
    let (column, row) = (along(from.column(), right)?, along(from.row(), up)?);
    (column < SIZE && row < SIZE).then(|| Cell::at(column, row))
}

/// Whether all these pieces hang together.
fn is_connected(pieces: SmallBits) -> bool {
    pieces
        .first()
        .is_some_and(|first| SmallBits::of(first).spread_around(pieces) == pieces)
}

impl StepGame for Lines {
    const FACTS: Facts = FACTS;
    const PIECE: &'static str = "piece";
    const EFFORT: u64 = 20;
    type Past = Repeated;

    fn start(options: &Options) -> (Grid, [SmallBits; 2]) {
        let edge = |place: u8| place == 0 || place == SIZE - 1;
        let outer = |cell: &Cell| edge(cell.column()) != edge(cell.row());
        let outer: SmallBits = BOARD.iter().filter(outer).collect();
        let first: SmallBits = match options.has("scrambled") {
            true => SCRAMBLED
                .iter()
                .map(|(column, row)| Cell::at(*column, *row))
                .collect(),
            false => outer.row(0) | outer.row(SIZE - 1),
        };
        (Grid::new(SIZE), [first & outer, outer - first])
    }

    fn moves(at: &Loa, pieces: SmallBits) -> impl Iterator<Item = Move> {
        pieces.into_iter().flat_map(move |from| {
            let to = move |way| target(at, from, way);
            let cells = Way::ALL.into_iter().filter_map(to);
            cells.map(move |to| Move { from, to })
        })
    }

    fn no_target(at: &Loa, from: Cell, to: Cell) -> String {
        let [we, they] = [at.mover, at.mover.other()].map(Loa::side);
        if from == to {
            return format!("A piece moves to another cell, not from {from} to {to}.");
        }
        let way = |way: &Way| SmallBits::ray(from, *way).has(to);
        let Some(way) = Way::ALL.into_iter().find(way) else {
            return format!("A piece moves in a straight line, and {to} is not in line with {from}.");
        };
        let steps = steps(at, from, way);
        if far(from, way, steps) != Some(to) {
            let (is, s) = if steps == 1 { ("is", "") } else { ("are", "s") };
            let n = number(steps as usize);
            return format!(
                "There {is} {n} piece{s} on that line, so a piece moves {n} cell{s} along it, not to {to}."
            );
        }
        if at.own().has(to) {
            return format!(
                "A piece cannot move onto a piece of its own side, and the one on {to} is {we}'s too."
            );
        }
        let over = (between(from, to, way) & at.enemy()).first().unwrap_or(to);
        format!("A piece cannot jump over an enemy piece, and {they} has one on {over}.")
    }

    fn end(at: &Loa, mover: Seat, _: Cell) -> Option<Outcome> {
        let other = mover.other();
        match [mover, other].map(|seat| is_connected(at.pieces[seat.index()])) {
            [true, true] => Some(Outcome::Drawn),
            [true, false] => Some(Outcome::Won(mover)),
            [false, true] => Some(Outcome::Won(other)),
            [false, false] => None,
        }
    }

    fn words_of_end(_: &Loa, mover: Seat, outcome: Outcome) -> String {
        let Outcome::Won(winner) = outcome else {
            return "connected the pieces of both sides".to_owned();
        };
        let again = if winner == mover { "" } else { ", not its own" };
        format!("connected all pieces of {}{again}", Loa::side(winner))
    }

    /// A capture is not much better than another move, and a move to the edge is mostly bad.
    fn promise(at: &Loa, to: Cell) -> i32 {
        let is_edge = |place: u8| place == 0 || place == SIZE - 1;
        let captured = if at.enemy().has(to) { -9_000 } else { 0 };
        captured
            - if is_edge(to.column()) || is_edge(to.row()) {
                500
            } else {
                0
            }
    }

    fn estimate(at: &Loa, side: Seat) -> i32 {
        at.weighed(side)
    }
}
