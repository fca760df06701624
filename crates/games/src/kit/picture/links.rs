//! Draws links on the points of a picture, for a page on which a turn is chosen. Colours are those of the page's style sheet.

use std::fmt::Write as _;

use super::format::{N, Text};
use super::svg::draw;
use super::{Coordinates, PIECE, Picture};

/// The greatest radius of what a finger may hit: on a telephone the widest board has two thirds of its size.
const HIT: f64 = 25.0;

/// Where nearly every point is a link, those without a piece have a dot, so that pieces and marks are seen.
const MANY: usize = 40;
const DOT: f64 = 4.0;

/// A point that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The name of the point.
    pub point: String,
    /// Where the link goes, encoded for a URL.
    pub target: String,
    /// What is read aloud for it.
    pub label: String,
}

impl Picture {
    /// The SVG text with these links above the pieces, and rings around the points that are chosen already; a light rim has each
    /// that is drawn on a piece, which may be dark. Points that the board does not have are left out.
    #[must_use]
    pub fn svg_with_links(&self, chosen: &[String], links: &[Link]) -> String {
        let index = |name: &str| self.layout.points.iter().position(|point| point.name == name);
        let place = |name: &str| index(name).map(|index| self.layout.points[index].at);
        let is_empty = |name: &str| {
            let index = index(name);
            !self.pieces.iter().any(|piece| Some(piece.point) == index)
        };
        let mut above = String::new();
        for (x, y) in chosen.iter().filter_map(|name| place(name)) {
            let (x, y, radius) = (N(x), N(y), N(PIECE + 4.0));
            let _ = writeln!(
                above,
                "<circle class=\"rim\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>\
                 <circle class=\"from\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>"
            );
        }
        let places: Vec<_> = links
            .iter()
            .filter_map(|link| Some((place(&link.point)?, link)))
            .collect();
        let hit = places
            .iter()
            .enumerate()
            .flat_map(|(n, (a, _))| places[n + 1..].iter().map(move |(b, _)| distance(*a, *b) / 2.0))
            .fold(HIT, f64::min)
            .max(PIECE);
        let are_many = places.len() > MANY;
        for ((x, y), Link { target, label, point }) in places {
            let (x, y) = (N(x), N(y));
            let radius = N(if are_many && is_empty(point) {
                DOT
            } else {
                PIECE + 1.0
            });
            let rim = match is_empty(point) {
                true => String::new(),
                false => format!("<circle class=\"rim\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/>"),
            };
            let _ = writeln!(
                above,
                "<a class=\"go\" href=\"{}\" aria-label=\"{}\"><circle class=\"hit\" cx=\"{x}\" cy=\"{y}\" r=\"{}\"/>\
                 {rim}<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"/></a>",
                Text(target),
                Text(label),
                N(hit),
            );
        }
        draw(self, "group", &above)
    }
}

fn distance((x, y): Coordinates, (to_x, to_y): Coordinates) -> f64 {
    (x - to_x).hypot(y - to_y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::picture::square;
    use crate::kit::square::Grid;

    #[test]
    fn a_link_has_a_disc_and_room_for_a_finger_that_no_other_link_takes() {
        let picture = Picture {
            title: "Four cells".into(),
            description: String::new(),
            layout: square(Grid::new(12)),
            pieces: Vec::new(),
            touched: Vec::new(),
            statuses: Vec::new(),
        };
        let link = |point: &str| Link {
            point: point.into(),
            target: format!("?turn={point}"),
            label: format!("to {point}"),
        };
        let far = picture.svg_with_links(&["c3".into()], &[link("a1"), link("h8"), link("z99")]);
        assert_eq!(far.matches("<a class=\"go\" href=\"?turn=").count(), 2);
        assert_eq!(far.matches("class=\"from\"").count(), 1);
        assert!(
            far.contains("aria-label=\"to h8\"") && far.contains("r=\"25\"") && far.ends_with("</svg>\n")
        );
        assert!(far.contains("role=\"group\"") && !far.contains("role=\"img\""));
        let near = picture.svg_with_links(&[], &[link("a1"), link("a2")]);
        assert!(!near.contains("r=\"25\""));
    }
}
