//! The grounds of boards that several games share.

use super::{Ground, Label, Place, Point};
use crate::kit::square::Grid;

/// From the middle of a cell to that of the next one in its row.
const STEP: f64 = 30.0;
/// From the middle of an outer cell to the name of its column or row.
const TO_NAME: f64 = 27.0;

/// A square grid: names of columns above and below, of rows on both sides; row 1 is at the bottom.
#[must_use]
pub fn square(grid: Grid) -> Ground {
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
    Ground {
        points: points.collect(),
        labels: labels.collect(),
        ..Ground::default()
    }
}

fn around((x, y): Place, corners: &[Place]) -> Vec<Place> {
    corners
        .iter()
        .map(|(right, down)| (x + right, y + down))
        .collect()
}
