//! The cells of a square grid.

use std::fmt;

/// The largest number of columns and rows of any grid: the drawing of a wider one would exceed 80 columns.
pub const MAX_SIZE: u8 = 24;

/// A cell: column from the left, row from the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    row: u8,
    column: u8,
}

impl Cell {
    /// The cell at this column and row, both from 0: `Cell::at(0, 0)` is a1. Larger numbers than [`MAX_SIZE`] allows
    /// become the last one.
    #[must_use]
    #[inline]
    pub const fn at(column: u8, row: u8) -> Self {
        const LAST: u8 = MAX_SIZE - 1;
        let column = if column > LAST { LAST } else { column };
        let row = if row > LAST { LAST } else { row };
        Self { row, column }
    }

    /// From 0 at the left.
    #[must_use]
    #[inline]
    pub const fn column(self) -> u8 {
        self.column
    }

    /// From 0 at the bottom.
    #[must_use]
    #[inline]
    pub const fn row(self) -> u8 {
        self.row
    }
}

/// Prints the name: `e4`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column), self.row + 1)
    }
}
