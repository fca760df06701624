//! What makes two positions the same.

use crate::games::forms::Forms;
use crate::kit::square::MAX_SIZE;

/// No position with more stones is solved: a line of so many and the ring around it fill the largest grid.
pub const MAX_STONES: usize = MAX_SIZE as usize - 2;

/// A position whatever its place, its orientation and the names of the sides: the least of its eight
/// pictures, each stone a number of its row, its column and whether it is the mover's, in order.
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
            // A quarter turn and, every other time, a reflection: together all eight pictures.
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

    /// The key of the stones as they lie, shifted to the corner.
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

/// Reflection takes a column to this one less it; no column is greater.
const EDGE: u16 = u8::MAX as u16;
