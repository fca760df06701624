//! Solves positions of Forms on a board without edges, by the advanced rules, into Bill Taylor's classes.
//!
//! The search is exact: it tries every turn. Three things keep it small:
//!
//! - The endless board becomes a small grid. After a turn the stones are joined, and a slide away from all other
//!   stones loses at once: only the moved stone remains, and a player without stones has won. So only cells next to
//!   stones matter. All cells outside of the stones are connected, as they are through a ring of empty cells one cell
//!   wide; a larger board adds nothing. Cells enclosed by stones remain separate regions.
//! - Positions that differ by a shift, a rotation, a reflection or an exchange of the sides are searched once (see
//!   `key`).
//! - Turns that leave few stones are tried first: they are decided soonest, and one winning turn is enough.
//!
//! Known limits: at most [`MAX_STONES`] stones, and at most [`MAX_POSITIONS`] different positions in a search.

mod key;
mod position;
mod search;
#[cfg(test)]
mod tests;

use std::fmt;

use super::{Forms, Turn};
use crate::{Display, Refusal, Rules, Seat};
pub use key::MAX_STONES;
pub use search::MAX_POSITIONS;
use search::Search;

/// The class of a position: who wins, depending on who moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The next player (who moves first) wins.
    N,
    /// The previous player (who moves second) wins.
    P,
    /// White wins, whoever moves first.
    O,
    /// Black wins, whoever moves first.
    X,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::N => "N: whoever moves first wins.",
            Self::P => "P: whoever moves first loses.",
            Self::O => "O: White (o) wins, whoever moves first.",
            Self::X => "X: Black (x) wins, whoever moves first.",
        })
    }
}

/// A solved position.
#[derive(Clone, Debug)]
pub struct Solved {
    position: Forms,
    /// A winning turn for Black if Black moves first, and one for White. The cells are those of the printed position.
    pub winning: [Option<Turn>; 2],
}

impl Solved {
    /// The class of the position.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self.winning {
            [Some(_), Some(_)] => Class::N,
            [None, None] => Class::P,
            [None, Some(_)] => Class::O,
            [Some(_), None] => Class::X,
        }
    }
}

/// Prints the position with a ring of empty cells, its class, and a winning turn of each side that has one.
impl fmt::Display for Solved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n{}", self.position.draw(Display::Small), self.class())?;
        for seat in Seat::BOTH {
            let side = super::FACTS.sides[seat.index()];
            match self.winning[seat.index()] {
                Some(turn) => writeln!(f, "{side} to move wins with {turn}.")?,
                None => writeln!(f, "{side} to move loses.")?,
            }
        }
        Ok(())
    }
}

/// Solves a position: rows separated by `/`, the top one first; `x`, `o`, and `-` or `.` for an empty cell. Blanks are
/// ignored, and empty cells at the end of a row may be left out.
///
/// # Errors
/// The text is not a position; it has too many stones, they are not joined, or a colour is missing; or the search met
/// too many positions.
pub fn solve(text: &str) -> Result<Solved, Refusal> {
    let position = position::read(text)?;
    let mut search = Search::default();
    let mut winning = [None; 2];
    for mover in Seat::BOTH {
        winning[mover.index()] = search.winning(&Forms { mover, ..position })?;
    }
    Ok(Solved { position, winning })
}
