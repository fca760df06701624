//! Turns of games that put one stone on a cell, with the swap of the first stone.

use std::fmt;

use crate::Refusal;
use crate::kit::reading::cells::{Written, read_cell_or_word};
use crate::kit::square::{Cell, Grid};

/// A turn of such a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stone {
    /// A stone on this cell.
    On(Cell),
    /// The first stone changes its owner, in the place of the second player's first turn.
    Swap,
}

impl fmt::Display for Stone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::On(cell) => cell.fmt(f),
            Self::Swap => f.write_str("swap"),
        }
    }
}

/// Whether the player to move may swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swap {
    /// It is the second player's first turn.
    Possible,
    /// It is another turn.
    Past,
    /// It is not possible now, for this reason.
    Never(&'static str),
    /// An option excludes it.
    Excluded,
}

impl Stone {
    /// Reads a turn on a grid. `swap` is `None` where the game has none, `example` is a turn for the refusals, and `judge` says
    /// why a stone cannot be put on a cell.
    ///
    /// # Errors
    /// The text is something else, no stone can be put there, or a swap is not possible.
    pub fn read(
        text: &str,
        grid: Grid,
        swap: Option<Swap>,
        example: &str,
        judge: impl FnOnce(Cell) -> Result<(), String>,
    ) -> Result<Self, Refusal> {
        let words: &[&str] = if swap.is_some() { &["swap"] } else { &[] };
        let (at, reason) = match (read_cell_or_word(text, grid, words, example)?, swap) {
            (Written::Cell(written), _) => match judge(written.cell) {
                Ok(()) => return Ok(Self::On(written.cell)),
                Err(reason) => (written.at, reason),
            },
            (Written::Word(..), Some(Swap::Possible)) => return Ok(Self::Swap),
            (Written::Word(_, at), Some(Swap::Excluded)) => {
                (at, "This board is played with -noswap.".to_owned())
            }
            (Written::Word(_, at), Some(Swap::Never(reason))) => (at, reason.to_owned()),
            (Written::Word(_, at), _) => {
                let reason =
                    "The second player can swap in the place of the first turn, and at no other time.";
                (at, reason.to_owned())
            }
        };
        Err(Refusal::illegal(reason).at(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stone_goes_on_an_empty_cell_and_a_swap_is_read_where_it_is_possible() {
        let grid = Grid::new(5);
        let taken = Cell::at(1, 1);
        let read = |text: &str, swap| {
            let judge = |cell| match cell == taken {
                true => Err("There is one on b2.".to_owned()),
                false => Ok(()),
            };
            let read = Stone::read(text, grid, Some(swap), "c3", judge);
            read.map(|turn| turn.to_string())
                .map_err(|refusal| (refusal.at, refusal.reason))
        };
        assert_eq!(read(" C3 ", Swap::Past).as_deref(), Ok("c3"));
        assert_eq!(read("Swap", Swap::Possible).as_deref(), Ok("swap"));
        let reason = |text, swap| read(text, swap).unwrap_err();
        assert_eq!(
            reason("b2", Swap::Past),
            (Some(0..2), "There is one on b2.".to_owned())
        );
        assert_eq!(reason(" swap", Swap::Past).0, Some(1..5));
        assert_eq!(
            reason("swap", Swap::Excluded).1,
            "This board is played with -noswap."
        );
        assert!(reason("swap c3", Swap::Possible).1.contains("nothing follows it"));
    }
}
