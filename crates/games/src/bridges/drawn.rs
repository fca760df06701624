//! The board with its links, as text and as a picture.

use super::{Bridges, Linked};
use crate::kit::canvas::Canvas;
use crate::kit::picture::{self, Edge, Layout, Point, Tone};
use crate::kit::square::Cell;
use crate::{Display, Seat};

/// The widest small drawing with blanks between the holes.
const COLUMNS: usize = 40;

/// How wide links and borders are drawn.
const LINK: f64 = 6.0;
const BORDER: f64 = 4.0;

/// Two holes, each by its column and row; a line ends between them.
type Pair = [(u8, u8); 2];

/// The longest line below the small drawing.
const MAX_LINE: usize = 72;

impl Linked {
    pub(super) fn text(at: &Bridges, display: Display) -> String {
        text(at, display)
    }

    pub(super) fn picture(at: &Bridges) -> Layout {
        layout(at)
    }
}

fn text(at: &Bridges, display: Display) -> String {
    let size = usize::from(at.board.side());
    let (step, lines) = match display {
        Display::Small if 2 * size + 5 <= COLUMNS => (2, 1),
        Display::Small => (1, 1),
        Display::Large => (3, 2),
    };
    let left = 3;
    let place = |cell: Cell| {
        let line = 1 + (size - 1 - usize::from(cell.row())) * lines;
        (line, left + usize::from(cell.column()) * step)
    };
    let mut canvas = Canvas::default();
    if display == Display::Large {
        // Inside of the columns at the edges, as on a board; a drawing without an empty line also stays one paragraph.
        for line in 1..=1 + (size - 1) * lines {
            canvas.put(line, left + 1, '|');
            canvas.put(line, left + (size - 1) * step - 1, '|');
        }
        for (from, to) in at.game.0.all(at.board.side()) {
            link(&mut canvas, place(from), place(to));
        }
    }
    for cell in at.cells {
        let (line, column) = place(cell);
        canvas.put(line, column, at.letter(cell).unwrap_or('.'));
    }
    for (number, letter) in (0..size).zip('a'..) {
        let (line, column) = (1 + (size - 1 - number) * lines, left + number * step);
        canvas.put(0, column, letter);
        canvas.put(1 + (size - 1) * lines + 1, column, letter);
        canvas.write(line, 0, &format!("{:>2}", number + 1));
        canvas.write(line, left + (size - 1) * step + 2, &(number + 1).to_string());
    }
    let mut text = canvas.text();
    if display == Display::Small {
        text.push_str(&unlinked(at));
    }
    text
}

/// A link as characters between its two pegs.
fn link(canvas: &mut Canvas, (low, from): (usize, usize), (high, to): (usize, usize)) {
    let is_right = to > from;
    let sign = if is_right { '/' } else { '\\' };
    match low - high {
        2 => {
            let middle = from.midpoint(to);
            let signs = if is_right {
                ['.', '-', '\'']
            } else {
                ['\'', '-', '.']
            };
            for (place, sign) in (middle - 1..).zip(signs) {
                canvas.put(low - 1, place, sign);
            }
        }
        // Over two rows, beside the hole between.
        _ => {
            let inner = if is_right { [1, 1, 2] } else { [-1, -1, -2] };
            for (up, aside) in (1..).zip(inner) {
                canvas.put(low - up, from.saturating_add_signed(aside), sign);
            }
        }
    }
}

/// Pegs a knight's move apart are linked, but for those that are named here.
fn unlinked(at: &Bridges) -> String {
    let pairs = Seat::BOTH
        .iter()
        .flat_map(|side| at.game.0.missing(at.stones[side.index()], at.board.side()));
    let mut lines = vec!["Not linked, since a link is between:".to_owned()];
    for (from, to) in pairs {
        let pair = format!(" {from}-{to}");
        match lines.last_mut() {
            Some(line) if line.len() + pair.len() <= MAX_LINE => line.push_str(&pair),
            _ => lines.push(pair),
        }
    }
    match lines.as_slice() {
        [alone] if alone.ends_with(':') => String::new(),
        _ => format!("\n{}\n", lines.join("\n")),
    }
}

fn layout(at: &Bridges) -> Layout {
    let grid = at.board.grid();
    let crossings = picture::crossings(grid);
    let middle = |name: &str| {
        crossings
            .points
            .iter()
            .find(|point| point.name == name)
            .map(|point| point.at)
    };
    let points = crossings
        .points
        .iter()
        .filter(|point| grid.find(&point.name).is_ok_and(|cell| at.cells.has(cell)));
    let points = points.map(|point| Point {
        is_shaded: true,
        ..point.clone()
    });
    let tone = |side: usize| [Tone::Dark, Tone::Light][side];
    let last = at.board.side() - 1;
    let between = |a: Cell, b: Cell| {
        let ((x, y), (u, v)) = (middle(&a.to_string())?, middle(&b.to_string())?);
        Some(((x + u) / 2.0, (y + v) / 2.0))
    };
    // A line inside of each border row.
    let borders = [
        (0, [(1, 0), (1, 1)], [(last - 1, 0), (last - 1, 1)]),
        (
            0,
            [(1, last - 1), (1, last)],
            [(last - 1, last - 1), (last - 1, last)],
        ),
        (1, [(0, 1), (1, 1)], [(0, last - 1), (1, last - 1)]),
        (
            1,
            [(last - 1, 1), (last, 1)],
            [(last - 1, last - 1), (last, last - 1)],
        ),
    ];
    let line = |(side, from, to): (usize, Pair, Pair)| {
        let end = |[a, b]: Pair| between(Cell::at(a.0, a.1), Cell::at(b.0, b.1));
        Some(Edge {
            width: BORDER,
            tone: tone(side),
            corners: vec![end(from)?, end(to)?],
        })
    };
    let mut links = at.game.0.all(at.board.side());
    // Those of one colour are one line in the picture.
    links.sort_by_key(|(from, _)| at.stones[1].has(*from));
    let link = |(from, to): (Cell, Cell)| {
        Some(Edge {
            width: LINK,
            tone: tone(usize::from(at.stones[1].has(from))),
            corners: vec![middle(&from.to_string())?, middle(&to.to_string())?],
        })
    };
    Layout {
        points: points.collect(),
        edges: borders
            .into_iter()
            .filter_map(line)
            .chain(links.into_iter().filter_map(link))
            .collect(),
        lines: Vec::new(),
        labels: crossings.labels.clone(),
        ..Layout::default()
    }
}
