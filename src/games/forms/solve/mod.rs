//! Who wins a position of Forms on a board without edges, by the advanced rules: Bill Taylor's classes.
//!
//! The search is exact. Three things keep it small:
//!
//! - After a turn a single form is left, and a slide that leaves its stone alone loses at once, since the
//!   opponent has no stone then. So only cells beside other stones matter, and an empty ring around the
//!   stones is as good as an endless plain: it joins all that is outside of them. Cells enclosed by stones
//!   are regions of their own.
//! - Positions that differ by a shift, a turn, a reflection or the names of the two sides are one.
//! - Each is searched once, its short replies first.
//!
//! Known limits: at most [`MAX_STONES`] stones, and [`MAX_POSITIONS`] different positions in a search.

mod key;
mod position;
mod search;
#[cfg(test)]
mod tests;

use std::fmt;

use super::{Forms, Turn};
use crate::games::{Display, Refusal, Rules, Seat};
pub use key::MAX_STONES;
pub use search::MAX_POSITIONS;
use search::Search;

/// Which player wins, by who moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The next player, whoever that is.
    N,
    /// The previous player.
    P,
    /// White, whoever moves.
    O,
    /// Black, whoever moves.
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

/// A position with its class.
#[derive(Clone, Debug)]
pub struct Solved {
    position: Forms,
    /// Black's winning turn if he moves first, and White's; cells are those of the picture.
    pub winning: [Option<Turn>; 2],
}

impl Solved {
    /// The class.
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

/// The position within an empty ring, the class, and a winning turn of each side that has one.
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

/// Solves the position of this text: rows separated by `/`, the top one first; `x`, `o`, and `-` or `.`
/// for an empty cell; blanks are ignored, and so are missing cells at the end of a row.
///
/// # Errors
/// Text that is no position, one with too many stones or not a single form of both colours, and a search
/// that meets too many positions.
pub fn solve(text: &str) -> Result<Solved, Refusal> {
    let position = position::read(text)?;
    let mut search = Search::default();
    let mut winning = [None; 2];
    for mover in Seat::BOTH {
        winning[mover.index()] = search.winning(&Forms { mover, ..position })?;
    }
    Ok(Solved { position, winning })
}
