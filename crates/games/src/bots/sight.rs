//! How a player sees the turns of the position that it thinks about: not quite as they are, so that games differ, and beginners
//! err.

use super::level::Means;
use super::value::{LEAST_PROVEN, unproven};
use crate::kit::mix::mix;

/// The mistakes of one thought. A turn is its number in the list of all turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    seed: u64,
    /// See [`Means::noise`].
    noise: i32,
    /// See [`Means::overlooked`].
    overlooked: u64,
}

impl Sight {
    pub(super) const fn new(means: &Means, seed: u64) -> Self {
        Self {
            seed,
            noise: means.noise,
            overlooked: means.overlooked,
        }
    }

    /// How much too good a turn is taken for.
    fn error(self, turn: usize) -> i32 {
        let width = 2 * self.noise.unsigned_abs() + 1;
        (mix([self.seed, turn as u64]) % u64::from(width)) as i32 - self.noise
    }

    /// What a turn of this value is taken for. A win or a loss that was seen to its end is not mistaken.
    pub(super) fn seen(self, turn: usize, value: i32) -> i32 {
        match value.abs() {
            LEAST_PROVEN.. => value,
            _ => unproven(value + self.error(turn)),
        }
    }

    /// What a turn must be worth to be taken for better than `least`. What is not better is only known to be at most the
    /// bound, so that has to be exact: a bound above a proven win would take what is no win for a faster one.
    pub(super) fn bound(self, turn: usize, least: i32) -> i32 {
        match least.abs() {
            LEAST_PROVEN.. => least,
            _ => unproven(least - self.error(turn)),
        }
    }

    /// Whether the player does not see this turn.
    pub(super) fn overlooks(self, turn: usize) -> bool {
        mix([self.seed, turn as u64, 1]) % 100 < self.overlooked
    }
}
