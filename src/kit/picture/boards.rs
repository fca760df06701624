//! Layouts of boards that several games use.

use super::{Coordinates, Label, Layout, Point};
use crate::kit::hex;
use crate::kit::square::Grid;

/// The distance between the middles of two cells in a row.
const STEP: f64 = 30.0;
/// The distance from the middle of an outer cell to the name of its column or row.
const TO_NAME: f64 = 27.0;

/// A square grid with the names of columns above and below and of rows on both sides; row 1 is at the bottom.
#[must_use]
pub fn square(grid: Grid) -> Layout {
    let half = STEP / 2.0;
    let last = f64::from(grid.size() - 1) * STEP;
    let along = |place: u8| f64::from(place) * STEP;
    let points = grid.in_reading_order().map(|cell| {
        let (x, y) = (along(cell.column()), last - along(cell.row()));
        let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
        Point {
            name: cell.to_string(),
            at: (x, y),
            outline: around((x, y), &corners),
            is_shaded: (cell.column() + cell.row()) % 2 == 0,
        }
    });
    let labels = (0..grid.size()).flat_map(|place| {
        let column = char::from(b'a' + place).to_string();
        let row = (place + 1).to_string();
        let (x, y) = (along(place), last - along(place));
        [
            Label::edge(column.clone(), (x, -TO_NAME)),
            Label::edge(column, (x, last + TO_NAME)),
            Label::edge(row.clone(), (-TO_NAME, y)),
            Label::edge(row, (last + TO_NAME, y)),
        ]
    });
    Layout {
        points: points.collect(),
        labels: labels.collect(),
        ..Layout::default()
    }
}

/// The hexagonal board with the names of half-columns above and below, and of rows at both ends of each row.
#[must_use]
pub fn hexagon() -> Layout {
    // Each hexagon has a corner at the top. Its width is one step, and a hexagon with sides of length 1 is as wide as
    // the square root of 3.
    let (half, side) = (STEP / 2.0, STEP / 3.0_f64.sqrt());
    let place = |column: u8, row: u8| (f64::from(column) * half, f64::from(row - 1) * 1.5 * side);
    let corners = [
        (0.0, -side),
        (half, -side / 2.0),
        (half, side / 2.0),
        (0.0, side),
        (-half, side / 2.0),
        (-half, -side / 2.0),
    ];
    let points = hex::Cell::ALL.into_iter().map(|cell| {
        let at = place(cell.column(), cell.row());
        Point {
            name: cell.to_string(),
            at,
            outline: around(at, &corners),
            // Vertical stripes, two half-columns wide, lead the eye to the letters.
            is_shaded: cell.column() / 2 % 2 == 0,
        }
    });
    let (_, bottom) = place(0, hex::ROWS);
    let columns = hex::LETTERS.chars().zip(0..).flat_map(|(letter, column)| {
        let (x, _) = place(column, 1);
        [-TO_NAME, bottom + TO_NAME].map(|y| Label::edge(letter, (x, y)))
    });
    let rows = (1..=hex::ROWS).flat_map(|row| {
        let first = row.abs_diff(hex::ROWS.div_ceil(2));
        let ((left, y), (right, _)) = (place(first, row), place(hex::COLUMNS - 1 - first, row));
        [left - TO_NAME, right + TO_NAME].map(|x| Label::edge(row.to_string(), (x, y)))
    });
    Layout {
        points: points.collect(),
        labels: columns.chain(rows).collect(),
        ..Layout::default()
    }
}

fn around((x, y): Coordinates, corners: &[Coordinates]) -> Vec<Coordinates> {
    corners
        .iter()
        .map(|(right, down)| (x + right, y + down))
        .collect()
}
