//! TITLE. TO DO: by whom, when, and what it is about in one line.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::chess::{self, Chess, ChessGame, START, Step};
use super::{Facts, Options, Outcome, Worked};

const FACTS: Facts = Facts {
    name: "TITLE",
    title: "TITLE",
    options: &[START],
    designer: "TO DO",
    summary: "TO DO: one line for lists.",
    rules: include_str!("rules.txt"),
    worked: Worked {
        options: &[],
        before: &["e4", "d5"],
        turns: [
            ("exd5", "TO DO: the reason for this turn."),
            ("Qxd5", "TO DO: the reason for this one."),
        ],
    },
    pictured: pictured::PICTURED,
    source: "TO DO: where the rules are published",
    ..chess::FACTS
};

/// A position.
pub type TITLE = Chess<Rule>;

/// What the game keeps besides the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule;

impl ChessGame for Rule {
    const FACTS: Facts = FACTS;

    type Board = cozy_chess::Board;

    fn start(options: &Options) -> (Self, cozy_chess::Board) {
        (Self, cozy_chess::Board::chess960_startpos(options.number(&FACTS, "960")))
    }

    // TO DO: how a turn ends the game, beside checkmate and the draws. Here nothing does.
    fn follow(&mut self, _: &cozy_chess::Board, _: &Step) -> Option<Outcome> {
        None
    }

    // TO DO: words for such an end (`effects`), what the estimate adds (`bonus`), moves that are not legal (`allows`).
}
