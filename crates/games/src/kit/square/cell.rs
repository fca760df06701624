//! The cells of a square grid.

use std::fmt;

/// The largest number of columns and rows: the large drawing of a wider grid would exceed 80 columns.
pub const MAX_SIZE: u8 = 19;

/// The difference between the index of a cell and that of the cell above it, the same for every grid size: the width of
/// the largest grid plus one guard bit, so that no shift wraps from one row into the next.
pub const STRIDE: usize = MAX_SIZE as usize + 1;

/// A cell: column from the left, row from the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell(u16);

impl Cell {
    /// The cell at this column and row, both from 0: `Cell::at(0, 0)` is a1. Larger numbers than [`MAX_SIZE`] allows
    /// become the last one.
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

    /// The index of its bit in a [`Bits`](super::Bits).
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

/// Prints the name: `e4`.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column()), self.row() + 1)
    }
}
