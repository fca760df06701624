//! Racing Kings, by Vernon R. Parton, 1961: the first king on the last row wins, and nobody may give check.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::chess::board::bits;
use super::families::chess::{self, Chess, ChessBoard, ChessGame, Piece, Step};
use super::{Facts, Options, Outcome, Seat, Worked};
use crate::tagged::Tagged;

const FACTS: Facts = Facts {
    name: "RacingKings",
    title: "Racing Kings",
    designer: "Vernon R. Parton",
    summary: "Bring your king to the eighth row first. Nobody may give check.",
    rules: include_str!("rules.txt"),
    worked: Worked {
        options: &[],
        before: &["Kh3", "Ka3", "Kg4"],
        turns: [
            (
                "Kb4",
                "Both kings run. Black's is on the fourth row too, and White is to move.",
            ),
            (
                "Nxc1",
                "White's knight takes a bishop on the way. That gives no check, so it is allowed.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["Kh3", "Ka3", "Kg4", "Kb4"],
    source: "https://lichess.org/variant/racingKings, after Vernon R. Parton, 1961",
    ..chess::FACTS
};

/// A position of Racing Kings.
pub type RacingKings = Chess<Race>;

/// The rule of Racing Kings.
#[derive(Clone, Debug, PartialEq)]
pub struct Race;

/// The eighth row.
const GOAL: u64 = 0xff << 56;

const START: &str = "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1";

fn is_home(board: &cozy_chess::Board, seat: Seat) -> bool {
    board.of(Piece::King, seat) & GOAL != 0
}

impl ChessGame for Race {
    const FACTS: Facts = FACTS;

    const TAGGED: Option<Tagged> = Some(Tagged::Pgn(Some("Racing Kings")));

    const EFFORT: u64 = 10;

    // A lone king wins too.
    const KNOWS_DEAD_POSITIONS: bool = false;

    const ALLOWS_ALL: bool = false;

    type Board = cozy_chess::Board;

    fn start(_: &Options) -> (Self, cozy_chess::Board) {
        (Self, START.parse().unwrap_or_default())
    }

    fn allows(board: &cozy_chess::Board, step: &Step) -> bool {
        let mut after = board.clone();
        ChessBoard::play(&mut after, step);
        !after.is_check()
    }

    fn forbidden(_: &cozy_chess::Board, step: &Step) -> String {
        format!(
            "The {} on {} would give check, which nobody may do here.",
            step.piece.name(),
            step.to
        )
    }

    /// White has moved first, so Black has one more turn to arrive too.
    fn follow(&mut self, board: &cozy_chess::Board, _: &Step) -> Option<Outcome> {
        let [white, black] = Seat::BOTH.map(|seat| is_home(board, seat));
        match (white, black, board.mover()) {
            (true, true, _) => Some(Outcome::Drawn),
            (false, true, _) => Some(Outcome::Won(Seat::Second)),
            (true, false, Seat::First) => Some(Outcome::Won(Seat::First)),
            (true, false, Seat::Second) => {
                let mut can_follow = false;
                let _ = board.moves(&mut |step| {
                    let arrives = step.piece == Piece::King && step.to.row() == 7;
                    can_follow |= arrives && Self::allows(board, &step);
                    std::ops::ControlFlow::Continue(())
                });
                (!can_follow).then_some(Outcome::Won(Seat::First))
            }
            _ => None,
        }
    }

    fn effects(before: &RacingKings, after: &RacingKings) -> Vec<String> {
        let arrived = before.board.of(Piece::King, before.board.mover()) & GOAL == 0
            && is_home(&after.board, before.board.mover());
        match (arrived, after.outcome) {
            (true, Some(Outcome::Drawn)) => vec!["arrived on the last row too".to_owned()],
            (true, _) => vec!["arrived on the last row".to_owned()],
            (false, Some(Outcome::Won(Seat::First))) => vec!["left White alone on the last row".to_owned()],
            _ => Vec::new(),
        }
    }

    fn bonus(&self, board: &cozy_chess::Board, side: Seat) -> i32 {
        let row = bits(board.of(Piece::King, side))
            .map(|bit| bit / 8)
            .max()
            .unwrap_or(0);
        60 * row as i32
    }
}
