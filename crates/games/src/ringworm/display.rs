//! The two text drawings of the board.

use std::fmt::Write as _;

use crate::Display;
use crate::kit::canvas::Canvas;
use crate::kit::hex::{COLUMNS, Cell, LETTERS, ROWS};

/// The board; `letter` gives the content of a cell.
pub(super) fn draw(display: Display, letter: impl Fn(Cell) -> Option<char>) -> String {
    match display {
        Display::Small => small(letter),
        Display::Large => large(letter),
    }
}

/// One character for each half-column, below the column letters.
fn small(letter: impl Fn(Cell) -> Option<char>) -> String {
    let mut drawn = format!("   {LETTERS}\n");
    for row in 1..=ROWS {
        let mut line = format!("{row:>2} ");
        for column in 0..COLUMNS {
            line.push(Cell::at(column, row).map_or(' ', |cell| letter(cell).unwrap_or('.')));
        }
        drawn.push_str(line.trim_end());
        drawn.push('\n');
    }
    let _ = writeln!(drawn, "   {LETTERS}");
    drawn
}

/// Where the first half-column has its middle in the large drawing.
const MARGIN: usize = 5;

/// Hexagons of two characters for each half-column: the slanted sides of one row are those of the next.
fn large(letter: impl Fn(Cell) -> Option<char>) -> String {
    let mut picture = Canvas::default();
    let columns = |picture: &mut Canvas, line: usize| {
        for (place, letter) in LETTERS.char_indices() {
            picture.put(line, MARGIN + 2 * place, letter);
        }
    };
    columns(&mut picture, 0);
    for cell in Cell::ALL {
        let (line, at) = (
            2 * usize::from(cell.row()),
            MARGIN + 2 * usize::from(cell.column()),
        );
        for (line, left, right) in [(line - 1, '/', '\\'), (line + 1, '\\', '/')] {
            picture.put(line, at - 1, left);
            picture.put(line, at + 1, right);
        }
        picture.put(line, at - 2, '|');
        picture.put(line, at, letter(cell).unwrap_or(' '));
        picture.put(line, at + 2, '|');
    }
    for row in 1..=ROWS {
        let shift = 2 * usize::from(row.abs_diff(ROWS.div_ceil(2)));
        let last = MARGIN + 2 * usize::from(COLUMNS - 1);
        for (at, digit) in format!("{row:>2}").char_indices() {
            picture.put(2 * usize::from(row), MARGIN + shift + at - 5, digit);
        }
        for (at, digit) in row.to_string().char_indices() {
            picture.put(2 * usize::from(row), last - shift + at + 4, digit);
        }
    }
    columns(&mut picture, 2 * usize::from(ROWS) + 2);
    picture.text()
}
