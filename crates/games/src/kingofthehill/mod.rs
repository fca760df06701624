//! King of the Hill: chess in which a king in the middle wins.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::chess::board::bits;
use super::families::chess::{self, Chess, ChessBoard, ChessGame, Piece, START, Step};
use super::{Facts, Options, Outcome, Seat, Worked};
use crate::tagged::Tagged;

const FACTS: Facts = Facts {
    name: "KingOfTheHill",
    aliases: &["KotH"],
    title: "King of the Hill",
    options: &[START],
    designer: "nobody known; the rules as at lichess.org",
    summary: "Chess, but a king on d4, d5, e4 or e5 wins too.",
    rules: include_str!("rules.txt"),
    worked: Worked {
        options: &[],
        before: &["e4", "e5", "Ke2", "d5", "Ke3"],
        turns: [
            (
                "dxe4",
                "Black takes a pawn, and does not see where White's king is going.",
            ),
            (
                "Kxe4",
                "The king takes back and stands on e4, in the middle. White has won.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    source: "https://lichess.org/variant/kingOfTheHill",
    ..chess::FACTS
};

/// A position of King of the Hill.
pub type KingOfTheHill = Chess<Hill>;

/// The rule of King of the Hill.
#[derive(Clone, Debug, PartialEq)]
pub struct Hill;

/// The squares d4, e4, d5 and e5.
const MIDDLE: u64 = 0x18_1800_0000;

impl ChessGame for Hill {
    const FACTS: Facts = FACTS;

    const TAGGED: Option<Tagged> = Some(Tagged::Pgn(Some("King of the Hill")));

    // A lone king wins too.
    const KNOWS_DEAD_POSITIONS: bool = false;

    type Board = cozy_chess::Board;

    fn start(options: &Options) -> (Self, cozy_chess::Board) {
        (
            Self,
            cozy_chess::Board::chess960_startpos(options.number(&FACTS, "960")),
        )
    }

    fn follow(&mut self, board: &cozy_chess::Board, _: &Step) -> Option<Outcome> {
        let moved = board.mover().other();
        (board.of(Piece::King, moved) & MIDDLE != 0).then_some(Outcome::Won(moved))
    }

    fn effects(_: &KingOfTheHill, after: &KingOfTheHill) -> Vec<String> {
        let moved = after.board.mover().other();
        match after.board.of(Piece::King, moved) & MIDDLE {
            0 => Vec::new(),
            _ => vec!["brought the king to the middle".to_owned()],
        }
    }

    /// The nearer the king is to the middle, the better, but at home it is safe.
    fn bonus(&self, board: &cozy_chess::Board, side: Seat) -> i32 {
        let far = |bit: u32| {
            let from = |place: u32| if place < 4 { 3 - place } else { place - 4 };
            from(bit % 8).max(from(bit / 8)) as i32
        };
        let far = bits(board.of(Piece::King, side)).map(far).max().unwrap_or(0);
        [60, 60, 15, 0][far.clamp(0, 3) as usize]
    }
}
