//! What the alpha-beta search needs of a game.

/// A position.
pub(crate) trait Board: Clone {
    /// A turn.
    type Turn: Copy + Eq;
    /// Whether the scores that [`listed`](Self::listed) gives are values of the positions after the turns.
    const VALUED: bool = false;
    /// Whether late turns of a list may be searched less deep.
    const REDUCE: bool = true;
    /// Whether a position that occurs again is as good as drawn.
    const REPEATS: bool = false;

    /// The start position.
    fn start() -> Self;
    /// Every legal turn.
    fn legal(&self) -> Vec<Self::Turn>;
    /// The turns worth a search with a score each; greater is more promising. At least one while the game runs.
    fn listed(&self, out: &mut Vec<(i32, Self::Turn)>);
    /// The turns that are still searched beyond the horizon.
    fn noisy(&self, _out: &mut Vec<(i32, Self::Turn)>) {}
    /// Plays a turn.
    fn play(&mut self, turn: Self::Turn);
    /// A hash of the position.
    fn key(&self) -> u64;
    /// 1, 0 or -1 if it is certain that the player to move wins, draws or loses.
    fn decided(&self) -> Option<i32>;
    /// The same at the horizon, where it may take longer.
    fn decided_at_leaf(&self) -> Option<i32> {
        None
    }
    /// How good it is for the player to move.
    fn estimate(&self) -> i32;
    /// An index below 16384.
    fn slot(turn: Self::Turn) -> usize;
    /// A turn as text.
    fn write(&self, turn: Self::Turn) -> String;
    /// A turn that is found without the search, if there is one.
    fn at_once(&self, _left: &dyn Fn() -> bool) -> Option<Self::Turn> {
        None
    }
    /// Whether the player who has just moved is spared a loss that is found without the search.
    fn is_safe(&self) -> bool {
        true
    }
}

/// Spreads the bits of a number.
pub(crate) fn mixed(number: u64) -> u64 {
    let a = (number ^ (number >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let b = (a ^ (a >> 33)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    b ^ (b >> 33)
}

/// A hash of two boards of bits.
pub(crate) fn mixed_pair(a: u64, b: u64) -> u64 {
    mixed(mixed(a ^ 0x9e37_79b9_7f4a_7c15).wrapping_add(b))
}

/// The text of a cell, both numbers from 0.
pub(crate) fn cell(column: usize, row: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(column).unwrap_or(0));
    format!("{letter}{}", row + 1)
}

/// The numbers of the bits that are set.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then_some(set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        bit
    })
}

/// How many bits are set, for sums.
pub(crate) fn count(set: u64) -> i32 {
    set.count_ones().cast_signed()
}
