//! Boards of hexagons in the form of a rhombus, a triangle or a hexagon: their cells, neighbours and text drawings.
//!
//! The cells are those of a square grid, each row half a cell beside the one below it.

use super::canvas::Canvas;
use super::display::Display;
use super::square::{BitBoard, Cell, Grid, MAX_SIZE};

/// The widest drawing.
const COLUMNS: usize = 80;

/// The form of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// All cells of the grid. Each row is half a cell to the right of the one below it: c2 touches c1, d1, b2, d2, b3 and c3.
    Rhombus,
    /// The same, up to the diagonal from the last cell of row 1 to the last one of column a.
    Triangle,
    /// Each row is half a cell to the left of the one below it: c2 touches c1, b1, b2, d2, c3 and d3. Column and row differ by
    /// less than the length of a side.
    Hexagon,
}

/// A board of hexagons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hexagons {
    form: Form,
    side: u8,
}

impl Hexagons {
    /// The board with this number of cells on each side, as many as a grid has room for.
    #[must_use]
    pub const fn new(form: Form, side: u8) -> Self {
        let most = match form {
            Form::Hexagon => MAX_SIZE.div_ceil(2),
            Form::Rhombus | Form::Triangle => MAX_SIZE,
        };
        let side = if side > most { most } else { side };
        Self { form, side }
    }

    /// The number of cells on a side.
    #[must_use]
    pub const fn side(self) -> u8 {
        self.side
    }

    /// The form.
    #[must_use]
    pub const fn form(self) -> Form {
        self.form
    }

    /// The grid around the board.
    #[must_use]
    pub const fn grid(self) -> Grid {
        Grid::new(match self.form {
            Form::Hexagon => 2 * self.side - 1,
            Form::Rhombus | Form::Triangle => self.side,
        })
    }

    /// Whether the board has this cell.
    #[must_use]
    pub const fn has(self, cell: Cell) -> bool {
        let (column, row) = (cell.column(), cell.row());
        let size = self.grid().size();
        let is_within = match self.form {
            Form::Rhombus => true,
            Form::Triangle => column + row < self.side,
            Form::Hexagon => column.abs_diff(row) < self.side,
        };
        is_within && column < size && row < size
    }

    /// The cells in reading order: the top row first, each row from the left.
    pub fn in_reading_order(self) -> impl Iterator<Item = Cell> {
        self.grid().in_reading_order().filter(move |cell| self.has(*cell))
    }

    /// All cells.
    #[must_use]
    pub fn cells<const STRIDE: usize, const WORDS: usize>(self) -> BitBoard<STRIDE, WORDS> {
        self.in_reading_order().collect()
    }

    /// The neighbours of these cells. Cells of this set can be among them.
    #[must_use]
    #[inline]
    pub fn around<const STRIDE: usize, const WORDS: usize>(
        self,
        cells: BitBoard<STRIDE, WORDS>,
    ) -> BitBoard<STRIDE, WORDS> {
        match self.form {
            Form::Rhombus | Form::Triangle => cells.hexagonal(),
            Form::Hexagon => {
                let (east, west) = (cells.east(), cells.west());
                east | west | (cells | east).north() | (cells | west).south()
            }
        }
    }

    /// How far the middle of a cell is from that of a1: to the right in halves of a cell, and in rows.
    #[must_use]
    pub const fn middle(self, column: i32, row: i32) -> (i32, i32) {
        match self.form {
            Form::Rhombus | Form::Triangle => (2 * column + row, row),
            Form::Hexagon => (2 * column - row, row),
        }
    }

    /// The names of columns and rows. On a rhombus each stands at both ends. On the other forms an end of a column is that of a
    /// row too, so each stands at one.
    #[must_use]
    pub fn names(self) -> Vec<Name> {
        let (size, side) = (i32::from(self.grid().size()), i32::from(self.side));
        let mut names = Vec::new();
        for (number, letter) in (0..size).zip('a'..) {
            let mut put = |text: String, at, beside| names.push(Name { text, at, beside });
            let (column, row) = (letter.to_string(), (number + 1).to_string());
            let before = match self.form {
                Form::Rhombus | Form::Triangle => -1,
                Form::Hexagon => (number - side).max(-1),
            };
            if self.form == Form::Rhombus {
                put(column.clone(), (number, size), (number, size - 1));
                put(row.clone(), (size, number), (size - 1, number));
            }
            put(column, (number, before), (number, before + 1));
            put(row, (before, number), (before + 1, number));
        }
        names
    }

    /// Draws the board; `letter` gives the content of a cell. The large drawing has the sides of the hexagons as long as they
    /// fit the widest line; a larger board has the small drawing only. Names at the right are left out where there is no room.
    pub fn draw(self, display: Display, letter: impl Fn(Cell) -> Option<char>) -> String {
        let large = Drawing::new(self, 4);
        let is_large = display == Display::Large && large.width() <= COLUMNS;
        let drawing = if is_large { large } else { Drawing::new(self, 2) };
        let mut canvas = Canvas::default();
        for cell in self.in_reading_order() {
            let (line, at) = drawing.at(i32::from(cell.column()), i32::from(cell.row()));
            if is_large {
                for (line, left, right) in [(line - 1, '/', '\\'), (line + 1, '\\', '/')] {
                    canvas.put(line, at - 1, left);
                    canvas.put(line, at + 1, right);
                }
                canvas.put(line, at - 2, '|');
                canvas.put(line, at + 2, '|');
            }
            let empty = if is_large { ' ' } else { '.' };
            canvas.put(line, at, letter(cell).unwrap_or(empty));
        }
        drawing.name(&mut canvas);
        canvas.text()
    }
}

/// The name of a column or of a row, at one of its ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// A letter or a number.
    pub text: String,
    /// The column and row where it stands, outside of the board.
    pub at: (i32, i32),
    /// Those of the cell beside it.
    pub beside: (i32, i32),
}

impl Name {
    /// Whether it stands at the right end of a row.
    const fn is_right(&self) -> bool {
        self.at.0 > self.beside.0
    }
}

/// Where cells and names stand.
struct Drawing {
    board: Hexagons,
    digits: usize,
    /// From a cell to the next one in its row.
    step: usize,
    /// How far the leftmost cell is to the left of a1.
    left: i32,
}

impl Drawing {
    const fn new(board: Hexagons, step: usize) -> Self {
        let digits = if board.grid().size() > 9 { 2 } else { 1 };
        let left = match board.form() {
            Form::Rhombus | Form::Triangle => 0,
            Form::Hexagon => 1 - board.side() as i32,
        };
        Self {
            board,
            digits,
            step,
            left,
        }
    }

    /// Lines for each row: hexagons share their slanted sides.
    const fn lines(&self) -> usize {
        self.step / 2
    }

    /// The line and the column of the middle of a cell, or of a place beside the board.
    fn at(&self, column: i32, row: i32) -> (usize, usize) {
        let (halves, row) = self.board.middle(column, row);
        let size = i32::from(self.board.grid().size());
        let (lines, step) = (self.lines() as i32, self.step as i32);
        // The names above the board.
        let above = i32::from(self.board.form() == Form::Rhombus);
        let line = above + (size - 1 - row) * lines + (lines - 1);
        let at = self.digits as i32 + step / 2 + step / 4 + (halves - self.left) * step / 2;
        (line.max(0) as usize, at.max(0) as usize)
    }

    /// The columns that cells take, and the names at the left of them.
    fn width(&self) -> usize {
        let last = i32::from(self.board.grid().size()) - 1;
        let row = match self.board.form() {
            Form::Rhombus => last,
            Form::Triangle => 0,
            Form::Hexagon => i32::from(self.board.side()) - 1,
        };
        1 + self.at(last, row).1 + self.step / 2
    }

    fn name(&self, canvas: &mut Canvas) {
        let names = self.board.names();
        let end = |name: &Name| self.at(name.at.0, name.at.1).1 + self.digits;
        let is_room = !names.iter().any(|name| name.is_right() && end(name) > COLUMNS);
        for name in names {
            let (line, at) = self.at(name.at.0, name.at.1);
            if name.at.0 < name.beside.0 {
                // A blank is between the number and the cell, or the side of its hexagon.
                let before = self.step / 2 + self.step / 4 + name.text.len();
                canvas.write(line, at + self.step - before, &name.text);
            } else if is_room || !name.is_right() {
                canvas.write(line, at, &name.text);
            }
        }
    }
}
