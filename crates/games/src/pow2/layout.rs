//! The geometry of the drawn board: the true position of each point.

use super::board::{EDGES, INNER, NAMES, POINTS, find};
use crate::kit::picture::{Coordinates, Label, Layout, Line, Point};

/// The position of each point, right and down, in fifteenths of a unit. In units the board is 24 wide, and the points
/// of the outer edges are 8 and 4 apart. Fifteenths make every coordinate a whole number.
const PLACES: [(u16, u16); POINTS] = [
    (0, 0),
    (120, 0),
    (180, 0),
    (240, 0),
    (360, 0),
    (80, 40),
    (280, 40),
    (60, 60), //
    (120, 60),
    (240, 60),
    (300, 60),
    (144, 72),
    (216, 72),
    (40, 80),
    (320, 80),
    (90, 90), //
    (180, 90),
    (270, 90),
    (0, 120),
    (60, 120),
    (120, 120),
    (180, 120),
    (240, 120),
    (300, 120), //
    (360, 120),
    (72, 144),
    (288, 144),
    (150, 150),
    (210, 150),
    (0, 180),
    (90, 180),
    (120, 180), //
    (240, 180),
    (270, 180),
    (360, 180),
    (150, 210),
    (210, 210),
    (72, 216),
    (288, 216),
    (0, 240), //
    (60, 240),
    (120, 240),
    (180, 240),
    (240, 240),
    (300, 240),
    (360, 240),
    (90, 270),
    (180, 270), //
    (270, 270),
    (40, 280),
    (320, 280),
    (144, 288),
    (216, 288),
    (60, 300),
    (120, 300),
    (240, 300), //
    (300, 300),
    (80, 320),
    (280, 320),
    (0, 360),
    (120, 360),
    (180, 360),
    (240, 360),
    (360, 360), //
];

/// The width of the board in fifteenths.
const WIDTH: u16 = 24 * 15;
/// Pixels in a fifteenth.
const SCALE: f64 = 20.0 / 15.0;
/// The distance from the outer edges to the names of columns and rows.
const TO_NAME: f64 = 27.0;

fn place((x, y): (u16, u16)) -> Coordinates {
    (f64::from(x) * SCALE, f64::from(y) * SCALE)
}

/// The points, the lines, and the hole in the middle. Outer edges are dashed if no piece moves along them. Rows and
/// columns give the points their names only: a point lies up to half a column and half a row away from where they
/// cross.
pub(super) fn layout(noborder: bool) -> Layout {
    let at = |name: &str| find(name).map_or((0.0, 0.0), |point| place(PLACES[point]));
    let lines = |names: &[&str], is_dashed: bool| -> Vec<Line> {
        let mut lines = Vec::new();
        for line in names {
            if let (Some((first, _)), Some((_, last))) = (line.split_once(' '), line.rsplit_once(' ')) {
                let (from, to) = (at(first), at(last));
                lines.push(Line { from, to, is_dashed });
            }
        }
        lines
    };
    let labels = (0..13_u8).flat_map(|step| {
        let along = f64::from(WIDTH) * SCALE * f64::from(step) / 12.0;
        let far = f64::from(WIDTH) * SCALE + TO_NAME;
        let (column, row) = (char::from(b'a' + step).to_string(), (step + 1).to_string());
        [
            Label::edge(column.clone(), (along, -TO_NAME)),
            Label::edge(column, (along, far)),
            Label::edge(row.clone(), (-TO_NAME, along)),
            Label::edge(row, (far, along)),
        ]
    });
    let middle = Label {
        text: "PoT".to_owned(),
        at: place((WIDTH / 2, WIDTH / 2)),
        height: 14.0,
    };
    let point = |number: usize| Point {
        name: NAMES[number].to_owned(),
        at: place(PLACES[number]),
        outline: Vec::new(),
        is_shaded: false,
    };
    Layout {
        edges: Vec::new(),
        points: (0..POINTS).map(point).collect(),
        lines: [lines(&EDGES, noborder), lines(&INNER, false)].concat(),
        voids: vec![["e7", "g5", "i7", "g9"].map(at).to_vec()],
        labels: labels.chain([middle]).collect(),
        shows_names: true,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn points_lie_where_the_table_has_them() {
        #[derive(serde::Deserialize)]
        struct Oracle {
            points: HashMap<String, [String; 2]>,
        }
        let text = include_str!("../../tests/oracles/pow2-board.json");
        let Oracle { points } = serde_json::from_str(text).unwrap();
        let fifteenths = |text: &str| {
            let (over, under) = text.split_once('/').unwrap_or((text, "1"));
            let (over, under): (u16, u16) = (over.parse().unwrap(), under.parse().unwrap());
            assert_eq!(over * 15 % under, 0);
            over * 15 / under
        };
        for (name, place) in NAMES.iter().zip(PLACES) {
            let [x, y] = &points[*name];
            assert_eq!((fifteenths(x), fifteenths(y)), place, "{name}");
        }
    }

    #[test]
    fn every_line_is_straight_so_that_its_ends_draw_it() {
        for line in EDGES.iter().chain(&INNER) {
            let places: Vec<_> = line.split(' ').map(|name| PLACES[find(name).unwrap()]).collect();
            let [(ax, ay), (bx, by)] =
                [places[0], places[places.len() - 1]].map(|(x, y)| (i32::from(x), i32::from(y)));
            for (x, y) in places.into_iter().map(|(x, y)| (i32::from(x), i32::from(y))) {
                assert_eq!((bx - ax) * (y - ay), (by - ay) * (x - ax), "{line}");
            }
        }
        assert_eq!(layout(false).lines.len(), 44);
        assert_eq!(layout(true).lines.iter().filter(|line| line.is_dashed).count(), 4);
    }

    #[test]
    fn pieces_on_neighbouring_points_do_not_touch() {
        let points = layout(false).points;
        for (place, a) in points.iter().enumerate() {
            for b in &points[..place] {
                let (x, y) = (a.at.0 - b.at.0, a.at.1 - b.at.1);
                assert!(x.hypot(y) > 30.0, "{} {}", a.name, b.name);
            }
        }
    }

    #[test]
    fn columns_and_rows_are_named_on_all_four_sides() {
        let layout = layout(false);
        let at = |name: &str| layout.points.iter().find(|p| p.name == name).unwrap().at;
        let named = |name: &str| -> Vec<Coordinates> {
            let labels = layout.labels.iter().filter(|label| label.text == name);
            labels.map(|label| label.at).collect()
        };
        let ((left, top), (right, bottom)) = (at("a1"), at("m13"));
        for (column, point) in [("a", "a1"), ("g", "g1"), ("m", "m1")] {
            let x = at(point).0;
            assert_eq!(named(column), [(x, top - TO_NAME), (x, bottom + TO_NAME)]);
        }
        for (row, point) in [("1", "a1"), ("7", "a7"), ("13", "a13")] {
            let y = at(point).1;
            assert_eq!(named(row), [(left - TO_NAME, y), (right + TO_NAME, y)]);
        }
        // The middle is not part of the board, and shows the name of the game.
        assert_eq!(named("PoT"), [(at("g1").0, at("a7").1)]);
    }

    #[test]
    fn a_point_is_nearest_to_the_crossing_of_its_own_column_and_row() {
        for (name, (x, y)) in NAMES.iter().zip(PLACES) {
            let (row, column) = super::super::board::row_column(name).unwrap();
            let crossing = [u16::from(column) * 30, u16::from(row - 1) * 30];
            assert!(
                x.abs_diff(crossing[0]) < 15 && y.abs_diff(crossing[1]) < 15,
                "{name}"
            );
        }
    }
}
