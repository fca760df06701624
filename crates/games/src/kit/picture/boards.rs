//! Layouts of boards that several games use.

use super::{Coordinates, EDGE, Edge, Label, Layout, Line, Point, Tone};
use crate::kit::hex;
use crate::kit::hexagons::{Form, Hexagons};
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
    Layout {
        points: points.collect(),
        labels: square_labels(grid),
        ..Layout::default()
    }
}

/// A square grid whose pieces stand on the crossings of lines, with the same names.
#[must_use]
pub fn crossings(grid: Grid) -> Layout {
    let size = grid.size();
    let along = |place: u8| f64::from(place) * STEP;
    let last = along(size - 1);
    // As on a board for Go: dots four lines from the edge, three on a small board, and one in the middle.
    let dot = if size < 13 { 2 } else { 3 };
    let is_outer = |place: u8| place == dot || place + dot + 1 == size;
    let is_middle = |place: u8| 2 * place + 1 == size;
    let points = grid.in_reading_order().map(|cell| {
        let (column, row) = (cell.column(), cell.row());
        Point {
            name: cell.to_string(),
            at: (along(column), last - along(row)),
            outline: Vec::new(),
            is_shaded: (is_outer(column) && is_outer(row)) || (is_middle(column) && is_middle(row)),
        }
    });
    let line = |from, to| Line {
        from,
        to,
        is_dashed: false,
    };
    let lines = (0..size).map(along).flat_map(|place| {
        [
            line((place, 0.0), (place, last)),
            line((0.0, place), (last, place)),
        ]
    });
    Layout {
        points: points.collect(),
        lines: lines.collect(),
        labels: square_labels(grid),
        ..Layout::default()
    }
}

/// The names of columns above and below and of rows on both sides.
fn square_labels(grid: Grid) -> Vec<Label> {
    let last = f64::from(grid.size() - 1) * STEP;
    let along = |place: u8| f64::from(place) * STEP;
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
    labels.collect()
}

/// A board of hexagons with the names of its columns along the slant, and of its rows at their ends.
#[must_use]
pub fn hexagons(board: Hexagons) -> Layout {
    const TO_NAME: f64 = 33.0;
    let (half, side) = (STEP / 2.0, STEP / 3.0_f64.sqrt());
    let last = f64::from(board.grid().size() - 1);
    let place = |column: i32, row: i32| {
        let (halves, row) = board.middle(column, row);
        (f64::from(halves) * half, (last - f64::from(row)) * 1.5 * side)
    };
    let points = board.in_reading_order().map(|cell| {
        let at = place(i32::from(cell.column()), i32::from(cell.row()));
        Point {
            name: cell.to_string(),
            at,
            outline: around(at, &corners(half, side)),
            is_shaded: false,
        }
    });
    // A step along the slant is as long as a step in a row.
    let far = TO_NAME / STEP;
    let labels = board.names().into_iter().map(|name| {
        let ((x, y), (from, height)) = (place(name.at.0, name.at.1), place(name.beside.0, name.beside.1));
        Label::edge(name.text, (from + (x - from) * far, height + (y - height) * far))
    });
    Layout {
        points: points.collect(),
        labels: labels.collect(),
        ..Layout::default()
    }
}

/// A rhombus of hexagons. The first tone has the edges below and above, the second those on the left and on the right.
#[must_use]
pub fn rhombus(size: u8, [below, beside]: [Tone; 2]) -> Layout {
    let (half, side) = (STEP / 2.0, STEP / 3.0_f64.sqrt());
    let last = size - 1;
    let middle = |column: u8, row: u8| {
        let x = f64::from(column) * STEP + f64::from(row) * half;
        (x, (f64::from(last) - f64::from(row)) * 1.5 * side)
    };
    let all = || 0..=last;
    let edge = |tone, corners: Vec<Vec<Coordinates>>| Edge {
        width: EDGE,
        tone,
        corners: corners.concat(),
    };
    let (low, high) = (side / 2.0, -side / 2.0);
    let lower = [(-half, low), (0.0, side), (half, low)];
    let upper = [(-half, high), (0.0, -side), (half, high)];
    let left = [(-half, low), (-half, high)];
    let right = [(half, low), (half, high)];
    let along_row = |row: u8, corners: &[Coordinates]| {
        let of = |column| around(middle(column, row), corners);
        edge(below, all().map(of).collect())
    };
    let along_column = |column: u8, corners: &[Coordinates]| {
        let of = |row| around(middle(column, row), corners);
        edge(beside, all().map(of).collect())
    };
    Layout {
        edges: vec![
            along_column(0, &left),
            along_column(last, &right),
            along_row(0, &lower),
            along_row(last, &upper),
        ],
        ..hexagons(Hexagons::new(Form::Rhombus, size))
    }
}

/// The hexagonal board with the names of half-columns above and below, and of rows at both ends of each row.
#[must_use]
pub fn hexagon() -> Layout {
    // Each hexagon has a corner at the top. Its width is one step, and a hexagon with sides of length 1 is as wide as
    // the square root of 3.
    let (half, side) = (STEP / 2.0, STEP / 3.0_f64.sqrt());
    let place = |column: u8, row: u8| (f64::from(column) * half, f64::from(row - 1) * 1.5 * side);
    let corners = corners(half, side);
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

/// The corners of a hexagon with one at the top, clockwise from there.
fn corners(half: f64, side: f64) -> [Coordinates; 6] {
    [
        (0.0, -side),
        (half, -side / 2.0),
        (half, side / 2.0),
        (0.0, side),
        (-half, side / 2.0),
        (-half, -side / 2.0),
    ]
}

fn around((x, y): Coordinates, corners: &[Coordinates]) -> Vec<Coordinates> {
    corners
        .iter()
        .map(|(right, down)| (x + right, y + down))
        .collect()
}
