//! Chess, by the laws of FIDE, and the 960 starts of Robert Fischer.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::chess::{self, ChessGame, START};
use super::{Facts, Options, Worked};
use crate::tagged::Tagged;

const FACTS: Facts = Facts {
    name: "Chess",
    title: "Chess",
    options: &[START],
    summary: "Give checkmate: attack the king so that it cannot escape.",
    rules: include_str!("rules.txt"),
    worked: Worked {
        options: &[],
        before: &["e4", "d5"],
        turns: [
            (
                "exd5",
                "White's pawn takes Black's: a pawn captures diagonally ahead.",
            ),
            (
                "Qxd5",
                "Black's queen takes back. Now White can attack the queen with Nc3, and gain time.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    source: "FIDE Laws of Chess, 2023; draws by repetition, by fifty moves and by dead positions are claimed by the server",
    ..chess::FACTS
};

/// A position of Chess.
pub type Chess = chess::Chess<Fide>;

/// The rule of Chess: nothing beside the board's.
#[derive(Clone, Debug, PartialEq)]
pub struct Fide;

impl ChessGame for Fide {
    const FACTS: Facts = FACTS;

    const TAGGED: Option<Tagged> = Some(Tagged::Pgn(None));

    type Board = cozy_chess::Board;

    fn start(options: &Options) -> (Self, cozy_chess::Board) {
        (
            Self,
            cozy_chess::Board::chess960_startpos(options.number(&FACTS, "960")),
        )
    }
}
