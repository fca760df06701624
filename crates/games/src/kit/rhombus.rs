//! The two text drawings of a rhombus of hexagons. Its cells are those of a square grid, each row half a cell to the right
//! of the one below it.

use super::canvas::Canvas;
use super::display::Display;
use super::square::{Cell, Grid};

/// The widest drawing.
const COLUMNS: usize = 80;

/// The largest grid whose hexagons fit these columns: a hexagon takes four of them, and each row begins two to the right of the one
/// below it. In less room their sides cannot be drawn.
const LARGEST_HEXAGONS: u8 = 13;

/// Draws the board; `letter` gives the content of a cell. Columns are named along the slant, above and below; rows at both
/// ends, or at the left only if there is no room at the right. A larger grid has the small drawing only.
pub fn draw(grid: Grid, display: Display, letter: impl Fn(Cell) -> Option<char>) -> String {
    let mut canvas = Canvas::default();
    match display {
        Display::Large if grid.size() <= LARGEST_HEXAGONS => {
            let shape = Shape::new(grid, 4);
            for cell in grid.in_reading_order() {
                let (line, at) = shape.place(cell);
                for (line, left, right) in [(line - 1, '/', '\\'), (line + 1, '\\', '/')] {
                    canvas.put(line, at - 1, left);
                    canvas.put(line, at + 1, right);
                }
                canvas.put(line, at - 2, '|');
                canvas.put(line, at, letter(cell).unwrap_or(' '));
                canvas.put(line, at + 2, '|');
            }
            shape.name(&mut canvas);
        }
        Display::Small | Display::Large => {
            let shape = Shape::new(grid, 2);
            for cell in grid.in_reading_order() {
                let (line, at) = shape.place(cell);
                canvas.put(line, at, letter(cell).unwrap_or('.'));
            }
            shape.name(&mut canvas);
        }
    }
    canvas.text()
}

/// Where cells and names stand.
struct Shape {
    size: usize,
    digits: usize,
    /// From a cell to the next one in its row.
    step: usize,
}

impl Shape {
    fn new(grid: Grid, step: usize) -> Self {
        let digits = if grid.size() > 9 { 2 } else { 1 };
        let size = usize::from(grid.size());
        Self { size, digits, step }
    }

    /// Lines for each row: hexagons share their slanted sides.
    const fn lines(&self) -> usize {
        self.step / 2
    }

    /// The line and the column of the middle of a cell.
    fn place(&self, cell: Cell) -> (usize, usize) {
        self.at(usize::from(cell.column()), usize::from(cell.row()))
    }

    fn at(&self, column: usize, row: usize) -> (usize, usize) {
        let line = 1 + (self.size - 1 - row) * self.lines() + (self.lines() - 1);
        let left = self.digits + self.step / 2 + self.step / 4;
        (line, left + column * self.step + row * self.step / 2)
    }

    fn name(&self, canvas: &mut Canvas) {
        let (top, bottom) = (self.size - 1, 0);
        for column in 0..self.size {
            let letter = char::from(b'a' + column as u8);
            let ((_, above), (line, below)) = (self.at(column, top), self.at(column, bottom));
            canvas.put(0, above + self.step / 2, letter);
            canvas.put(line + self.lines(), below - self.step / 2, letter);
        }
        let is_room = self.at(top, top).1 + self.step + self.digits <= COLUMNS;
        for row in 0..self.size {
            let ((line, left), (_, right)) = (self.at(0, row), self.at(top, row));
            let number = (row + 1).to_string();
            // A blank is between the number and the cell, or the side of its hexagon.
            let before = self.step / 2 + self.step / 4 + number.len();
            canvas.write(line, left - before, &number);
            if is_room {
                canvas.write(line, right + self.step, &number);
            }
        }
    }
}
