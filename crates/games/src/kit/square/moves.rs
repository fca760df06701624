//! A move of one piece from a cell to another, and what a player may leave out of it.

use std::fmt;

use super::Cell;
use crate::kit::reading::WrittenCell;
use crate::kit::refusal::Refusal;

/// A move of one piece; its text is `b2-c3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// Where the piece stands before.
    pub from: Cell,
    /// Where it stands after.
    pub to: Cell,
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

/// The one move that is meant if only its last cell is written; `nobody` is the reason if there is none.
///
/// # Errors
/// None of the moves, or several, end there.
pub fn only_one(to: &WrittenCell, moves: &[Move], nobody: String) -> Result<Move, Refusal> {
    match moves {
        [one] => Ok(*one),
        [] => Err(Refusal::illegal(nobody).at(to.at.clone())),
        several => {
            let reason = format!("More than one piece can go to {}.", to.cell);
            let choices = several.iter().map(ToString::to_string).collect();
            Err(Refusal::ambiguous(reason, choices).at(to.at.clone()))
        }
    }
}
