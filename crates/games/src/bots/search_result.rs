//! What each search returns.

use super::value::LEAST_PROVEN;
use crate::SearchPosition;

/// What a search found.
pub(super) struct SearchResult {
    /// For the player to move.
    pub(super) value: i32,
    /// The best turns of both players, at least one.
    pub(super) line: Vec<String>,
    /// Other turns that seemed good, the best first.
    pub(super) others: Vec<String>,
    pub(super) nodes: u64,
    pub(super) depth: u32,
    /// Whether all turns were looked at three turns ahead, so that no win within three turns is left to find.
    pub(super) saw_short_wins: bool,
}

impl SearchResult {
    /// This turn wins.
    pub(super) fn won(turn: String) -> Self {
        Self {
            value: LEAST_PROVEN,
            line: vec![turn],
            others: Vec::new(),
            nodes: 1,
            depth: 1,
            saw_short_wins: true,
        }
    }

    /// Counts the positions of a further look. If it has shown that a turn of the list wins, that turn is the one found.
    pub(super) fn sees_win(&mut self, turn: Option<usize>, judged: u64, walk: &dyn SearchPosition) {
        self.nodes += judged;
        if let Some(turn) = turn {
            self.value = LEAST_PROVEN;
            self.line = vec![walk.text(turn)];
        }
    }
}

/// The most other turns.
pub(super) const MAX_OTHERS: usize = 3;

/// The most turns of the best line: more than a search looks ahead, unless positions repeat.
pub(super) const MAX_LINE: usize = 60;
