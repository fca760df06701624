//! Pictures of boards: a game describes its layout and pieces, and this module draws them as SVG and PNG. Nothing here
//! knows a game.

mod boards;
mod colours;
mod format;
mod glyphs;
mod links;
mod png;
mod svg;

pub use boards::{crossings, hexagon, hexagons, rhombus, square};
pub use glyphs::can_write;
pub use links::Link;
pub use png::{NoPng, png, png_height};

/// Coordinates in pixels, to the right and down, at the scale where a piece has the radius [`PIECE`].
pub type Coordinates = (f64, f64);

/// The width of an edge that belongs to a side; the cells cover its inner half.
pub const EDGE: f64 = 13.0;

/// The radius of a piece. Adjacent points or cell middles are at least 30 apart.
pub const PIECE: f64 = 12.0;

/// The appearance of an empty board.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// The places where pieces can stand.
    pub points: Vec<Point>,
    /// The lines that join points.
    pub lines: Vec<Line>,
    /// The edges of the board that belong to a side.
    pub edges: Vec<Edge>,
    /// The corners of areas that are not part of the board.
    pub voids: Vec<Vec<Coordinates>>,
    /// The names of columns and rows, and other text.
    pub labels: Vec<Label>,
    /// Whether each empty point shows its name, for boards whose columns and rows are hard to follow by eye.
    pub shows_names: bool,
}

/// A place where a piece can stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its name in turns: `e4`.
    pub name: String,
    /// Its position, or the middle of its cell.
    pub at: Coordinates,
    /// The corners of its cell; empty for a point on lines.
    pub outline: Vec<Coordinates>,
    /// Whether its cell is a little darker than others, or a point on lines has a dot.
    pub is_shaded: bool,
}

/// An edge of the board that belongs to a side.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// How wide it is drawn.
    pub width: f64,
    /// The brightness of that side's pieces.
    pub tone: Tone,
    /// The corners along it.
    pub corners: Vec<Coordinates>,
}

/// A straight line of the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// One end.
    pub from: Coordinates,
    /// The other end.
    pub to: Coordinates,
    /// Whether it only joins points and pieces cannot move along it.
    pub is_dashed: bool,
}

/// A short text beside the board or on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Characters that [`can_write`] accepts.
    pub text: String,
    /// The position of its middle.
    pub at: Coordinates,
    /// The height of a capital.
    pub height: f64,
}

impl Label {
    /// The name of a column or row.
    #[must_use]
    pub fn edge(text: impl Into<String>, at: Coordinates) -> Self {
        const HEIGHT: f64 = 9.5;
        Self {
            text: text.into(),
            at,
            height: HEIGHT,
        }
    }
}

/// The brightness of a side's pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// Pale with a dark edge.
    Light,
    /// Dark with a pale sign.
    Dark,
    /// Brown and small, without a sign: it belongs to neither side.
    Neutral,
}

/// The appearance of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// The brightness, which shows the side.
    pub tone: Tone,
    /// The letter in the text drawing. An x is drawn as a cross, an o without a sign; any other letter as itself.
    pub letter: char,
    /// The number of rings inside: each letter of a side after its first adds one.
    pub rings: usize,
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The index of its point in the layout.
    pub point: usize,
    /// Its appearance.
    pub kind: Kind,
}

/// The line below the board about one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// A sample piece of that side.
    pub kind: Kind,
    /// Small letters, digits and blanks.
    pub text: String,
}

/// A board with pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// A few words, such as the game and its options.
    pub title: String,
    /// The alternative text for readers who cannot see the picture.
    pub description: String,
    /// The empty board.
    pub layout: Layout,
    /// The pieces, at most one on a point.
    pub pieces: Vec<Piece>,
    /// The indices of the points that the last turn touched.
    pub touched: Vec<usize>,
    /// One line for each side.
    pub statuses: Vec<Status>,
}

impl Picture {
    /// The same without the names of columns and rows and without the line about the sides, for small pictures.
    #[must_use]
    pub fn board_alone(mut self) -> Self {
        let points = &self.layout.points;
        let is_inside = |label: &Label| {
            let (x, y) = label.at;
            points.iter().any(|point| point.at.0 <= x)
                && points.iter().any(|point| point.at.0 >= x)
                && points.iter().any(|point| point.at.1 <= y)
                && points.iter().any(|point| point.at.1 >= y)
        };
        self.layout.labels.retain(is_inside);
        self.statuses.clear();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(kind: Kind) -> Picture {
        Picture {
            title: "One point".into(),
            description: String::new(),
            layout: Layout {
                points: vec![Point {
                    name: "a1".into(),
                    at: (0.0, 0.0),
                    outline: Vec::new(),
                    is_shaded: false,
                }],
                ..Layout::default()
            },
            pieces: vec![Piece { point: 0, kind }],
            touched: Vec::new(),
            statuses: Vec::new(),
        }
    }

    #[test]
    fn kinds_that_differ_look_different_without_colour() {
        let mut seen = std::collections::BTreeMap::new();
        for letter in ['x', 'o', 'b', 'e'] {
            for rings in 0..3 {
                let tone = Tone::Dark;
                let kind = Kind { tone, letter, rings };
                let svg = picture(kind).svg();
                // The text for the pointer differs anyway; only the drawing is compared.
                let drawn = svg.replace(&format!("a1: {letter}"), "");
                assert_eq!(seen.insert(drawn, kind), None, "{kind:?}");
            }
        }
    }

    #[test]
    fn a_piece_on_no_point_is_not_drawn() {
        let kind = Kind {
            tone: Tone::Light,
            letter: 'o',
            rings: 0,
        };
        let mut picture = picture(kind);
        picture.pieces.push(Piece { point: 7, kind });
        picture.touched = vec![0, 9];
        let svg = picture.svg();
        assert_eq!(svg.matches("class=\"piece\"").count(), 1);
        assert_eq!(svg.matches("class=\"mark\"").count(), 1);
    }
}
