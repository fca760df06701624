//! Sets of cells of a square grid: bit boards of more than 64 bits, without allocation.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Sub, SubAssign};

use super::cell::Cell;

/// The largest number of columns and rows of a grid whose sets are [`Bits`].
pub const MAX_BITS: u8 = 19;

/// A set of cells of a grid with at most [`MAX_BITS`] columns and rows.
pub type Bits = BitBoard<20, 6>;

/// A set of cells of any grid; slower than [`Bits`].
pub type WideBits = BitBoard<25, 10>;

/// A set of cells. The bits of a row are adjacent, and one guard bit follows each row: `STRIDE` is the difference between the
/// index of a cell and that of the cell above it, `WORDS` how many words the rows take.
///
/// Steps and neighbours are plain shifts. A shift can reach guard bits and rows beyond the board, but never a cell on
/// the opposite side. After a step, `& grid.cells()` removes what is not on the board; so does an intersection with any
/// set of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BitBoard<const STRIDE: usize, const WORDS: usize>([u64; WORDS]);

impl<const STRIDE: usize, const WORDS: usize> BitBoard<STRIDE, WORDS> {
    /// The empty set.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// The set with only this cell.
    #[must_use]
    #[inline]
    pub const fn of(cell: Cell) -> Self {
        let mut bits = Self::EMPTY;
        bits.insert(cell);
        bits
    }

    /// The cells of a square with its corner at a1; of at most as many columns and rows as there is room for.
    #[must_use]
    pub const fn square(size: u8) -> Self {
        let mut bits = Self::EMPTY;
        let mut place = 0;
        let size = if (size as usize) < STRIDE {
            size as usize
        } else {
            STRIDE - 1
        };
        while place < size * size {
            bits.insert(Cell::at((place % size) as u8, (place / size) as u8));
            place += 1;
        }
        bits
    }

    /// The index of the bit of a cell. A cell beyond the largest grid is taken for the last bit.
    #[inline]
    const fn index(cell: Cell) -> usize {
        let index = cell.row() as usize * STRIDE + cell.column() as usize;
        if index < 64 * WORDS { index } else { 64 * WORDS - 1 }
    }

    #[inline]
    const fn cell_at(index: usize) -> Cell {
        Cell::at((index % STRIDE) as u8, (index / STRIDE) as u8)
    }

    /// Whether the set contains the cell.
    #[must_use]
    #[inline]
    pub const fn has(&self, cell: Cell) -> bool {
        let at = Self::index(cell);
        self.0[at / 64] >> (at % 64) & 1 != 0
    }

    /// Adds a cell.
    #[inline]
    pub const fn insert(&mut self, cell: Cell) {
        let at = Self::index(cell);
        self.0[at / 64] |= 1 << (at % 64);
    }

    /// Removes a cell.
    #[inline]
    pub const fn remove(&mut self, cell: Cell) {
        let at = Self::index(cell);
        self.0[at / 64] &= !(1 << (at % 64));
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
    pub fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Whether the two sets have a common cell.
    #[must_use]
    #[inline]
    pub fn meets(&self, other: Self) -> bool {
        !(*self & other).is_empty()
    }

    /// Whether this is a subset of the other set.
    #[must_use]
    #[inline]
    pub fn is_within(&self, other: Self) -> bool {
        (*self - other).is_empty()
    }

    /// The first cell, row by row upwards from a1; `None` for the empty set.
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<Cell> {
        let (place, word) = self.0.iter().enumerate().find(|(_, word)| **word != 0)?;
        Some(Self::cell_at(place * 64 + word.trailing_zeros() as usize))
    }

    /// The cells, row by row upwards from a1.
    #[inline]
    pub const fn iter(self) -> Iter<STRIDE, WORDS> {
        Iter {
            bits: self.0,
            word: 0,
        }
    }

    /// All cells moved one row up.
    #[must_use]
    #[inline]
    pub fn north(self) -> Self {
        self.up(STRIDE)
    }

    /// All cells moved one row down.
    #[must_use]
    #[inline]
    pub fn south(self) -> Self {
        self.down(STRIDE)
    }

    /// All cells moved one column to the right.
    #[must_use]
    #[inline]
    pub fn east(self) -> Self {
        self.up(1)
    }

    /// All cells moved one column to the left.
    #[must_use]
    #[inline]
    pub fn west(self) -> Self {
        self.down(1)
    }

    /// All orthogonal neighbours of these cells. Cells of this set can be among them.
    #[must_use]
    #[inline]
    pub fn adjacent(self) -> Self {
        self.north() | self.south() | self.east() | self.west()
    }

    /// All orthogonal and diagonal neighbours of these cells. Cells of this set can be among them.
    #[must_use]
    #[inline]
    pub fn around(self) -> Self {
        let sides = self.east() | self.west();
        let rows = self | sides;
        sides | rows.north() | rows.south()
    }

    /// All neighbours of these cells on a board of hexagons, where c2 touches c1, d1, b2, d2, b3 and c3. Cells of this set
    /// can be among them.
    #[must_use]
    #[inline]
    pub fn hexagonal(self) -> Self {
        let (east, west) = (self.east(), self.west());
        east | west | (self | west).north() | (self | east).south()
    }

    /// The cells of `area` that orthogonal steps within `area` reach from this set.
    #[must_use]
    #[inline]
    pub fn spread(self, area: Self) -> Self {
        self.grown(area, Self::adjacent)
    }

    /// As [`spread`](Self::spread), with diagonal steps too.
    #[must_use]
    #[inline]
    pub fn spread_around(self, area: Self) -> Self {
        self.grown(area, Self::around)
    }

    /// As [`spread`](Self::spread), with the steps of a board of hexagons.
    #[must_use]
    #[inline]
    pub fn spread_hexagonal(self, area: Self) -> Self {
        self.grown(area, Self::hexagonal)
    }

    /// Whether orthogonal steps within the set connect all its cells. The empty set counts as joined.
    #[must_use]
    pub fn is_joined(self) -> bool {
        self.first()
            .is_none_or(|cell| Self::of(cell).spread(self) == self)
    }

    #[inline]
    fn grown(self, area: Self, step: impl Fn(Self) -> Self) -> Self {
        let mut reached = self & area;
        loop {
            // Not by comparing the two sets, which took as long as the steps: the arrays are then compared by a call of memcmp.
            let more = (step(reached) & area) - reached;
            if more.is_empty() {
                return reached;
            }
            reached |= more;
        }
    }

    #[inline]
    fn up(self, steps: usize) -> Self {
        let mut bits = self.0;
        let mut word = WORDS;
        while word > 0 {
            word -= 1;
            let carry = if word == 0 {
                0
            } else {
                self.0[word - 1] >> (64 - steps)
            };
            bits[word] = self.0[word] << steps | carry;
        }
        Self(bits)
    }

    #[inline]
    fn down(self, steps: usize) -> Self {
        let mut bits = self.0;
        let mut word = 0;
        while word < WORDS {
            let carry = if word + 1 == WORDS {
                0
            } else {
                self.0[word + 1] << (64 - steps)
            };
            bits[word] = self.0[word] >> steps | carry;
            word += 1;
        }
        Self(bits)
    }

    #[inline]
    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        let mut bits = self.0;
        let mut word = 0;
        while word < WORDS {
            bits[word] = join(self.0[word], other.0[word]);
            word += 1;
        }
        Self(bits)
    }
}

impl<const STRIDE: usize, const WORDS: usize> Default for BitBoard<STRIDE, WORDS> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<const STRIDE: usize, const WORDS: usize> FromIterator<Cell> for BitBoard<STRIDE, WORDS> {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        let mut bits = Self::EMPTY;
        cells.into_iter().for_each(|cell| bits.insert(cell));
        bits
    }
}

impl<const STRIDE: usize, const WORDS: usize> IntoIterator for BitBoard<STRIDE, WORDS> {
    type Item = Cell;
    type IntoIter = Iter<STRIDE, WORDS>;

    fn into_iter(self) -> Iter<STRIDE, WORDS> {
        self.iter()
    }
}

/// Iterates over a set, row by row upwards from a1.
#[derive(Clone, Debug)]
pub struct Iter<const STRIDE: usize, const WORDS: usize> {
    bits: [u64; WORDS],
    word: usize,
}

impl<const STRIDE: usize, const WORDS: usize> Iterator for Iter<STRIDE, WORDS> {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        loop {
            let word = self.bits.get_mut(self.word)?;
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(BitBoard::<STRIDE, WORDS>::cell_at(self.word * 64 + bit));
            }
            self.word += 1;
        }
    }

    /// By counting whole words: random turns are chosen so.
    #[inline]
    fn nth(&mut self, mut left: usize) -> Option<Cell> {
        while let Some(word) = self.bits.get_mut(self.word) {
            let count = word.count_ones() as usize;
            if left < count {
                for _ in 0..left {
                    *word &= *word - 1;
                }
                return self.next();
            }
            left -= count;
            self.word += 1;
        }
        None
    }
}

impl<const STRIDE: usize, const WORDS: usize> BitAnd for BitBoard<STRIDE, WORDS> {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl<const STRIDE: usize, const WORDS: usize> BitOr for BitBoard<STRIDE, WORDS> {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl<const STRIDE: usize, const WORDS: usize> BitXor for BitBoard<STRIDE, WORDS> {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

/// Set difference.
impl<const STRIDE: usize, const WORDS: usize> Sub for BitBoard<STRIDE, WORDS> {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }
}

impl<const STRIDE: usize, const WORDS: usize> BitAndAssign for BitBoard<STRIDE, WORDS> {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl<const STRIDE: usize, const WORDS: usize> BitOrAssign for BitBoard<STRIDE, WORDS> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl<const STRIDE: usize, const WORDS: usize> BitXorAssign for BitBoard<STRIDE, WORDS> {
    #[inline]
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

impl<const STRIDE: usize, const WORDS: usize> SubAssign for BitBoard<STRIDE, WORDS> {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests;
