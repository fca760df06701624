//! The key under which the search stores equivalent positions.

use crate::forms::{Forms, MAX_SIZE};

/// The most stones of a position: a straight line of this many, with the empty ring, fills the largest grid.
pub const MAX_STONES: usize = MAX_SIZE as usize - 2;

/// The same for all positions that differ only by a shift, a rotation, a reflection, or an exchange of the sides with
/// the mover: the least of the eight transformed positions. Each stone is a number made of row, column and whether it
/// is the mover's; the numbers are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Key([u16; MAX_STONES]);

impl Key {
    pub(super) fn of(position: &Forms) -> Self {
        let mut stones = [(0, 0, 0); MAX_STONES];
        let mut count = 0;
        for (side, place) in [(position.own(), 1), (position.enemy(), 0)] {
            for cell in side {
                if let Some(stone) = stones.get_mut(count) {
                    *stone = (u16::from(cell.column()), u16::from(cell.row()), place);
                    count += 1;
                }
            }
        }
        let stones = stones.get_mut(..count).unwrap_or_default();
        let mut least = Self([u16::MAX; MAX_STONES]);
        for reflection in 0..8 {
            // Each round reflects (row and column exchanged, or the columns reversed). The two reflections alternate,
            // so their products run through all eight symmetries of the square.
            for stone in &mut *stones {
                let (column, row, side) = *stone;
                *stone = if reflection % 2 == 0 {
                    (row, column, side)
                } else {
                    (EDGE - column, row, side)
                };
            }
            least = least.min(Self::here(stones));
        }
        least
    }

    /// The key of the stones without a transformation, shifted to the corner.
    fn here(stones: &[(u16, u16, u16)]) -> Self {
        let left = stones.iter().map(|stone| stone.0).min().unwrap_or_default();
        let bottom = stones.iter().map(|stone| stone.1).min().unwrap_or_default();
        let mut key = [0; MAX_STONES];
        for (place, (column, row, side)) in key.iter_mut().zip(stones) {
            *place = ((row - bottom) << 8 | (column - left) << 2 | side << 1) + 1;
        }
        key.sort_unstable();
        Self(key)
    }
}

/// A reflection replaces column `c` by `EDGE - c`. No column is greater.
const EDGE: u16 = u8::MAX as u16;
