//! Rings and bursts: the stones of both sides during a turn.

use std::fmt;

use crate::kit::hex::{COUNT, Cell, Cells, Direction};

/// A burst lays this many stones in a line that begins next to the pivot.
pub(super) const LINE: usize = 5;

/// The six cells around each cell; empty for a cell at the edge, which has fewer neighbours.
static RINGS: [Cells; COUNT] = rings();
/// The five cells from each cell in each direction; empty if the line would leave the board.
static LINES: [[Cells; 6]; COUNT] = lines();

const fn rings() -> [Cells; COUNT] {
    let mut rings = [Cells::EMPTY; COUNT];
    let mut middle = 0;
    while middle < COUNT {
        let (mut ring, mut direction, mut whole) = (Cells::EMPTY, 0, true);
        while direction < 6 {
            match Cell::ALL[middle].next(Direction::ALL[direction]) {
                Some(cell) => ring.insert(cell),
                None => whole = false,
            }
            direction += 1;
        }
        if whole {
            rings[middle] = ring;
        }
        middle += 1;
    }
    rings
}

const fn lines() -> [[Cells; 6]; COUNT] {
    let mut lines = [[Cells::EMPTY; 6]; COUNT];
    let mut pivot = 0;
    while pivot < COUNT {
        let mut direction = 0;
        while direction < 6 {
            let (mut line, mut cell, mut steps) = (Cells::EMPTY, Some(Cell::ALL[pivot]), 0);
            while steps < LINE {
                cell = match cell {
                    Some(cell) => cell.next(Direction::ALL[direction]),
                    None => None,
                };
                if let Some(cell) = cell {
                    line.insert(cell);
                }
                steps += 1;
            }
            if cell.is_some() {
                lines[pivot][direction] = line;
            }
            direction += 1;
        }
        pivot += 1;
    }
    lines
}

/// The six cells around a cell; empty for a cell at the edge.
#[inline]
pub(super) const fn ring(middle: Cell) -> Cells {
    RINGS[middle.index()]
}

/// The five cells from the pivot; empty if the line would leave the board.
#[inline]
pub(super) const fn line(pivot: Cell, direction: Direction) -> Cells {
    LINES[pivot.index()][direction as usize]
}

/// One way to burst a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Burst {
    /// The cell in the middle of the ring.
    pub(super) middle: Cell,
    /// The stone of the ring that stays.
    pub(super) pivot: Cell,
    /// The direction of the line, seen from the pivot.
    pub(super) direction: Direction,
    /// Whether the text must name the middle, because another new ring has the same pivot.
    pub(super) shared: bool,
}

impl Burst {
    /// The last cell of the line.
    pub(super) fn far(&self) -> Option<Cell> {
        self.pivot.far(self.direction, LINE)
    }
}

impl fmt::Display for Burst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.pivot)?;
        if let Some(far) = self.far() {
            write!(f, "-{far}")?;
        }
        if self.shared {
            write!(f, "@{}", self.middle)?;
        }
        Ok(())
    }
}

/// Whether this cell belongs to more than one of the rings with these middles.
pub(super) fn is_shared(made: Cells, pivot: Cell) -> bool {
    pivot
        .neighbours()
        .filter(|middle| made.has(*middle))
        .nth(1)
        .is_some()
}

/// Every way to burst one of the rings with these middles: each ring, each of its six stones as the pivot, each
/// direction in which the line stays on the board.
///
/// There always is one: from any pivot the line fits in at least two of the six directions, because the board is 17
/// cells wide (a test tries them all). So a player who has made a ring can always finish the turn.
pub(super) fn bursts(made: Cells) -> impl Iterator<Item = Burst> {
    made.iter().flat_map(move |middle| {
        ring(middle).iter().flat_map(move |pivot| {
            let fits = move |direction: &Direction| !line(pivot, *direction).is_empty();
            let shared = is_shared(made, pivot);
            Direction::ALL
                .into_iter()
                .filter(fits)
                .map(move |direction| Burst {
                    middle,
                    pivot,
                    direction,
                    shared,
                })
        })
    })
}

/// The stones of both sides, as the player to move sees them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stones {
    pub(super) own: Cells,
    pub(super) other: Cells,
}

impl Stones {
    pub(super) fn empty(&self) -> Cells {
        /// All 217 cells.
        const BOARD: Cells = {
            let (mut board, mut cell) = (Cells::EMPTY, 0);
            while cell < COUNT {
                board.insert(Cell::ALL[cell]);
                cell += 1;
            }
            board
        };
        BOARD - self.own - self.other
    }

    /// Whether the player to move has all six stones of this ring.
    #[inline]
    pub(super) fn has_ring(&self, middle: Cell) -> bool {
        let ring = ring(middle);
        !ring.is_empty() && ring.is_within(self.own)
    }

    /// Drops a stone on an empty cell; returns the middles of the rings that it completes.
    #[inline]
    pub(super) fn drop(&mut self, cell: Cell) -> Cells {
        self.own.insert(cell);
        // The cell was empty, so none of its rings was complete before.
        cell.neighbours()
            .filter(|middle| self.has_ring(*middle))
            .collect()
    }

    /// Bursts a ring; returns the middles of the rings that this completes.
    ///
    /// The ring is removed before the line is laid, because the line may run over cells of the ring. Enemy stones under
    /// the line are removed: the line captures them. Only the cells of the line can gain a stone, so only rings that
    /// contain one of them can be new. A ring whose stones were all there before is not new, even if the line covers
    /// some of them.
    pub(super) fn burst(&mut self, burst: &Burst) -> Cells {
        let before = *self;
        let line = line(burst.pivot, burst.direction);
        self.own -= ring(burst.middle);
        self.own.insert(burst.pivot);
        self.own |= line;
        self.other -= line;
        let near = line.iter().flat_map(Cell::neighbours);
        near.filter(|middle| self.has_ring(*middle) && !before.has_ring(*middle))
            .collect()
    }

    /// Whether dropping this many stones could make a ring.
    pub(super) fn can_make_ring(&self, drops: usize) -> bool {
        let empty = self.empty();
        RINGS.iter().any(|ring| {
            let missing = *ring - self.own;
            !missing.is_empty() && missing.count() <= drops && missing.is_within(empty)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stone_of_every_ring_has_room_for_a_line_in_two_directions_or_more() {
        let middles = Cell::ALL.into_iter().filter(|middle| !ring(*middle).is_empty());
        assert_eq!(middles.clone().count(), 169);
        for middle in middles {
            for pivot in ring(middle) {
                let ways = bursts(Cells::of(middle)).filter(|burst| burst.pivot == pivot);
                assert!(ways.count() >= 2, "{pivot} of the ring around {middle}");
            }
        }
    }

    #[test]
    fn a_line_has_five_cells_and_begins_next_to_the_pivot() {
        for pivot in Cell::ALL {
            for direction in Direction::ALL {
                let cells: Cells = (1..=LINE)
                    .filter_map(|steps| pivot.far(direction, steps))
                    .collect();
                let wanted = if cells.count() == LINE {
                    cells
                } else {
                    Cells::EMPTY
                };
                assert_eq!(line(pivot, direction), wanted);
            }
        }
    }
}
