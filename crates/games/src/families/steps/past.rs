//! Whether a position has occurred before.

use std::fmt::Debug;

use crate::Seat;
use crate::kit::history::History;
use crate::kit::square::SmallBits;

/// The pieces of each side, and the player to move.
pub type Placed = ([SmallBits; 2], Seat);

/// What a game remembers of earlier positions.
pub trait Past: Clone + Debug + Eq + Send + Sync + 'static {
    /// Begins with this position.
    fn new(first: Placed) -> Self;

    /// Adds the position after a turn; whether it has occurred three times now. None from before a capture comes again.
    fn add(&mut self, position: Placed, is_capture: bool) -> bool;
}

/// The past of a game whose every turn brings its end nearer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded;

impl Past for Bounded {
    fn new(_: Placed) -> Self {
        Self
    }

    fn add(&mut self, _: Placed, _: bool) -> bool {
        false
    }
}

/// The past of a game whose third repetition is a draw.
pub type Repeated = History<Placed>;

impl Past for Repeated {
    fn new(first: Placed) -> Self {
        Self::new(first)
    }

    fn add(&mut self, position: Placed, is_capture: bool) -> bool {
        if is_capture {
            self.restart(position);
            return false;
        }
        self.add(position) >= 3
    }
}
