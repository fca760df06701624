//! The hexagonal board with nine cells on each side: its 217 cells, their names, neighbours and straight lines, and
//! sets of cells.
//!
//! Rows are numbered from 1 at the top to 17. Each row is shifted by half a cell against the next, so the columns are
//! 33 half-columns: `a` to `z`, then `A` to `G`. Neighbours in the same row are two half-columns apart, neighbours in
//! adjacent rows one. All tables are computed at compile time.

mod cells;

use std::fmt;

pub use cells::{Cells, Iter};

/// The number of cells.
pub const COUNT: usize = 217;
/// The number of half-columns.
pub const COLUMNS: u8 = 33;
/// The number of rows.
pub const ROWS: u8 = 17;
/// The letters of the half-columns; case matters.
pub const LETTERS: &str = "abcdefghijklmnopqrstuvwxyzABCDEFG";

const MIDDLE_ROW: u8 = 9;
/// Marks a missing cell in the tables.
const NONE: u8 = u8::MAX;

/// A cell of the board, ordered as in reading: row by row, from the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(u8);

/// The six directions from a cell to a neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Right.
    East,
    /// Down and right.
    SouthEast,
    /// Down and left.
    SouthWest,
    /// Left.
    West,
    /// Up and left.
    NorthWest,
    /// Up and right.
    NorthEast,
}

impl Direction {
    /// All six, clockwise.
    pub const ALL: [Self; 6] = [
        Self::East,
        Self::SouthEast,
        Self::SouthWest,
        Self::West,
        Self::NorthWest,
        Self::NorthEast,
    ];

    /// The change of half-column and row in one step.
    const fn step(self) -> (i8, i8) {
        match self {
            Self::East => (2, 0),
            Self::SouthEast => (1, 1),
            Self::SouthWest => (-1, 1),
            Self::West => (-2, 0),
            Self::NorthWest => (-1, -1),
            Self::NorthEast => (1, -1),
        }
    }
}

/// The half-column (from 0) and the row (from 1) of each cell.
static PLACES: [(u8, u8); COUNT] = places();
/// The cell at each row and half-column.
static AT: [[u8; COLUMNS as usize]; ROWS as usize + 1] = at();
/// The neighbours of each cell, in the order of [`Direction::ALL`].
static NEIGHBOURS: [[u8; 6]; COUNT] = neighbours();

const fn places() -> [(u8, u8); COUNT] {
    let mut places = [(0, 0); COUNT];
    let (mut cell, mut row) = (0, 1);
    while row <= ROWS {
        let mut column = row.abs_diff(MIDDLE_ROW);
        let last = COLUMNS - 1 - column;
        while column <= last {
            places[cell] = (column, row);
            cell += 1;
            column += 2;
        }
        row += 1;
    }
    places
}

const fn at() -> [[u8; COLUMNS as usize]; ROWS as usize + 1] {
    let mut at = [[NONE; COLUMNS as usize]; ROWS as usize + 1];
    let places = places();
    let mut cell = 0;
    while cell < COUNT {
        let (column, row) = places[cell];
        at[row as usize][column as usize] = cell as u8;
        cell += 1;
    }
    at
}

const fn neighbours() -> [[u8; 6]; COUNT] {
    let mut neighbours = [[NONE; 6]; COUNT];
    let (places, at) = (places(), at());
    let mut cell = 0;
    while cell < COUNT {
        let mut direction = 0;
        while direction < 6 {
            let (right, down) = Direction::ALL[direction].step();
            let (column, row) = places[cell];
            let (column, row) = (column as i8 + right, row as i8 + down);
            let within = column >= 0 && column < COLUMNS as i8 && row >= 1 && row <= ROWS as i8;
            if within {
                neighbours[cell][direction] = at[row as usize][column as usize];
            }
            direction += 1;
        }
        cell += 1;
    }
    neighbours
}

impl Cell {
    /// All cells in reading order.
    pub const ALL: [Self; COUNT] = {
        let mut all = [Self(0); COUNT];
        let mut cell = 0;
        while cell < COUNT {
            all[cell] = Self(cell as u8);
            cell += 1;
        }
        all
    };

    /// The cell in this half-column (from 0) and row (from 1), if it exists.
    #[must_use]
    pub fn at(column: u8, row: u8) -> Option<Self> {
        let cell = *AT.get(usize::from(row))?.get(usize::from(column))?;
        (cell != NONE).then_some(Self(cell))
    }

    /// Its index in reading order, from 0 to 216.
    #[must_use]
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its half-column, from 0.
    #[must_use]
    pub const fn column(self) -> u8 {
        PLACES[self.index()].0
    }

    /// Its row, from 1.
    #[must_use]
    pub const fn row(self) -> u8 {
        PLACES[self.index()].1
    }

    /// The neighbour in this direction, if there is one.
    #[must_use]
    #[inline]
    pub const fn next(self, direction: Direction) -> Option<Self> {
        let cell = NEIGHBOURS[self.index()][direction as usize];
        if cell == NONE { None } else { Some(Self(cell)) }
    }

    /// The neighbours, clockwise from the right.
    #[inline]
    pub fn neighbours(self) -> impl Iterator<Item = Self> {
        let cells = NEIGHBOURS[self.index()].into_iter();
        cells.filter(|cell| *cell != NONE).map(Self)
    }

    /// The cell this many steps away, if it is on the board. The board is convex, so all cells between are on it too.
    #[must_use]
    pub fn far(self, direction: Direction, steps: usize) -> Option<Self> {
        (0..steps).try_fold(self, |cell, _| cell.next(direction))
    }

    /// The direction and the number of steps to another cell on the same straight line; `None` if there is no such
    /// line, or for the cell itself.
    #[must_use]
    pub fn way_to(self, other: Self) -> Option<(Direction, usize)> {
        Direction::ALL.into_iter().find_map(|direction| {
            let line = std::iter::successors(self.next(direction), |cell| cell.next(direction));
            let steps = line.into_iter().position(|cell| cell == other)?;
            Some((direction, steps + 1))
        })
    }

    /// The cell with this name.
    ///
    /// # Errors
    /// [`NoCell`], with suggestions.
    pub fn find(name: &str) -> Result<Self, NoCell> {
        let mut letters = name.chars();
        let (letter, number) = (letters.next(), letters.as_str());
        let digits = matches!(number.len(), 1 | 2) && number.bytes().all(|b| b.is_ascii_digit());
        let (Some(letter), Ok(row)) = (letter, number.parse::<u8>()) else {
            return Err(NoCell::Unreadable);
        };
        if !letter.is_ascii_alphabetic() || !digits || number.starts_with('0') {
            return Err(NoCell::Unreadable);
        }
        match LETTERS.find(letter) {
            Some(column) => {
                let column = column as u8;
                Self::at(column, row).ok_or_else(|| NoCell::Outside(nearest(column, row)))
            }
            None => {
                let small = LETTERS.find(letter.to_ascii_lowercase());
                let meant = small.and_then(|column| Self::at(column as u8, row));
                Err(NoCell::NoColumn(meant))
            }
        }
    }
}

/// Why a name is not the name of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoCell {
    /// It is not a letter and a number.
    Unreadable,
    /// No half-column has this capital letter; perhaps this cell was meant.
    NoColumn(Option<Cell>),
    /// There is no cell at that position; these are the nearest ones.
    Outside(Vec<Cell>),
}

/// The cells nearest to a position, measured as drawn: rows are farther apart than half-columns.
fn nearest(column: u8, row: u8) -> Vec<Cell> {
    let away = |cell: Cell| {
        let (right, down) = (cell.column().abs_diff(column), cell.row().abs_diff(row));
        u32::from(right) + 2 * u32::from(down)
    };
    let least = Cell::ALL.into_iter().map(away).min();
    let near = Cell::ALL.into_iter().filter(|cell| Some(away(*cell)) == least);
    near.take(4).collect()
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = usize::from(self.column());
        let letter = LETTERS.get(column..=column).unwrap_or_default();
        write!(f, "{letter}{}", self.row())
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests;
