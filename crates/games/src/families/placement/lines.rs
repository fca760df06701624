//! The line through a crossing, stone by stone: what exactly is a four and a three, where some are forbidden.
//!
//! The terms are those of the rules of Renju International Federation (<https://www.renju.net/rifrules/>): a four is a row of four
//! stones that one more makes a row of exactly five; a straight four one of four stones side by side that both ends make so; a three
//! is a row of three that one more stone makes a straight four.

use crate::kit::square::{Bits, Cell};

/// How far a line is looked at on both sides of its middle.
const REACH: i8 = 5;

/// What is on a crossing of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Empty,
    Own,
    /// A stone of the other side, or no crossing.
    Closed,
}

/// The crossings around one in one direction.
pub struct Line {
    at: [At; 2 * REACH as usize + 1],
    middle: Cell,
    way: (i8, i8),
}

const MIDDLE: usize = REACH as usize;

impl Line {
    /// The line through this crossing in a direction of steps to the right and up.
    #[must_use]
    pub fn through(middle: Cell, way: (i8, i8), own: Bits, empty: Bits, size: u8) -> Self {
        let at = std::array::from_fn(|step| match away(middle, way, step as i8 - REACH, size) {
            Some(cell) if own.has(cell) => At::Own,
            Some(cell) if empty.has(cell) => At::Empty,
            _ => At::Closed,
        });
        Self { at, middle, way }
    }

    /// How many stones stand side by side with the middle one.
    #[must_use]
    pub fn length(&self) -> usize {
        let own = |at: &&At| **at == At::Own;
        let after = self.at[MIDDLE + 1..].iter().take_while(own).count();
        after + 1 + self.at[..MIDDLE].iter().rev().take_while(own).count()
    }

    /// Whether five stones from this crossing on, one of which is still to come, would be exactly five.
    fn fits(&self, from: usize) -> bool {
        let is_own = |place: Option<usize>| place.and_then(|place| self.at.get(place)) == Some(&At::Own);
        !is_own(from.checked_sub(1)) && !is_own(Some(from + 5))
    }

    /// The crossings that make exactly five with four stones, of which the middle one is one.
    fn completing(&self) -> impl Iterator<Item = usize> {
        (MIDDLE - 4..=MIDDLE).filter_map(|from| {
            let row = &self.at[from..from + 5];
            let stones = row.iter().filter(|at| **at == At::Own).count();
            let empty = row.iter().position(|at| *at == At::Empty)?;
            (stones == 4 && self.fits(from)).then_some(from + empty)
        })
    }

    /// How many fours the middle stone is part of: a straight four is one.
    #[must_use]
    pub fn fours(&self) -> usize {
        let mut completing: Vec<_> = self.completing().collect();
        completing.dedup();
        match completing.as_slice() {
            [low, high] if high - low == 5 => 1,
            all => all.len().min(2),
        }
    }

    /// The two ends of the straight four that the middle stone is part of.
    fn straight_four(&self) -> Option<(usize, usize)> {
        let completing: Vec<_> = self.completing().collect();
        match completing.as_slice() {
            [low, high] if high - low == 5 => Some((*low, *high)),
            _ => None,
        }
    }

    /// The empty crossings on which one more stone makes a straight four with the middle one.
    pub fn straightening(&self) -> impl Iterator<Item = Cell> {
        (MIDDLE - 3..=MIDDLE + 3).filter_map(|place| {
            if self.at[place] != At::Empty {
                return None;
            }
            let mut with = Self { at: self.at, ..*self };
            with.at[place] = At::Own;
            let (low, high) = with.straight_four()?;
            (low < place && place < high).then_some(())?;
            away(self.middle, self.way, place as i8 - REACH, u8::MAX)
        })
    }
}

/// The crossing this many steps away.
fn away(cell: Cell, (right, up): (i8, i8), steps: i8, size: u8) -> Option<Cell> {
    let column = u8::try_from(cell.column() as i8 + right * steps).ok()?;
    let row = u8::try_from(cell.row() as i8 + up * steps).ok()?;
    (column < size && row < size).then(|| Cell::at(column, row))
}
