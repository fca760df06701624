//! The cells of a square grid, by column and row.

use std::fmt;

/// No grid has more columns or rows: the large picture of a wider one would pass 80 columns.
pub const MAX_SIZE: u8 = 18;

/// The distance between a cell's index and that of the cell above it, the same for every size: a row of
/// the largest grid, and a guard that belongs to no cell, so that no shift wraps from one row to the next.
pub const STRIDE: usize = MAX_SIZE as usize + 1;

/// A cell: a column counted from the left and a row counted from the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u16);

impl Cell {
    /// The cell of this column and row, both from 0: `Cell::at(0, 0)` is a1. Larger numbers than
    /// [`MAX_SIZE`] allows are taken as its last.
    #[must_use]
    #[inline]
    pub const fn at(column: u8, row: u8) -> Self {
        const LAST: u8 = MAX_SIZE - 1;
        let column = if column > LAST { LAST } else { column };
        let row = if row > LAST { LAST } else { row };
        Self(row as u16 * STRIDE as u16 + column as u16)
    }

    #[inline]
    pub(super) const fn from_index(index: usize) -> Self {
        Self(index as u16)
    }

    /// The place of its bit in a [`Bits`](super::Bits).
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// From 0 at the left.
    #[must_use]
    #[inline]
    pub const fn column(self) -> u8 {
        (self.index() % STRIDE) as u8
    }

    /// From 0 at the bottom.
    #[must_use]
    #[inline]
    pub const fn row(self) -> u8 {
        (self.index() / STRIDE) as u8
    }
}

/// The name: `e4`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}
