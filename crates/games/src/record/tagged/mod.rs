//! Records as programs for chess (PGN, <https://www.chessclub.com/help/PGN-spec>) and for draughts (PDN) write them: tags, then turns with
//! numbers, and the result.

mod read;
#[cfg(test)]
mod tests;
mod write;

use crate::{By, Game, Seat};

pub(super) use read::{Given, is_meant, read};

/// The seat of White: in draughts of 1 to 32 it is the second.
fn white(game: &Game) -> Seat {
    match game.facts.sides[0] {
        "Black" => Seat::Second,
        _ => Seat::First,
    }
}

/// The words for a win of White, of Black and a draw; some programs for draughts count two points a game.
const RESULTS: [(&str, Option<bool>); 6] = [
    ("1-0", Some(true)),
    ("2-0", Some(true)),
    ("0-1", Some(false)),
    ("0-2", Some(false)),
    ("1/2-1/2", None),
    ("1-1", None),
];

/// What `Termination` says of a game that did not end on the board.
const TERMINATIONS: [(&str, By); 2] = [("time forfeit", By::Forfeit), ("adjudication", By::Adjudication)];
