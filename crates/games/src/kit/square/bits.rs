//! Sets of cells of a square grid: bit boards of more than 64 bits, without allocation.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Sub, SubAssign};

use super::cell::{Cell, STRIDE};

const WORDS: usize = 6;
const EDGE: u32 = STRIDE as u32;

/// A set of cells. The bits of a row are adjacent, and one guard bit follows each row.
///
/// Steps and neighbours are plain shifts. A shift can reach guard bits and rows beyond the board, but never a cell on
/// the opposite side. After a step, `& grid.cells()` removes what is not on the board; so does an intersection with any
/// set of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Bits([u64; WORDS]);

impl Bits {
    /// The empty set.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// The set with only this cell.
    #[must_use]
    #[inline]
    pub const fn of(cell: Cell) -> Self {
        let mut bits = [0; WORDS];
        bits[cell.index() / 64] = 1 << (cell.index() % 64);
        Self(bits)
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

    /// Removes a cell.
    #[inline]
    pub const fn remove(&mut self, cell: Cell) {
        self.0[cell.index() / 64] &= !(1 << (cell.index() % 64));
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
        let [a, b, c, d, e, f] = self.0;
        a | b | c | d | e | f == 0
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
        Some(Cell::from_index(place * 64 + word.trailing_zeros() as usize))
    }

    /// The cells, row by row upwards from a1.
    #[inline]
    pub const fn iter(self) -> Iter {
        Iter {
            bits: self.0,
            word: 0,
        }
    }

    /// All cells moved one row up.
    #[must_use]
    #[inline]
    pub fn north(self) -> Self {
        self.up::<EDGE>()
    }

    /// All cells moved one row down.
    #[must_use]
    #[inline]
    pub fn south(self) -> Self {
        self.down::<EDGE>()
    }

    /// All cells moved one column to the right.
    #[must_use]
    #[inline]
    pub fn east(self) -> Self {
        self.up::<1>()
    }

    /// All cells moved one column to the left.
    #[must_use]
    #[inline]
    pub fn west(self) -> Self {
        self.down::<1>()
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
    fn up<const N: u32>(self) -> Self {
        let [a, b, c, d, e, f] = self.0;
        let carry = |low: u64, high: u64| high << N | low >> (64 - N);
        Self([
            a << N,
            carry(a, b),
            carry(b, c),
            carry(c, d),
            carry(d, e),
            carry(e, f),
        ])
    }

    #[inline]
    fn down<const N: u32>(self) -> Self {
        let [a, b, c, d, e, f] = self.0;
        let carry = |low: u64, high: u64| low >> N | high << (64 - N);
        Self([
            carry(a, b),
            carry(b, c),
            carry(c, d),
            carry(d, e),
            carry(e, f),
            f >> N,
        ])
    }

    #[inline]
    fn zip(self, other: Self, join: impl Fn(u64, u64) -> u64) -> Self {
        let [a, b, c, d, e, f] = self.0;
        let [u, v, w, x, y, z] = other.0;
        // Not by `array::from_fn`, which is dozens of calls in a debug build: the tests of the games took 62 seconds instead of 37.
        Self([
            join(a, u),
            join(b, v),
            join(c, w),
            join(d, x),
            join(e, y),
            join(f, z),
        ])
    }
}

impl FromIterator<Cell> for Bits {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        let mut bits = Self::EMPTY;
        cells.into_iter().for_each(|cell| bits.insert(cell));
        bits
    }
}

impl IntoIterator for Bits {
    type Item = Cell;
    type IntoIter = Iter;

    fn into_iter(self) -> Iter {
        self.iter()
    }
}

/// Iterates over a set, row by row upwards from a1.
#[derive(Clone, Debug)]
pub struct Iter {
    bits: [u64; WORDS],
    word: usize,
}

impl Iterator for Iter {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        loop {
            let word = self.bits.get_mut(self.word)?;
            if *word != 0 {
                let bit = word.trailing_zeros() as usize;
                *word &= *word - 1;
                return Some(Cell::from_index(self.word * 64 + bit));
            }
            self.word += 1;
        }
    }
}

impl BitAnd for Bits {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        self.zip(other, |a, b| a & b)
    }
}

impl BitOr for Bits {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        self.zip(other, |a, b| a | b)
    }
}

impl BitXor for Bits {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        self.zip(other, |a, b| a ^ b)
    }
}

/// Set difference.
impl Sub for Bits {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a & !b)
    }
}

impl BitAndAssign for Bits {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOrAssign for Bits {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl BitXorAssign for Bits {
    #[inline]
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

impl SubAssign for Bits {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests;
