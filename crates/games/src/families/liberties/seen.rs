//! The boards that have occurred in a game, none of which may come again.

use std::sync::Arc;

/// The boards that are kept without a list.
const RECENT: usize = 16;

/// The hashes of all boards of a game. A copy shares all but the last few.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    older: Arc<Vec<u64>>,
    recent: [u64; RECENT],
    count: usize,
    /// Whether stones were taken, or changed owner. Before, each board has a stone more than all others.
    can_repeat: bool,
}

impl Seen {
    /// Begins with this board.
    pub(super) fn new(first: u64) -> Self {
        Self {
            older: Arc::default(),
            recent: [first; RECENT],
            count: 1,
            can_repeat: false,
        }
    }

    /// Whether a board can have occurred before.
    pub(super) const fn can_repeat(&self) -> bool {
        self.can_repeat
    }

    pub(super) fn has(&self, board: u64) -> bool {
        self.can_repeat && (self.recent[..self.count].contains(&board) || self.older.contains(&board))
    }

    /// Adds a board, of which `takes` says whether a stone was taken for it.
    pub(super) fn add(&mut self, board: u64, takes: bool) {
        self.can_repeat |= takes;
        if self.count == RECENT {
            Arc::make_mut(&mut self.older).extend(self.recent);
            self.count = 0;
        }
        self.recent[self.count] = board;
        self.count += 1;
    }
}
