//! A rhombus of hexagons whose sides two players join, as fast as can be: for games that are played to their end at random.

use super::square::Cell;

/// No stone, and no cell.
pub const EMPTY: u8 = 2;
const OUTSIDE: u8 = 3;

/// How many places are around the cells: the stones of the sides that are to be joined, and nothing.
const MARGIN: usize = 2;

/// The stones on a rhombus, by place. Around its cells stand those of the sides: below and above the first player's, at the left and at
/// the right the second player's.
#[derive(Clone, Debug)]
pub struct Rhombus {
    size: usize,
    width: usize,
    stones: Vec<u8>,
    /// From a place to its six neighbours, in a circle that is gone around more than twice.
    ways: [isize; 14],
}

impl Rhombus {
    /// An empty rhombus.
    #[must_use]
    pub fn new(size: u8) -> Self {
        let size = usize::from(size);
        let width = size + 2 * MARGIN;
        let row = width as isize;
        let mut new = Self {
            size,
            width,
            stones: vec![OUTSIDE; width * width],
            ways: std::array::from_fn(|way| [1, row, row - 1, -1, -row, 1 - row][way % 6]),
        };
        let (low, high) = (MARGIN - 1, MARGIN + size);
        for at in low..=high {
            new.stones[at * width + low] = 1;
            new.stones[at * width + high] = 1;
        }
        for at in low..high {
            new.stones[low * width + at] = 0;
            new.stones[high * width + at] = 0;
        }
        for row in MARGIN..high {
            new.stones[row * width + MARGIN..row * width + high].fill(EMPTY);
        }
        new
    }

    /// The place of a cell.
    #[must_use]
    pub const fn place(&self, cell: Cell) -> u16 {
        ((cell.row() as usize + MARGIN) * self.width + cell.column() as usize + MARGIN) as u16
    }

    /// The cell at a place.
    #[must_use]
    pub const fn cell(&self, place: u16) -> Cell {
        let place = place as usize;
        Cell::at(
            (place % self.width - MARGIN) as u8,
            (place / self.width - MARGIN) as u8,
        )
    }

    /// Whose stone stands at a place: 0, 1 or [`EMPTY`].
    #[must_use]
    #[inline]
    pub fn stone(&self, place: u16) -> u8 {
        self.stones[usize::from(place)]
    }

    /// Puts a stone.
    #[inline]
    pub fn put(&mut self, place: u16, side: u8) {
        self.stones[usize::from(place)] = side;
    }

    /// Takes the stones of another rhombus of the same size.
    pub fn copy(&mut self, other: &Self) {
        self.stones.copy_from_slice(&other.stones);
    }

    /// A bound of all places.
    #[must_use]
    pub fn places(&self) -> usize {
        self.stones.len()
    }

    /// The empty places.
    pub fn empty(&self) -> impl Iterator<Item = u16> {
        let places = 0..self.stones.len() as u16;
        places.filter(|place| self.stone(*place) == EMPTY)
    }

    #[inline]
    fn next(&self, place: usize, way: usize) -> usize {
        place.wrapping_add_signed(self.ways[way])
    }

    /// The place that keeps a bridge of this side which the stone at `last` has entered. The search for one begins with this way.
    #[inline]
    #[must_use]
    pub fn kept(&self, last: u16, side: u8, begin: usize) -> Option<u16> {
        let last = usize::from(last);
        let is = |way: usize, stone: u8| self.stones[self.next(last, way)] == stone;
        (begin..begin + 6)
            .find(|way| is(way + 1, EMPTY) && is(*way, side) && is(way + 2, side))
            .map(|way| self.next(last, way + 1) as u16)
    }

    /// Who has joined the own sides of a board without empty cells. Walks along the line between the stones at the bottom that are the
    /// first player's and those at the left, to the corner where it ends.
    #[must_use]
    pub fn winner(&self) -> u8 {
        let (low, high) = (MARGIN - 1, MARGIN + self.size);
        // The way leads from the one to the other side of the line.
        let (mut first, mut way) = (low * self.width + MARGIN, 2);
        loop {
            let ahead = self.next(first, way + 5);
            if self.stones[ahead] == 0 {
                (first, way) = (ahead, (way + 1) % 6);
                if first / self.width == high {
                    return 0;
                }
            } else {
                if ahead % self.width == high {
                    return 1;
                }
                way = (way + 5) % 6;
            }
        }
    }

    /// Whether stones and bridges, no two of which need the same cell, join the sides of this player: then they are joined whoever
    /// is to move.
    #[must_use]
    pub fn is_bridged(&self, side: u8) -> bool {
        let (low, high) = (MARGIN - 1, MARGIN + self.size);
        let (mut seen, mut open) = (vec![false; self.stones.len()], Vec::new());
        for at in MARGIN..high {
            open.push(if side == 0 {
                low * self.width + at
            } else {
                at * self.width + low
            });
        }
        open.iter().for_each(|place| seen[*place] = true);
        while let Some(place) = open.pop() {
            let height = [place / self.width, place % self.width][usize::from(side)];
            if height == high {
                return true;
            }
            for way in 0..6 {
                let (near, second) = (self.next(place, way), self.next(place, way + 1));
                if self.stones[near] == side && !seen[near] {
                    seen[near] = true;
                    open.push(near);
                }
                if self.stones[near] != EMPTY || self.stones[second] != EMPTY || seen[near] || seen[second] {
                    continue;
                }
                let far = self.next(near, way + 1);
                if self.stones[far] == side && !seen[far] {
                    for taken in [near, second, far] {
                        seen[taken] = true;
                    }
                    open.push(far);
                }
            }
        }
        false
    }

    /// How many stones this player needs to join the own sides if the other one passes.
    #[must_use]
    pub fn missing(&self, side: u8) -> usize {
        let (low, high) = (MARGIN - 1, MARGIN + self.size);
        let mut seen = vec![false; self.stones.len()];
        let mut open: Vec<usize> = (MARGIN..high)
            .map(|at| match side {
                0 => low * self.width + at,
                _ => at * self.width + low,
            })
            .collect();
        for missing in 0.. {
            let mut later = Vec::new();
            while let Some(place) = open.pop() {
                if [place / self.width, place % self.width][usize::from(side)] == high {
                    return missing;
                }
                for way in 0..6 {
                    let near = self.next(place, way);
                    if !seen[near] && self.stones[near] == side {
                        seen[near] = true;
                        open.push(near);
                    } else if !seen[near] && self.stones[near] == EMPTY {
                        seen[near] = true;
                        later.push(near);
                    }
                }
            }
            if later.is_empty() {
                return self.stones.len();
            }
            open = later;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::seq::SliceRandom as _;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;

    /// Whether a chain of the first player reaches from the bottom to the top.
    fn first_joins(board: &Rhombus) -> bool {
        board.missing(0) == 0
    }

    #[test]
    fn a_full_board_has_the_winner_whose_chain_joins_the_sides() {
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut won = [0; 2];
        for _ in 0..500 {
            let mut board = Rhombus::new(rng.random_range(3..12));
            let mut places: Vec<u16> = board.empty().collect();
            places.shuffle(&mut rng);
            for (number, place) in places.into_iter().enumerate() {
                board.put(place, (number % 2) as u8);
            }
            let winner = board.winner();
            assert_eq!(winner == 0, first_joins(&board));
            assert_eq!(winner == 1, board.missing(1) == 0);
            won[usize::from(winner)] += 1;
        }
        assert!(won[0] > 100 && won[1] > 100, "{won:?}");
    }

    #[test]
    fn bridges_join_as_long_as_none_is_entered_twice() {
        let mut board = Rhombus::new(5);
        let place = |board: &Rhombus, column, row| board.place(Cell::at(column, row));
        for (column, row) in [(2, 1), (1, 3)] {
            let at = place(&board, column, row);
            board.put(at, 0);
        }
        assert!(board.is_bridged(0));
        assert!(!board.is_bridged(1));
        assert_eq!(board.missing(0), 3);
        let entered = place(&board, 2, 2);
        board.put(entered, 1);
        assert!(!board.is_bridged(0));
        assert_eq!(board.kept(entered, 0, 0), Some(place(&board, 1, 2)));
        let kept = place(&board, 1, 2);
        board.put(kept, 0);
        assert!(board.is_bridged(0));
    }
}
