//! TITLE. TO DO: by whom, when, and what it is about in one line.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::placement::{self, Board, NO_SWAP, StoneGame, Stones, rows, rows_and_columns};
use super::{Facts, Options, Outcome, Worked};
use crate::kit::square::{Cell, Grid};

const FACTS: Facts = Facts {
    name: "TITLE",
    title: "TITLE",
    options: &[rows_and_columns(7, 19, 9), NO_SWAP],
    designer: "TO DO",
    summary: "TO DO: one line for lists.",
    rules: include_str!("rules.txt"),
    worked: Worked {
        options: &[],
        before: &[],
        turns: [
            ("e5", "TO DO: the reason for this turn."),
            ("swap", "TO DO: the reason for this one."),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["e5", "d4"],
    source: "TO DO: where the rules are published",
    knows_draws: true,
    ..placement::FACTS
};

/// A position.
pub type TITLE = Stones<Rule>;

/// What the game keeps besides the stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule;

impl StoneGame for Rule {
    const FACTS: Facts = FACTS;

    // TO DO: how long `value` takes, in tenths of a microsecond.
    const EFFORT: u64 = 25;

    fn board(options: &Options) -> Board {
        // The option allows no number above 19.
        Board::Crossings(Grid::new(options.number(&FACTS, "size") as u8))
    }

    fn start(_: &Options, _: Board) -> Self {
        Self
    }

    // TO DO: the rule. Here five in a row win.
    fn follow(at: &mut TITLE, cell: Cell) -> Option<Outcome> {
        let rows = rows::lengths(at.own(), cell, at.board.side());
        rows.iter().any(|row| *row >= rows::ROW).then_some(Outcome::Won(at.mover))
    }

    // TO DO: what a stone did, in words that go on after the player's name.
    fn effects(_: &TITLE, after: &TITLE, _: Cell) -> Vec<String> {
        let won = after.winner().map(|_| "got five in a row".to_owned());
        won.into_iter().collect()
    }

    // TO DO: how good a position is for the player to move: with 100 three games of four are won.
    fn value(at: &TITLE) -> i32 {
        let [own, other] = rows::of_both(at);
        own.value(&other)
    }
}
