//! Sets of cells of the hexagon, as bits.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Sub, SubAssign};

use super::Cell;

const WORDS: usize = 4;

/// A set of cells, one bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Cells([u64; WORDS]);

impl Cells {
    /// The empty set.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// The set with only this cell.
    #[must_use]
    #[inline]
    pub const fn of(cell: Cell) -> Self {
        let mut cells = Self::EMPTY;
        cells.insert(cell);
        cells
    }

    /// Whether the set contains the cell.
    #[must_use]
    #[inline]
    pub const fn has(&self, cell: Cell) -> bool {
        self.0[cell.index() / 64] >> (cell.index() % 64) & 1 != 0
    }

    /// Adds a cell.
    #[inline]
    pub const fn insert(&mut self, cell: Cell) {
        self.0[cell.index() / 64] |= 1 << (cell.index() % 64);
    }

    /// The set as numbers, for a hash.
    #[must_use]
    #[inline]
    pub const fn words(&self) -> [u64; WORDS] {
        self.0
    }

    /// Whether the set is empty.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// The number of cells.
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether this is a subset of the other set.
    #[must_use]
    #[inline]
    pub fn is_within(&self, other: Self) -> bool {
        (*self - other).is_empty()
    }

    /// The cell at index `n` in reading order, if the set has that many.
    #[must_use]
    pub fn nth(&self, mut n: usize) -> Option<Cell> {
        for (place, word) in self.0.iter().enumerate() {
            let count = word.count_ones() as usize;
            if n < count {
                let mut word = *word;
                for _ in 0..n {
                    word &= word - 1;
                }
                return Some(Cell((place * 64) as u8 + word.trailing_zeros() as u8));
            }
            n -= count;
        }
        None
    }

    /// The cells in reading order.
    #[inline]
    pub const fn iter(self) -> Iter {
        Iter {
            words: self.0,
            place: 0,
        }
    }

    #[inline]
    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        let [a, b, c, d] = self.0;
        let [w, x, y, z] = other.0;
        // Not by `array::from_fn`, which is dozens of calls in a debug build.
        Self([join(a, w), join(b, x), join(c, y), join(d, z)])
    }
}

impl FromIterator<Cell> for Cells {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        let mut set = Self::EMPTY;
        cells.into_iter().for_each(|cell| set.insert(cell));
        set
    }
}

impl IntoIterator for Cells {
    type Item = Cell;
    type IntoIter = Iter;

    #[inline]
    fn into_iter(self) -> Iter {
        self.iter()
    }
}

/// Iterates over a set in reading order.
#[derive(Clone, Debug)]
pub struct Iter {
    words: [u64; WORDS],
    place: usize,
}

impl Iterator for Iter {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        loop {
            let word = self.words.get_mut(self.place)?;
            if *word != 0 {
                let bit = word.trailing_zeros() as u8;
                *word &= *word - 1;
                return Some(Cell((self.place * 64) as u8 + bit));
            }
            self.place += 1;
        }
    }
}

impl BitAnd for Cells {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Cells {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

/// Set difference.
impl Sub for Cells {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }
}

impl BitAndAssign for Cells {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOrAssign for Cells {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl SubAssign for Cells {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
