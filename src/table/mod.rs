//! What is true of every board whatever the game: who sits at it, its terms, its turns and its end.
//!
//! [`Board`] holds the rules as transitions: pure functions from a board to the board after it. The store saves what
//! they give and decides nothing.

mod board;
mod clock;
mod position;
mod preferences;
mod rating;
mod record;
mod taking;
mod unasked;
mod vacation;

use chrono::{DateTime, Utc};

use crate::games::Seat;

pub use board::{Board, End, NewBoard, Offer};
pub(crate) use board::{Stale, Unsaved};
pub use clock::{Clock, Limit, REMINDED_EVERY, Tick, WARNED_BEFORE, Warning};
pub use position::{Played, Position, Unreplayable};
pub use preferences::Preferences;
pub use rating::{ESTABLISHED_BELOW, FORMULA, Rated, Rating, Standing};
pub use taking::Taking;
pub use unasked::Unasked;
pub use vacation::{DAYS_A_YEAR, Vacation, days_left};

/// The number of a player's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PlayerId(pub i64);

/// The number of a board's row; players know a board by its game and its number in that game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoardId(pub i64);

/// The number of a seat: what a reply token names.
#[must_use]
pub const fn seat_number(board: BoardId, seat: Seat) -> i64 {
    board.0 * 2 + seat.index() as i64
}

/// The board and the seat of a seat's number.
#[must_use]
pub const fn seat_of_number(number: i64) -> (BoardId, Seat) {
    let seat = if number % 2 == 0 {
        Seat::First
    } else {
        Seat::Second
    };
    (BoardId(number / 2), seat)
}

/// A player's account.
#[derive(Clone, PartialEq, Eq)]
pub struct Player {
    /// The number of the row.
    pub id: PlayerId,
    /// As first written; compared in any case.
    pub userid: String,
    /// The PHC string of the password's hash.
    pub password_hash: String,
    /// Raised to end the tokens given out before.
    pub generation: i64,
    /// Since when they have signed off; `None` while they are here.
    pub away_since: Option<DateTime<Utc>>,
    /// Since when the operator keeps the account closed; `None` while it is open.
    pub disabled_at: Option<DateTime<Utc>>,
}

impl std::fmt::Debug for Player {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Player")
            .field("id", &self.id)
            .field("userid", &self.userid)
            .finish_non_exhaustive()
    }
}

/// A player's place at a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seated {
    /// Who sits there.
    pub id: PlayerId,
    /// The userid as first written.
    pub userid: String,
}

/// What the players agreed on beside the game's own options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Whether the result counts for the ratings.
    pub rated: bool,
    /// After how many days without a move the player to move is reminded.
    pub nag_days: u32,
    /// After how many days without a move the board is forfeited.
    pub forfeit_days: u32,
    /// How many days a player may think in the whole game, if that is bounded.
    pub total_days: Option<u32>,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            rated: true,
            nag_days: 7,
            forfeit_days: 21,
            total_days: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_has_a_number_of_its_own() {
        let boards = [1, 2, 3, 1_000_001].map(BoardId);
        let seats = boards
            .iter()
            .flat_map(|board| Seat::BOTH.map(|seat| (*board, seat)));
        let numbers: Vec<i64> = seats
            .clone()
            .map(|(board, seat)| seat_number(board, seat))
            .collect();
        assert_eq!(numbers, [2, 3, 4, 5, 6, 7, 2_000_002, 2_000_003]);
        assert!(seats.eq(numbers.into_iter().map(seat_of_number)));
    }
}
