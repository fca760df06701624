//! Los Alamos chess, by Mark Wells, Paul Stein and others, 1956: chess on six rows without bishops, the first that a computer played.

mod board;
mod pictured;
#[cfg(test)]
mod tests;

use self::board::SmallBoard;
use super::families::chess::{self, Chess, ChessGame};
use super::{Facts, Options, Worked};

const FACTS: Facts = Facts {
    name: "LosAlamos",
    title: "Los Alamos chess",
    letters: ["KQRNP", "kqrnp"],
    designer: "Paul Stein and Mark Wells",
    summary: "Chess on a board of six rows, without bishops.",
    rules: include_str!("rules.txt"),
    worked: Worked {
        options: &[],
        before: &["d3", "c4"],
        turns: [
            (
                "dxc4",
                "White's pawn takes Black's: a pawn captures diagonally ahead.",
            ),
            ("bxc4", "Black's pawn on b5 takes back."),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["d3", "d4", "Nc3", "Nd5"],
    source: "Paul Stein and Stanislaw Ulam, Experiments in Chess on Electronic Computing Machines, 1957",
    ..chess::FACTS
};

/// A position of Los Alamos chess.
pub type LosAlamos = Chess<Small>;

/// The rule of Los Alamos chess: nothing beside the board's.
#[derive(Clone, Debug, PartialEq)]
pub struct Small;

impl ChessGame for Small {
    const FACTS: Facts = FACTS;

    const SIZE: u8 = board::SIZE;

    type Board = SmallBoard;

    fn start(_: &Options) -> (Self, SmallBoard) {
        (Self, SmallBoard::START)
    }
}
