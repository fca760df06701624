//! Sets of cells of a small grid: bit boards of one `u128`, and the straight lines from a cell.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Sub, SubAssign};

use super::cell::Cell;

/// The largest number of columns and rows.
const SIZE: usize = 10;
/// The difference between the index of a cell and that of the cell above it: one guard bit follows each row.
const EDGE: usize = SIZE + 1;
const COUNT: usize = SIZE * EDGE;

/// One of the eight directions of a queen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// Up.
    North,
    /// Up and right.
    NorthEast,
    /// Right.
    East,
    /// Down and right.
    SouthEast,
    /// Down.
    South,
    /// Down and left.
    SouthWest,
    /// Left.
    West,
    /// Up and left.
    NorthWest,
}

impl Way {
    /// All eight, clockwise; the opposite of each is four places further.
    pub const ALL: [Self; 8] = [
        Self::North,
        Self::NorthEast,
        Self::East,
        Self::SouthEast,
        Self::South,
        Self::SouthWest,
        Self::West,
        Self::NorthWest,
    ];

    /// The direction back.
    #[must_use]
    #[inline]
    pub const fn opposite(self) -> Self {
        Self::ALL[(self as usize + 4) % 8]
    }

    /// The change of column and row in one step.
    #[must_use]
    pub const fn step(self) -> (i8, i8) {
        match self {
            Self::North => (0, 1),
            Self::NorthEast => (1, 1),
            Self::East => (1, 0),
            Self::SouthEast => (1, -1),
            Self::South => (0, -1),
            Self::SouthWest => (-1, -1),
            Self::West => (-1, 0),
            Self::NorthWest => (-1, 1),
        }
    }

    /// The change of the index of a bit in one step.
    const fn shift(self) -> i32 {
        let (right, up) = self.step();
        right as i32 + up as i32 * EDGE as i32
    }

    const fn is_up(self) -> bool {
        self.shift() > 0
    }
}

/// The cells beyond each cell in each direction, to the edge of the largest grid.
static RAYS: [[SmallBits; 8]; COUNT] = rays();

const fn rays() -> [[SmallBits; 8]; COUNT] {
    let mut rays = [[SmallBits(0); 8]; COUNT];
    let mut from = 0;
    while from < COUNT {
        let mut way = 0;
        while way < 8 {
            let (right, up) = Way::ALL[way].step();
            let (mut column, mut row) = ((from % EDGE) as i8 + right, (from / EDGE) as i8 + up);
            while column >= 0 && column < SIZE as i8 && row >= 0 && row < SIZE as i8 {
                rays[from][way].0 |= 1 << (row as usize * EDGE + column as usize);
                column += right;
                row += up;
            }
            way += 1;
        }
        from += 1;
    }
    rays
}

/// The index of the bit of a cell. A cell beyond the largest small grid is taken for one on it.
#[inline]
const fn place(cell: Cell) -> usize {
    let (column, row) = (cell.column() as usize, cell.row() as usize);
    (row * EDGE + column) % COUNT
}

#[inline]
const fn cell_at(place: usize) -> Cell {
    Cell::at((place % EDGE) as u8, (place / EDGE) as u8)
}

/// A set of cells of a grid with at most ten columns and rows; as [`Bits`](super::Bits), which are for larger ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct SmallBits(u128);

impl SmallBits {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// All cells of a grid of this size.
    #[must_use]
    pub const fn square(size: u8) -> Self {
        let (mut row, mut bits) = (0, 0);
        while row < size as usize && row < SIZE {
            bits |= ((1 << size) - 1) << (row * EDGE);
            row += 1;
        }
        Self(bits)
    }

    /// The cells of this grid that are not on its edge.
    #[must_use]
    #[inline]
    pub const fn inner(self) -> Self {
        let rows = self.0 & self.0 << EDGE & self.0 >> EDGE;
        Self(rows & rows << 1 & rows >> 1)
    }

    /// The set with only this cell.
    #[must_use]
    #[inline]
    pub const fn of(cell: Cell) -> Self {
        Self(1 << place(cell))
    }

    /// The cells of this row, from 0.
    #[must_use]
    pub const fn row(self, row: u8) -> Self {
        Self(self.0 & ((1 << EDGE) - 1) << (row as usize * EDGE))
    }

    /// The columns of the cells of this row, from 0, as a set of bits: faster than [`row`](Self::row).
    #[must_use]
    #[inline]
    pub const fn columns(self, row: u8) -> u16 {
        (self.0 >> (row as usize * EDGE)) as u16 & ((1 << EDGE) - 1)
    }

    /// Whether the set contains the cell.
    #[must_use]
    #[inline]
    pub const fn has(self, cell: Cell) -> bool {
        self.0 >> place(cell) & 1 != 0
    }

    /// The set as numbers, for a hash.
    #[must_use]
    #[inline]
    pub const fn words(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }

    /// Whether the set is empty.
    #[must_use]
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of cells.
    #[must_use]
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// The first cell, row by row upwards from a1; `None` for the empty set.
    #[must_use]
    #[inline]
    pub fn first(self) -> Option<Cell> {
        (self.0 != 0).then(|| cell_at(self.0.trailing_zeros() as usize))
    }

    /// The cells, row by row upwards from a1.
    #[inline]
    pub const fn iter(self) -> SmallIter {
        SmallIter(self.0)
    }

    /// All cells moved one step. Some may leave the board: see [`Bits`](super::Bits).
    #[must_use]
    #[inline]
    pub const fn step(self, way: Way) -> Self {
        let shift = way.shift();
        if shift > 0 {
            Self(self.0 << shift)
        } else {
            Self(self.0 >> -shift)
        }
    }

    /// All orthogonal and diagonal neighbours of these cells. Cells of this set can be among them.
    #[must_use]
    #[inline]
    pub const fn around(self) -> Self {
        let sides = self.0 << 1 | self.0 >> 1;
        let rows = self.0 | sides;
        Self(sides | rows << EDGE | rows >> EDGE)
    }

    /// The cells of `area` that orthogonal and diagonal steps within `area` reach from this set.
    #[must_use]
    #[inline]
    pub fn spread_around(self, area: Self) -> Self {
        let mut reached = self & area;
        loop {
            let next = (reached | reached.around()) & area;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }

    /// The cells that end the runs of up to eight cells of `over` which begin next to this set in a direction.
    #[must_use]
    #[inline]
    pub const fn beyond(self, over: Self, way: Way) -> Self {
        match way {
            Way::North => self.beyond_up::<11>(over),
            Way::NorthEast => self.beyond_up::<12>(over),
            Way::East => self.beyond_up::<1>(over),
            Way::SouthEast => self.beyond_down::<10>(over),
            Way::South => self.beyond_down::<11>(over),
            Way::SouthWest => self.beyond_down::<12>(over),
            Way::West => self.beyond_down::<1>(over),
            Way::NorthWest => self.beyond_up::<10>(over),
        }
    }

    /// Doubles the length of the runs three times, so that runs of eight are followed in four steps.
    #[inline]
    const fn beyond_up<const N: u32>(self, Self(over): Self) -> Self {
        let mut run = self.0 << N & over;
        run |= run << N & over;
        let two = over & over << N;
        run |= run << (2 * N) & two;
        run |= run << (4 * N) & two & two << (2 * N);
        Self(run << N)
    }

    #[inline]
    const fn beyond_down<const N: u32>(self, Self(over): Self) -> Self {
        let mut run = self.0 >> N & over;
        run |= run >> N & over;
        let two = over & over >> N;
        run |= run >> (2 * N) & two;
        run |= run >> (4 * N) & two & two >> (2 * N);
        Self(run >> N)
    }

    /// The cells beyond `from` in a direction, to the edge of a grid of ten columns and rows.
    #[must_use]
    #[inline]
    pub fn ray(from: Cell, way: Way) -> Self {
        RAYS[place(from)][way as usize]
    }

    /// The cells beyond `from` in a direction as far as they belong to `free`, and the cell that ends them.
    #[must_use]
    #[inline]
    pub fn run(from: Cell, way: Way, free: Self) -> Self {
        let ray = Self::ray(from, way);
        let blocked = ray.0 & !free.0;
        let end = match (blocked, way.is_up()) {
            (0, _) => return ray,
            (_, true) => blocked.trailing_zeros(),
            (_, false) => u128::BITS - 1 - blocked.leading_zeros(),
        };
        ray - RAYS[end as usize][way as usize]
    }

    /// The cells that a queen on `from` reaches over the cells of `free`.
    #[must_use]
    #[inline]
    pub fn queen(from: Cell, free: Self) -> Self {
        let runs = Way::ALL.map(|way| Self::run(from, way, free));
        runs.into_iter().fold(Self::EMPTY, |all, run| all | run) & free
    }
}

impl FromIterator<Cell> for SmallBits {
    fn from_iter<I: IntoIterator<Item = Cell>>(cells: I) -> Self {
        cells
            .into_iter()
            .fold(Self::EMPTY, |all, cell| all | Self::of(cell))
    }
}

impl IntoIterator for SmallBits {
    type Item = Cell;
    type IntoIter = SmallIter;

    #[inline]
    fn into_iter(self) -> SmallIter {
        self.iter()
    }
}

/// Iterates over a set, row by row upwards from a1.
#[derive(Clone, Debug)]
pub struct SmallIter(u128);

impl Iterator for SmallIter {
    type Item = Cell;

    #[inline]
    fn next(&mut self) -> Option<Cell> {
        let cell = SmallBits(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(cell)
    }
}

impl BitAnd for SmallBits {
    type Output = Self;
    #[inline]
    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for SmallBits {
    type Output = Self;
    #[inline]
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitXor for SmallBits {
    type Output = Self;
    #[inline]
    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

/// Set difference.
impl Sub for SmallBits {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl BitAndAssign for SmallBits {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl BitOrAssign for SmallBits {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

impl BitXorAssign for SmallBits {
    #[inline]
    fn bitxor_assign(&mut self, other: Self) {
        *self = *self ^ other;
    }
}

impl SubAssign for SmallBits {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

#[cfg(test)]
mod tests;
