//! The board: its squares in reading order, which ones are next to each other, their names, drawings and picture.

use crate::Display;
use crate::kit::canvas::Canvas;
use crate::kit::picture::{self, Layout};
use crate::kit::square::{Cell, Grid};

/// No square: the board ends there.
pub(super) const NONE: u8 = u8::MAX;

/// The eight ways, clockwise from the one to the top: column and row from the top.
const WAYS: [(i8, i8); 8] = [
    (0, -1),
    (1, -1),
    (1, 0),
    (1, 1),
    (0, 1),
    (-1, 1),
    (-1, 0),
    (-1, -1),
];

/// A square board with pieces on its dark squares, which have numbers, or on all squares, which are cells with names.
#[derive(Debug)]
pub struct Board {
    size: u8,
    is_numbered: bool,
    next: [[u8; 8]; 64],
}

impl Board {
    /// The dark squares of a board of even size, at most 10, numbered from the top.
    #[must_use]
    pub const fn dark(size: u8) -> Self {
        Self::new(size, true)
    }

    /// All squares, of size 8 at most.
    #[must_use]
    pub const fn all(size: u8) -> Self {
        Self::new(size, false)
    }

    const fn new(size: u8, is_numbered: bool) -> Self {
        let mut board = Self {
            size,
            is_numbered,
            next: [[NONE; 8]; 64],
        };
        let mut square = 0;
        while square < board.count() {
            let (column, row) = board.place(square);
            let mut way = 0;
            while way < 8 {
                let (right, down) = WAYS[way];
                let at = (column as i8 + right, row as i8 + down);
                if at.0 >= 0 && at.0 < size as i8 && at.1 >= 0 && at.1 < size as i8 {
                    board.next[square as usize][way] = board.square_at(at.0 as u8, at.1 as u8);
                }
                way += 1;
            }
            square += 1;
        }
        board
    }

    /// The number of squares.
    #[must_use]
    pub const fn count(&self) -> u8 {
        if self.is_numbered {
            self.size * self.size / 2
        } else {
            self.size * self.size
        }
    }

    /// The column and the row, from the left and from the top.
    pub(super) const fn place(&self, square: u8) -> (u8, u8) {
        if !self.is_numbered {
            return (square % self.size, square / self.size);
        }
        let half = self.size / 2;
        let row = square / half;
        (square % half * 2 + 1 - row % 2, row)
    }

    const fn square_at(&self, column: u8, row: u8) -> u8 {
        if !self.is_numbered {
            row * self.size + column
        } else if (column + row).is_multiple_of(2) {
            NONE
        } else {
            row * (self.size / 2) + column / 2
        }
    }

    /// The next square this way, or [`NONE`].
    #[inline]
    pub(super) const fn next(&self, square: u8, way: u8) -> u8 {
        self.next[square as usize][way as usize]
    }

    /// The squares of the row at the top, or at the bottom.
    pub(super) const fn edge(&self, is_top: bool) -> u64 {
        let width = if self.is_numbered {
            self.size / 2
        } else {
            self.size
        };
        let row = (1 << width) - 1;
        if is_top {
            row
        } else {
            row << (self.count() - width)
        }
    }

    fn cell(&self, square: u8) -> Cell {
        let (column, row) = self.place(square);
        Cell::at(column, self.size - 1 - row)
    }

    /// `15`, `c3`.
    #[must_use]
    pub fn name(&self, square: u8) -> String {
        match self.is_numbered {
            true => (square + 1).to_string(),
            false => self.cell(square).to_string(),
        }
    }

    /// The square with this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u8> {
        if !self.is_numbered {
            let cell = Grid::new(self.size).find(name).ok()?;
            return Some(self.square_at(cell.column(), self.size - 1 - cell.row()));
        }
        let number: u8 = name.parse().ok()?;
        (1..=self.count()).contains(&number).then(|| number - 1)
    }

    /// The names, for refusals.
    pub(super) fn names(&self) -> String {
        match self.is_numbered {
            true => format!("squares are numbers from 1 to {}", self.count()),
            false => {
                let (column, row) = (Grid::new(self.size).last_column(), self.size);
                format!("a cell is a column letter from a to {column} and a row number from 1 to {row}")
            }
        }
    }

    /// `square`, or `cell` where squares have the names of cells.
    pub(super) const fn noun(&self) -> &'static str {
        if self.is_numbered { "square" } else { "cell" }
    }

    /// The drawing, with this letter on each square.
    pub(super) fn draw(&self, display: Display, letter: impl Fn(u8) -> char) -> String {
        if !self.is_numbered {
            return Grid::new(self.size).draw(display, |cell| {
                letter(self.square_at(cell.column(), self.size - 1 - cell.row()))
            });
        }
        let mut canvas = Canvas::default();
        let half = self.size / 2;
        for square in 0..self.count() {
            let (column, row) = self.place(square);
            let (column, row) = (usize::from(column), usize::from(row));
            let number = square + 1;
            match display {
                Display::Small => {
                    canvas.put(row, 3 + 2 * column, letter(square));
                    if number % half == 1 {
                        canvas.write(row, 0, &format!("{number:>2}"));
                    } else if number % half == 0 {
                        canvas.write(row, 3 + 2 * usize::from(self.size), &format!("{number:>2}"));
                    }
                }
                Display::Large => {
                    let text = format!("{} {number:>2}", letter(square));
                    canvas.write(1 + 2 * row, 2 + 7 * column, &text);
                }
            }
        }
        if display == Display::Large {
            let size = usize::from(self.size);
            for row in 0..=size {
                canvas.write(2 * row, 0, &format!("+{}", "------+".repeat(size)));
                for column in (0..=size).filter(|_| row < size) {
                    canvas.put(2 * row + 1, 7 * column, '|');
                }
            }
        }
        canvas.text()
    }

    /// The empty board. Light squares where nothing stands are part of it, but no points.
    pub(super) fn layout(&self) -> Layout {
        let mut layout = picture::square(Grid::new(self.size));
        if !self.is_numbered {
            return layout;
        }
        layout.labels.clear();
        let dark = layout.points.into_iter().filter(|point| point.is_shaded);
        layout.points = (0..self.count())
            .zip(dark)
            .map(|(square, point)| picture::Point {
                name: self.name(square),
                ..point
            })
            .collect();
        // At the sides the first and the last square of each row, above and below those of the outer rows.
        let (half, last) = (self.size / 2, self.size - 1);
        let along = |place: u8| f64::from(place) * 30.0;
        let label = |square: u8, at| picture::Label::edge(self.name(square), at);
        for square in 0..self.count() {
            let (column, row) = self.place(square);
            match square % half {
                0 => layout.labels.push(label(square, (-27.0, along(row)))),
                end if end + 1 == half => layout
                    .labels
                    .push(label(square, (along(last) + 27.0, along(row)))),
                _ => {}
            }
            match row {
                0 => layout.labels.push(label(square, (along(column), -27.0))),
                row if row == last => layout
                    .labels
                    .push(label(square, (along(column), along(last) + 27.0))),
                _ => {}
            }
        }
        layout
    }
}
