//! Draws a picture as SVG.

use std::fmt::{self, Write as _};

use super::colours::{CELL, FAINT_INK, GROUND, INK, LINE, MARK, SHADE, VOID};
use super::format::{N, Outline, P, Text};
use super::{Coordinates, EDGE, Edge, Kind, Label, Layout, PIECE, Picture, Piece, Status, Tone, glyphs};

/// The margin around everything.
const MARGIN: f64 = 9.0;
/// The height of the line about the sides.
const STATUS: f64 = 36.0;
/// The height of its capitals.
const STATUS_LETTER: f64 = 9.5;
/// The scale of its pieces.
const STATUS_PIECE: f64 = 0.75;

/// The height of a digit in the name of an empty point.
const NAME: f64 = 7.5;

impl Picture {
    /// The SVG text. It has no fonts, styles or ids that could clash with other elements of a page, and equal pictures
    /// give equal texts.
    #[must_use]
    pub fn svg(&self) -> String {
        draw(self, "img", "")
    }
}

/// Draws a picture. `role` is that of the whole for those who have it read aloud; `above` is drawn above the board.
pub(super) fn draw(picture: &Picture, role: &str, above: &str) -> String {
    let Picture { layout, statuses, .. } = picture;
    let frame = Frame::around(layout, statuses);
    let mut svg = Svg(String::new());
    let Frame {
        left,
        top,
        width,
        height,
    } = frame;
    let (box_, fill) = (format!("{left} {top} {width} {height}"), GROUND);
    svg.put(format_args!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"{box_}\" role=\"{role}\">\n\
         <title>{}</title>\n<desc>{}</desc>\n\
         <rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{fill}\"/>\n",
        Text(&picture.title),
        Text(&picture.description),
    ));
    svg.layout(layout);
    svg.points(layout, &picture.pieces);
    let mut kinds: Vec<_> = picture.pieces.iter().map(|piece| piece.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        svg.pieces(layout, &picture.pieces, kind);
    }
    svg.marks(picture);
    svg.group(&strokes(INK, 1.0), "label", |svg| {
        layout.labels.iter().for_each(|label| svg.label(label));
    });
    svg.statuses(statuses, frame);
    svg.0.push_str(above);
    svg.0.push_str("</svg>\n");
    svg.0
}

/// The area of the picture in whole pixels.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Frame {
    fn around(layout: &Layout, statuses: &[Status]) -> Self {
        // Space for a piece with the mark around it.
        let room = PIECE + 3.0;
        let points = layout.points.iter().map(|point| (point.at, (room, room)));
        let outlines = layout.points.iter().flat_map(|point| &point.outline);
        let ends = layout.lines.iter().flat_map(|line| [line.from, line.to]);
        let places = outlines
            .copied()
            .chain(ends)
            .chain(layout.edges.iter().flat_map(|edge| edge.corners.iter().copied()))
            .chain(layout.voids.iter().flatten().copied());
        let labels = layout.labels.iter().map(|label| {
            let (_, width) = glyphs::lay_out(&label.text);
            let half = width / 2.0 * label.height / glyphs::HEIGHT;
            (label.at, (half, label.height))
        });
        let margin = if layout.edges.is_empty() { 1.0 } else { EDGE / 2.0 };
        let all = points
            .chain(places.map(|place| (place, (margin, margin))))
            .chain(labels);
        let (mut least, mut most) = ((0.0_f64, 0.0_f64), (0.0_f64, 0.0_f64));
        for ((x, y), (right, down)) in all {
            least = (least.0.min(x - right), least.1.min(y - down));
            most = (most.0.max(x + right), most.1.max(y + down));
        }
        let (left, top) = ((least.0 - MARGIN).floor(), (least.1 - MARGIN).floor());
        let (right, bottom) = ((most.0 + MARGIN).ceil(), (most.1 + MARGIN).ceil());
        let widest = statuses.iter().map(status_width).fold(0.0, f64::max);
        let wanted = (widest * statuses.len() as f64 + 2.0 * MARGIN).ceil();
        // If the line of text is wider than the board, the board is centred above it.
        let more = ((wanted - (right - left)) / 2.0).ceil().max(0.0);
        Self {
            left: left - more,
            top,
            width: right - left + 2.0 * more,
            height: bottom - top + if statuses.is_empty() { 0.0 } else { STATUS },
        }
    }
}

const STATUS_TEXT: f64 = 2.0 * PIECE * STATUS_PIECE + 8.0;

fn status_width(status: &Status) -> f64 {
    let (_, width) = glyphs::lay_out(&status.text);
    STATUS_TEXT + width * STATUS_LETTER / glyphs::HEIGHT + 2.0 * MARGIN
}

/// The attributes of lines without a fill.
fn strokes(colour: &str, width: f64) -> String {
    format!(
        "fill=\"none\" stroke=\"{colour}\" stroke-width=\"{}\" stroke-linecap=\"round\" stroke-linejoin=\"round\"",
        N(width)
    )
}

struct Svg(String);

impl Svg {
    fn put(&mut self, text: fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.0.write_fmt(text);
    }

    fn group(&mut self, attributes: &str, class: &str, inside: impl FnOnce(&mut Self)) {
        self.put(format_args!("<g class=\"{class}\" {attributes}>\n"));
        inside(self);
        self.0.push_str("</g>\n");
    }

    /// Draws what has no name: voids, edges and lines.
    fn layout(&mut self, layout: &Layout) {
        for corners in &layout.voids {
            self.put(format_args!(
                "<path fill=\"{VOID}\" d=\"{}\"/>\n",
                Outline(corners)
            ));
        }
        let is_alike = |a: &Edge, b: &Edge| a.tone == b.tone && a.width == b.width;
        for edges in layout.edges.chunk_by(is_alike) {
            let way = |edge: &Edge| {
                let corners: Vec<_> = edge.corners.iter().map(|corner| P(*corner).to_string()).collect();
                format!("M{}", corners.join(" "))
            };
            let ways: String = edges.iter().map(way).collect();
            let (tone, width) = (edges[0].tone, edges[0].width);
            for (colour, width) in [(tone.edge(), width), (tone.fill(), width - 2.0)] {
                let look = strokes(colour, width);
                self.put(format_args!("<path {look} d=\"{ways}\"/>\n"));
            }
        }
        for (is_dashed, dashes) in [(false, ""), (true, " stroke-dasharray=\"2 5\"")] {
            let lines = layout.lines.iter().filter(|line| line.is_dashed == is_dashed);
            let ways: String = lines
                .map(|line| format!("M{}L{}", P(line.from), P(line.to)))
                .collect();
            if !ways.is_empty() {
                let look = strokes(LINE, 1.5);
                self.put(format_args!("<path {look}{dashes} d=\"{ways}\"/>\n"));
            }
        }
    }

    /// Draws the cells and points, each with its name as a tooltip.
    fn points(&mut self, layout: &Layout, pieces: &[Piece]) {
        let cells = format!("fill=\"{CELL}\" stroke=\"{LINE}\" stroke-width=\"1\" stroke-linejoin=\"round\"");
        self.group(&cells, "cells", |svg| {
            for point in layout.points.iter().filter(|point| !point.outline.is_empty()) {
                let (name, outline) = (Text(&point.name), Outline(&point.outline));
                let fill = match point.is_shaded {
                    true => format!(" fill=\"{SHADE}\""),
                    false => String::new(),
                };
                svg.put(format_args!(
                    "<path d=\"{outline}\"{fill}><title>{name}</title></path>\n"
                ));
            }
        });
        let empty = |place: &usize| !pieces.iter().any(|piece| piece.point == *place);
        let bare: Vec<_> = (0..layout.points.len())
            .filter(|place| layout.points[*place].outline.is_empty() && empty(place))
            .map(|place| &layout.points[place])
            .collect();
        let fill = if layout.shows_names { GROUND } else { LINE };
        self.group(&format!("fill=\"{fill}\""), "points", |svg| {
            for point in &bare {
                let (x, y) = (N(point.at.0), N(point.at.1));
                let radius = match (layout.shows_names, point.is_shaded) {
                    (true, _) => PIECE - 1.0,
                    (false, true) => 3.0,
                    // Only the tooltip needs it.
                    (false, false) => 0.75,
                };
                let (radius, name) = (N(radius), Text(&point.name));
                svg.put(format_args!(
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"><title>{name}</title></circle>\n"
                ));
            }
        });
        if layout.shows_names {
            self.group(&strokes(FAINT_INK, 0.85), "names", |svg| {
                for point in bare {
                    svg.letters(&point.name, point.at, NAME, At::Middle);
                }
            });
        }
    }

    /// Draws all pieces of one kind.
    fn pieces(&mut self, layout: &Layout, pieces: &[Piece], kind: Kind) {
        let of_kind = pieces.iter().filter(|piece| piece.kind == kind);
        let points: Vec<_> = of_kind
            .filter_map(|piece| layout.points.get(piece.point))
            .collect();
        self.group(&piece_look(kind), tone_class(kind), |svg| {
            for point in &points {
                let (x, y) = (N(point.at.0), N(point.at.1));
                let (radius, name) = (N(radius(kind) - edge(kind) / 2.0), Text(&point.name));
                let letter = kind.letter;
                svg.put(format_args!(
                    "<circle class=\"piece\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\"><title>{name}: {}</title></circle>\n",
                    Text(letter.encode_utf8(&mut [0; 4])),
                ));
            }
        });
        let places: Vec<_> = points.iter().map(|point| point.at).collect();
        self.signs(kind, &places, 1.0);
    }

    /// Draws the signs on pieces of one kind: the rings, a cross for x, nothing for o, otherwise the letter.
    fn signs(&mut self, kind: Kind, places: &[Coordinates], scale: f64) {
        let rings = 0..kind.rings.min(3);
        let (arm, weight) = match kind.rings {
            0 => (PIECE * 0.38, 2.4),
            1 => (PIECE * 0.22, 2.0),
            _ => (PIECE * 0.15, 1.6),
        };
        let mut lines = String::new();
        for &(x, y) in places {
            for ring in rings.clone() {
                let radius = (PIECE * 0.64 - 3.6 * ring as f64) * scale;
                let (start, r, across) = (P((x - radius, y)), N(radius), N(2.0 * radius));
                let _ = write!(
                    lines,
                    "M{start}a{r} {r} 0 0 1 {across} 0a{r} {r} 0 0 1 -{across} 0z"
                );
            }
            if kind.letter.eq_ignore_ascii_case(&'x') {
                let (arm, across) = (arm * scale, N(2.0 * arm * scale));
                let _ = write!(
                    lines,
                    "M{}l{across} {across}m-{across} 0l{across} -{across}",
                    P((x - arm, y - arm))
                );
            }
        }
        let look = strokes(kind.tone.sign(), weight * scale);
        if !lines.is_empty() {
            self.put(format_args!("<path {look} d=\"{lines}\"/>\n"));
        }
        if !"xXoO".contains(kind.letter) && kind.tone != Tone::Neutral {
            self.group(&strokes(kind.tone.sign(), 1.2), "sign", |svg| {
                for place in places {
                    let height = PIECE * scale * if kind.rings == 0 { 0.8 } else { 0.5 };
                    let letter = kind.letter.to_ascii_uppercase();
                    svg.letters(letter.encode_utf8(&mut [0; 4]), *place, height, At::Middle);
                }
            });
        }
    }

    /// Marks each touched point: a ring around a piece that came or changed, a small one where a piece left.
    fn marks(&mut self, picture: &Picture) {
        let Picture {
            layout,
            pieces,
            touched,
            ..
        } = picture;
        self.group(&strokes(MARK, 2.6), "touched", |svg| {
            for place in touched {
                let Some(point) = layout.points.get(*place) else {
                    continue;
                };
                let is_occupied = pieces.iter().any(|piece| piece.point == *place);
                let radius = match is_occupied || layout.shows_names {
                    true => PIECE + 1.3,
                    false => PIECE * 0.36,
                };
                let dashes = match layout.shows_names && !is_occupied {
                    true => " stroke-dasharray=\"4 4.35\"",
                    false => "",
                };
                svg.put(format_args!(
                    "<circle class=\"mark\" cx=\"{}\" cy=\"{}\" r=\"{}\"{dashes}/>\n",
                    N(point.at.0),
                    N(point.at.1),
                    N(radius),
                ));
            }
        });
    }

    fn statuses(&mut self, statuses: &[Status], frame: Frame) {
        let part = (frame.width - 2.0 * MARGIN) / statuses.len().max(1) as f64;
        let y = frame.top + frame.height - STATUS / 2.0 - MARGIN / 3.0;
        for (place, status) in (0_u32..).zip(statuses) {
            let radius = PIECE * STATUS_PIECE;
            let x = frame.left + 2.0 * MARGIN + part * f64::from(place) + radius;
            let look = piece_look(status.kind);
            self.put(format_args!(
                "<circle class=\"side\" {look} cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n",
                N(x),
                N(y),
                N(radius)
            ));
            self.signs(status.kind, &[(x, y)], STATUS_PIECE);
            self.group(&strokes(INK, 1.0), "status", |svg| {
                let at = (x - radius + STATUS_TEXT, y);
                svg.letters(&status.text, at, STATUS_LETTER, At::Left);
            });
        }
    }

    fn label(&mut self, label: &Label) {
        self.letters(&label.text, label.at, label.height, At::Middle);
    }

    /// Draws each letter as a path. The group around them sets the line width for this letter size.
    fn letters(&mut self, text: &str, (x, y): Coordinates, height: f64, at: At) {
        let scale = height / glyphs::HEIGHT;
        let (letters, width) = glyphs::lay_out(text);
        let left = match at {
            At::Left => x,
            At::Middle => x - width * scale / 2.0,
        };
        for (right, lines) in letters {
            let place = P((left + right * scale, y - height / 2.0));
            let scale = N(scale);
            self.put(format_args!(
                "<path transform=\"translate({place})scale({scale})\" d=\"{lines}\"/>\n"
            ));
        }
    }
}

/// The horizontal alignment of a text. Vertically, a text is always centred on its capitals.
#[derive(Clone, Copy)]
enum At {
    Left,
    Middle,
}

/// The radius of a piece with its edge.
const fn radius(kind: Kind) -> f64 {
    match kind.tone {
        Tone::Light | Tone::Dark => PIECE,
        Tone::Neutral => PIECE * 0.6,
    }
}

/// The width of a piece's edge: dark pieces are visible without one.
const fn edge(kind: Kind) -> f64 {
    match kind.tone {
        Tone::Light => 2.0,
        Tone::Dark | Tone::Neutral => 1.0,
    }
}

fn piece_look(kind: Kind) -> String {
    let Kind { tone, .. } = kind;
    let (fill, colour, width) = (tone.fill(), tone.edge(), N(edge(kind)));
    format!("fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"{width}\"")
}

const fn tone_class(kind: Kind) -> &'static str {
    match kind.tone {
        Tone::Light => "light",
        Tone::Dark => "dark",
        Tone::Neutral => "neutral",
    }
}
