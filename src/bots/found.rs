//! What each search returns.

/// What a search found.
pub(super) struct Found {
    /// For the player to move.
    pub(super) value: i32,
    /// The best turns of both players, at least one.
    pub(super) line: Vec<String>,
    pub(super) nodes: u64,
    pub(super) depth: u32,
}

/// The most turns of the best line.
pub(super) const LONGEST_LINE: usize = 8;
