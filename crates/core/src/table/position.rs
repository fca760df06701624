//! The position of a board, replayed from its turns.

use chrono::{DateTime, Utc};
use pbmserv_games::{Match, Outcome, Refusal, Seat};

/// A position and the turns that led to it.
pub struct Position {
    /// The position after the last turn.
    pub game: Box<dyn Match>,
    /// In the order played.
    pub turns: Vec<Played>,
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Position")
            .field("turns", &self.turns)
            .finish_non_exhaustive()
    }
}

/// The stored turns cannot be replayed: a programming error or a damaged disk, never a player's fault.
#[derive(Debug, thiserror::Error)]
#[error("{board} does not replay at turn {ordinal}: {refusal}")]
pub struct Unreplayable {
    /// The name of the board.
    pub board: String,
    /// The number of the turn, from 1; 0 for the start position.
    pub ordinal: usize,
    /// The refusal by the rules.
    pub refusal: Refusal,
}

impl Position {
    /// The player to move; `None` when the game is over by its rules.
    #[must_use]
    pub fn to_move(&self) -> Option<Seat> {
        self.game.to_move()
    }

    /// The result by the rules.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    /// The number of turns that this player has played.
    #[must_use]
    pub fn turns_of(&self, seat: Seat) -> usize {
        self.turns.iter().filter(|turn| turn.seat == seat).count()
    }
}

/// A turn that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The seat that played it.
    pub seat: Seat,
    /// The canonical text.
    pub text: String,
    /// When it was played.
    pub at: DateTime<Utc>,
    /// The number of this event on its board.
    pub event: u32,
}
