//! Links of a knight's move between pegs: which there are, which they cut, and how many pegs a side needs to join its borders.

use std::collections::VecDeque;
use std::sync::LazyLock;

use crate::Seat;
use crate::kit::square::{BitBoard, Cell, WideBits};

/// The links up from a peg, as steps to the right and up.
pub(super) const WAYS: [(i8, i8); 4] = [(1, 2), (2, 1), (-1, 2), (-2, 1)];

/// A link, by its lower peg and its direction.
type Link = (Cell, usize);

/// A link by where its lower peg is from here, and its direction.
type Near = ((i8, i8), usize);

/// For each direction, the links that cross one from here: the place of their lower peg, and their direction.
static CROSSING: LazyLock<[Vec<Near>; 4]> = LazyLock::new(|| {
    WAYS.map(|end| {
        let all = (-3..=3).flat_map(|x| (-3..=3).map(move |y| (x, y)));
        let links = all.flat_map(|from| (0..WAYS.len()).map(move |way| (from, way)));
        links.filter(|(from, way)| cross(end, *from, *way)).collect()
    })
});

/// Whether the segment from here to `end` and the link cross between their ends.
fn cross(end: (i8, i8), from: (i8, i8), way: usize) -> bool {
    let to = (from.0 + WAYS[way].0, from.1 + WAYS[way].1);
    // On which side of the line from a to b is c?
    let side = |a: (i8, i8), b: (i8, i8), c: (i8, i8)| {
        let turn = (b.0 - a.0) * (c.1 - a.1) - (b.1 - a.1) * (c.0 - a.0);
        turn.signum()
    };
    let here = (0, 0);
    side(here, end, from) * side(here, end, to) < 0 && side(from, to, here) * side(from, to, end) < 0
}

/// The links of both sides, and all that would cross one of them, each by its lower peg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Links {
    made: [WideBits; 4],
    cut: [WideBits; 4],
}

/// The cell this many steps away on a board of this size.
fn away(cell: Cell, (right, up): (i8, i8), size: u8) -> Option<Cell> {
    let column = u8::try_from(cell.column() as i8 + right).ok()?;
    let row = u8::try_from(cell.row() as i8 + up).ok()?;
    (column < size && row < size).then(|| Cell::at(column, row))
}

/// The eight knight's moves from a cell: where they lead, and the links.
fn moves(from: Cell, size: u8) -> impl Iterator<Item = (Cell, Link)> {
    WAYS.into_iter().enumerate().flat_map(move |(way, (right, up))| {
        let above = away(from, (right, up), size).map(|to| (to, (from, way)));
        let below = away(from, (-right, -up), size).map(|to| (to, (to, way)));
        above.into_iter().chain(below)
    })
}

impl Links {
    pub(super) const NONE: Self = Self {
        made: [BitBoard::EMPTY; 4],
        cut: [BitBoard::EMPTY; 4],
    };

    /// Makes all links from this peg to others of its side that cross none.
    pub(super) fn make(&mut self, peg: Cell, own: WideBits, size: u8) {
        for (other, (from, way)) in moves(peg, size) {
            if own.has(other) && !self.cut[way].has(from) {
                self.made[way].insert(from);
                for (place, crossing) in &CROSSING[way] {
                    if let Some(cell) = away(from, *place, size) {
                        self.cut[*crossing].insert(cell);
                    }
                }
            }
        }
    }

    /// The pegs that links join to this one.
    pub(super) fn chain(&self, peg: Cell, size: u8) -> WideBits {
        let (mut chain, mut todo) = (WideBits::of(peg), vec![peg]);
        while let Some(from) = todo.pop() {
            for (to, (start, way)) in moves(from, size) {
                if self.made[way].has(start) && !chain.has(to) {
                    chain.insert(to);
                    todo.push(to);
                }
            }
        }
        chain
    }

    /// The pairs of these pegs that are a knight's move apart and not linked, since a link is between.
    pub(super) fn missing(&self, own: WideBits, size: u8) -> Vec<(Cell, Cell)> {
        let pairs = own.iter().flat_map(|from| {
            WAYS.into_iter().enumerate().filter_map(move |(way, step)| {
                let to = away(from, step, size).filter(|to| own.has(*to))?;
                (!self.made[way].has(from)).then_some((from, to))
            })
        });
        pairs.collect()
    }

    /// All links, each by its two pegs.
    pub(super) fn all(&self, size: u8) -> Vec<(Cell, Cell)> {
        let of = |way: usize| self.made[way].iter().map(move |from| (from, way));
        let links = (0..WAYS.len()).flat_map(of);
        links
            .filter_map(|(from, way)| Some((from, away(from, WAYS[way], size)?)))
            .collect()
    }
}

/// How many pegs this side needs at least to join its borders, by knight's moves that cross no link; `None` if it cannot.
/// `own` are its pegs, `free` the holes that it can use, `border` its two border rows.
pub(super) fn pegs_missing(
    links: &Links,
    [own, free, border]: [WideBits; 3],
    side: Seat,
    size: u8,
) -> Option<u8> {
    const FAR: u8 = u8::MAX;
    let height = |cell: Cell| [cell.row(), cell.column()][side.index()];
    let mut needed = [[FAR; 24]; 24];
    let mut todo = VecDeque::new();
    let mut reach = |todo: &mut VecDeque<(Cell, u8)>, cell: Cell, pegs: u8| {
        let cost = match (own.has(cell), free.has(cell)) {
            (true, _) => 0,
            (_, true) => 1,
            _ => return,
        };
        let known = &mut needed[usize::from(cell.row())][usize::from(cell.column())];
        if pegs + cost < *known {
            *known = pegs + cost;
            match cost {
                0 => todo.push_front((cell, pegs)),
                _ => todo.push_back((cell, pegs + 1)),
            }
        }
    };
    for cell in border.iter().filter(|cell| height(*cell) == 0) {
        reach(&mut todo, cell, 0);
    }
    while let Some((from, pegs)) = todo.pop_front() {
        if height(from) + 1 == size {
            return Some(pegs);
        }
        for (to, (start, way)) in moves(from, size) {
            let is_open = links.made[way].has(start) || !links.cut[way].has(start);
            if is_open {
                reach(&mut todo, to, pegs);
            }
        }
    }
    None
}
