//! Three-check: chess in which the third check wins.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::chess::{self, Chess, ChessBoard, ChessGame, START, Step};
use super::{Facts, Info, Options, Outcome, Seat, Worked};
use crate::tagged::Tagged;

const FACTS: Facts = Facts {
    name: "ThreeCheck",
    aliases: &["3Check"],
    title: "Three-check",
    options: &[START],
    designer: "nobody known; the rules as at lichess.org",
    summary: "Chess, but the third check wins too.",
    rules: include_str!("rules.txt"),
    worked: Worked {
        options: &[],
        before: &["e4", "e5", "Bc4"],
        turns: [
            (
                "Nc6",
                "Black develops a knight. Of the square f7, beside the king, nobody but the king takes care.",
            ),
            (
                "Bxf7",
                "White gives up the bishop for a pawn and the first of three checks.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    source: "https://lichess.org/variant/threeCheck",
    ..chess::FACTS
};

/// A position of Three-check.
pub type ThreeCheck = Chess<Checks>;

/// The rule of Three-check: the checks that each side has given.
#[derive(Clone, Debug, PartialEq)]
pub struct Checks([u8; 2]);

impl ChessGame for Checks {
    const FACTS: Facts = FACTS;

    const TAGGED: Option<Tagged> = Some(Tagged::Pgn(Some("Three-check")));

    // Any piece can give a check.
    const KNOWS_DEAD_POSITIONS: bool = false;

    type Board = cozy_chess::Board;

    fn start(options: &Options) -> (Self, cozy_chess::Board) {
        let board = cozy_chess::Board::chess960_startpos(options.number(&FACTS, "960"));
        (Self([0; 2]), board)
    }

    fn follow(&mut self, board: &cozy_chess::Board, _: &Step) -> Option<Outcome> {
        let moved = board.mover().other();
        self.0[moved.index()] += u8::from(board.is_check());
        (self.0[moved.index()] > 2).then_some(Outcome::Won(moved))
    }

    fn effects(_: &ThreeCheck, after: &ThreeCheck) -> Vec<String> {
        let moved = after.board.mover().other();
        match (after.board.is_check(), after.game.0[moved.index()]) {
            (false, _) => Vec::new(),
            (true, 3) => vec!["gave the third check".to_owned()],
            (true, _) if after.outcome.is_some() => vec!["gave checkmate".to_owned()],
            (true, 2) => vec!["gave the second check".to_owned()],
            (true, _) => vec!["gave the first check".to_owned()],
        }
    }

    fn info(&self) -> Info {
        let checks = Seat::BOTH.map(|seat| (FACTS.sides[seat.index()], u32::from(self.0[seat.index()])));
        vec![("checks", checks.to_vec())]
    }

    fn key(&self) -> u64 {
        u64::from(self.0[0]) << 2 | u64::from(self.0[1])
    }

    fn bonus(&self, _: &cozy_chess::Board, side: Seat) -> i32 {
        [0, 70, 220, 0][usize::from(self.0[side.index()].min(3))]
    }
}
