//! A turn and its text: `e4-e2`.

use std::fmt;

use crate::Refusal;
use crate::kit::reading::{Cursor, WrittenCell};
use crate::kit::square::{Cell, Grid};

/// The longest text of a turn in bytes, with any blanks.
const LONGEST: usize = 60;

/// A legal turn: a stone moves from one cell to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    pub(super) from: Cell,
    pub(super) to: Cell,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

/// A turn as written: two cells of the board, not yet checked against the position.
#[derive(Clone, Debug)]
pub(super) struct WrittenTurn {
    pub(super) from: WrittenCell,
    pub(super) to: WrittenCell,
}

/// Reads the notation.
///
/// # Errors
/// The text is not a turn; the refusal says where it goes wrong.
pub(super) fn parse(text: &str, grid: Grid) -> Result<WrittenTurn, Refusal> {
    if text.len() > LONGEST {
        return Err(Refusal::unreadable(format!(
            "A turn of Forms is no longer than {LONGEST} characters."
        )));
    }
    let mut cursor = Cursor::of(text);
    if cursor.peek().is_none() {
        return Err(Refusal::unreadable(
            "There is no turn here. A turn is written like b2-b3.",
        ));
    }
    let from = cursor.cell(grid, "A turn begins with the cell of the stone that moves")?;
    if !cursor.take_hyphen() {
        let wanted = format!("A hyphen and a cell must follow {}, such as b2-b3", from.cell);
        return Err(cursor.unexpected(&wanted));
    }
    let to = cursor.cell(grid, "The cell to which the stone moves must follow the hyphen")?;
    if cursor.peek().is_some() {
        return Err(cursor.unexpected("A turn is one move of one stone, and nothing follows it"));
    }
    Ok(WrittenTurn { from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_points_to_the_bytes_that_are_wrong() {
        let wrong = |text: &str| {
            let refusal = parse(text, Grid::new(8)).unwrap_err();
            (
                refusal.at.clone().map(|at| text.get(at).unwrap().to_owned()),
                refusal.to_string(),
            )
        };
        let expected = |at: &str, reason: &str| (Some(at.to_owned()), reason.to_owned());
        assert_eq!(
            wrong("e4 e2"),
            expected(
                "e2",
                "A hyphen and a cell must follow e4, such as b2-b3, not \"e2\"."
            )
        );
        assert_eq!(
            wrong("E4-"),
            expected(
                "",
                "The cell to which the stone moves must follow the hyphen; the text ends there."
            )
        );
        assert_eq!(
            wrong("e4-e2, b1-a1"),
            expected(
                ",",
                "A turn is one move of one stone, and nothing follows it, not \",\"."
            )
        );
        assert_eq!(
            wrong("e4-i9"),
            expected(
                "i9",
                "There is no cell i9 on this board: columns go from a to h, rows from 1 to 8. Possible: h8."
            )
        );
        assert_eq!(
            wrong("resign"),
            expected(
                "resign",
                "\"resign\" is no cell: a cell is a column letter from a to h and a row number from 1 to 8, \
                 such as h8."
            )
        );
        let no_place = |text: &str| parse(text, Grid::new(8)).unwrap_err().reason;
        assert_eq!(
            no_place(" "),
            "There is no turn here. A turn is written like b2-b3."
        );
        let padded = |length: usize| format!("{:length$}", "e4-e2");
        assert!(parse(&padded(LONGEST), Grid::new(8)).is_ok());
        assert!(no_place(&padded(LONGEST + 1)).contains("60"));
    }

    #[test]
    fn blanks_arrows_and_capitals_are_forgiven() {
        for text in ["e4-e2", "E4-E2", " e4 - e2 ", "e4->e2", "e4\t->  E2"] {
            let written = parse(text, Grid::new(8)).unwrap();
            assert_eq!(format!("{}-{}", written.from.cell, written.to.cell), "e4-e2");
        }
    }
}
