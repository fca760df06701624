//! What a game of draughts brings.

use std::fmt::Debug;

use super::board::Board;
use crate::Facts;
use crate::tagged::Tagged;

/// Ways are counted clockwise from straight ahead: 0 is ahead, 1 to the right of it, 4 back.
pub type Ways = &'static [u8];

/// A game of draughts.
pub trait DraughtsRules: Copy + Eq + Debug + Send + Sync + 'static {
    /// The constants of the game. The letters of a side are those of a man and of a king.
    const FACTS: Facts;
    /// See [`Rules::TAGGED`](crate::Rules::TAGGED).
    const TAGGED: Option<Tagged> = None;
    /// The board.
    const BOARD: &'static Board;
    /// Whether the first player's men begin at the top.
    const FIRST_IS_AT_TOP: bool;
    /// How men move.
    const MAN_MOVES: Ways;
    /// How men capture.
    const MAN_CAPTURES: Ways;
    /// How kings move.
    const KING_MOVES: Ways;
    /// How kings capture.
    const KING_CAPTURES: Ways;
    /// Whether kings move any number of squares.
    const KINGS_FLY: bool;
    /// Whether the captures with the most pieces are the only legal ones.
    const MOST_IS_DUTY: bool;
    /// Whether a line of men moves as one: its last man to the empty square ahead.
    const LINES_MOVE: bool = false;
    /// After this many turns, both players' counted, without a capture or a move of a man the game is drawn.
    const MAX_IDLE: Option<u16>;
    /// How men and kings move, as two sentences for refusals.
    const MOVES: [&'static str; 2];
    /// What a king is worth, in hundredths of a man.
    const KING_WORTH: i32;
    /// How long it takes to judge a position; see [`Evaluate`](crate::Evaluate).
    const EFFORT: u64;

    /// The squares of the men at the top of the board at the start.
    fn men_at_top() -> u64;

    /// An ending with few enough men and kings of each side that it is drawn after this many turns, both players' counted.
    fn drawn_after(_men: [u32; 2], _kings: [u32; 2]) -> Option<u16> {
        None
    }
}
