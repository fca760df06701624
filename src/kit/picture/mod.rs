//! A picture of a board: what a game says of the layout it is played on, what lies there, and both as SVG and
//! PNG. Nothing here knows a game.

mod boards;
mod format;
mod glyphs;
mod look;
mod png;
mod svg;

pub use boards::{hexagon, square};
pub use glyphs::can_write;
pub use png::{NoPng, png};

/// A place in a picture: so many pixels to the right and down, at the size at which a piece has the radius
/// [`PIECE`].
pub type Place = (f64, f64);

/// The radius of a piece. Points and the middles of cells that are next to each other are 30 apart or more.
pub const PIECE: f64 = 12.0;

/// What a board looks like before anything lies on it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Where pieces can lie.
    pub points: Vec<Point>,
    /// The lines along which points are joined.
    pub lines: Vec<Line>,
    /// The corners of what is no part of the board.
    pub voids: Vec<Vec<Place>>,
    /// The names of columns and rows, and other words.
    pub labels: Vec<Label>,
    /// Whether each empty point shows its name, where columns and rows would not be told apart by eye.
    pub shows_names: bool,
}

/// Where a piece can lie.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its name in turns: `e4`.
    pub name: String,
    /// Its place, or the middle of its cell.
    pub at: Place,
    /// The corners of its cell; none for a point on lines.
    pub outline: Vec<Place>,
    /// Whether its cell is a little darker than others.
    pub is_shaded: bool,
}

/// A straight line of the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Where it begins.
    pub from: Place,
    /// Where it ends.
    pub to: Place,
    /// Whether it only joins points and no piece goes along it.
    pub is_dashed: bool,
}

/// A few letters and digits beside the board or on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Small letters, digits, and the capitals that columns have.
    pub text: String,
    /// Its middle.
    pub at: Place,
    /// The height of a capital.
    pub height: f64,
}

impl Label {
    /// The name of a column or a row.
    #[must_use]
    pub fn edge(text: impl Into<String>, at: Place) -> Self {
        const HEIGHT: f64 = 9.5;
        Self {
            text: text.into(),
            at,
            height: HEIGHT,
        }
    }
}

/// Light pieces and dark ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// Pale, with a dark edge.
    Light,
    /// Dark, with a pale sign.
    Dark,
}

/// How a piece looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kind {
    /// Of which side it is.
    pub tone: Tone,
    /// The letter that the board in a mail shows. x is a cross and o a piece without a sign, large and small.
    pub letter: char,
    /// How many rings it has inside: a side's letters after the first have one more each.
    pub rings: usize,
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Which of the layout's points it lies on.
    pub point: usize,
    /// How it looks.
    pub kind: Kind,
}

/// What stands below the board about a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// A piece of that side.
    pub kind: Kind,
    /// Small letters, digits and blanks.
    pub text: String,
}

/// A board with what lies on it.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it is, in a few words.
    pub title: String,
    /// What it shows, for those who do not see it.
    pub description: String,
    /// The board.
    pub layout: Layout,
    /// The pieces, no two on a point.
    pub pieces: Vec<Piece>,
    /// The points that the last turn touched.
    pub touched: Vec<usize>,
    /// A line about each side.
    pub statuses: Vec<Status>,
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
                // What the pointer is told apart, only the drawing remains.
                let drawn = svg.replace(&format!("a1: {letter}"), "");
                assert_eq!(seen.insert(drawn, kind), None, "{kind:?}");
            }
        }
    }

    #[test]
    fn what_lies_on_no_point_is_not_drawn() {
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
