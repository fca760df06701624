//! TITLE. TO DO: by whom, when, and what it is about in one line.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::steps::{Repeated, StepGame, Steps};
use super::{Facts, OptionFact, Options, Outcome, Seat, Worked};
use crate::kit::square::{Cell, Grid, Move, SmallBits, Way};

const FACTS: Facts = Facts {
    name: "TITLE",
    title: "TITLE",
    options: &[OptionFact::number("size", [5, 10, 8], "the number of rows and of columns")],
    designer: "TO DO",
    summary: "TO DO: one line for lists.",
    rules: include_str!("rules.txt"),
    notation: "The cell of the piece and the cell that it moves to, with a hyphen between them: b2-b3.",
    worked: Worked {
        options: &[],
        before: &["b2-b3", "b7-b6", "b3-b4", "b6-b5"],
        turns: [
            ("b4-b5", "TO DO: the reason for this turn."),
            ("a8-a7", "TO DO: the reason for this one."),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["b2-b3", "b7-b6"],
    source: "TO DO: where the rules are published",
    knows_draws: true,
    knows_pass: true,
    // TO DO: a bound, or what was measured.
    longest_random_game: 3000,
    ..Facts::BLANK
};

/// A position.
pub type TITLE = Steps<Rule>;

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule;

impl StepGame for Rule {
    const FACTS: Facts = FACTS;

    const PIECE: &'static str = "piece";

    // TO DO: how long `estimate` takes, in tenths of a microsecond.
    const EFFORT: u64 = 4;

    // TO DO: `Bounded` if no position can occur again.
    type Past = Repeated;

    // TO DO: the start. Here each side has two rows.
    fn start(options: &Options) -> (Grid, [SmallBits; 2]) {
        // The option allows no number above 10.
        let size = options.number(&FACTS, "size") as u8;
        let cells = SmallBits::square(size);
        let rows = |[a, b]: [u8; 2]| cells.row(a) | cells.row(b);
        (Grid::new(size), [rows([0, 1]), rows([size - 2, size - 1])])
    }

    // TO DO: the moves. Here a piece goes one cell left, right, up or down.
    fn moves(at: &TITLE, pieces: SmallBits) -> impl Iterator<Item = Move> {
        let open = SmallBits::square(at.grid.size()) - at.own();
        let ways = [Way::North, Way::East, Way::South, Way::West];
        pieces.into_iter().flat_map(move |from| {
            let cells = ways.into_iter().filter_map(move |way| (SmallBits::of(from).step(way) & open).first());
            cells.map(move |to| Move { from, to })
        })
    }

    // TO DO: the reasons.
    fn no_target(_: &TITLE, from: Cell, to: Cell) -> String {
        format!("A piece goes one cell left, right, up or down, not from {from} to {to}.")
    }

    // TO DO: the end. Here the last row or the last capture wins.
    fn end(at: &TITLE, mover: Seat, to: Cell) -> Option<Outcome> {
        let last_row = [at.grid.size() - 1, 0][mover.index()];
        (to.row() == last_row || at.own().is_empty()).then_some(Outcome::Won(mover))
    }

    // TO DO: the words for it, which go on after the player's name.
    fn words_of_end(_: &TITLE, _: Seat, _: Outcome) -> String {
        "reached the last row, or left no enemy piece".to_owned()
    }

    // TO DO: how good a position is for this side: with 100 three games of four are won.
    fn estimate(at: &TITLE, side: Seat) -> i32 {
        let [own, other] = [side, side.other()].map(|seat| at.pieces[seat.index()].count() as i32);
        60 * (own - other)
    }
}
