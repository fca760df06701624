//! The position of a board: the replay of its turns.

use chrono::{DateTime, Utc};

use crate::games::{Match, Outcome, Refusal, Seat};

/// A board's turns, played.
pub struct Position {
    /// The position after the last turn.
    pub game: Box<dyn Match>,
    /// The turns in the order played.
    pub turns: Vec<Played>,
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Position")
            .field("turns", &self.turns)
            .finish_non_exhaustive()
    }
}

/// The turns of a board do not replay: a fault of the program or of the disk, never of a player.
#[derive(Debug, thiserror::Error)]
#[error("{board} does not replay at turn {ordinal}: {refusal}")]
pub struct Unreplayable {
    /// Which board.
    pub board: String,
    /// Which turn, from 1; 0 for the start.
    pub ordinal: usize,
    /// What the rules say of it.
    pub refusal: Refusal,
}

impl Position {
    /// Whose turn it is by the rules; `None` when the game is over.
    #[must_use]
    pub fn to_move(&self) -> Option<Seat> {
        self.game.to_move()
    }

    /// How the game ended by its rules.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.outcome()
    }

    /// How many turns this player has played.
    #[must_use]
    pub fn turns_of(&self, seat: Seat) -> usize {
        self.turns.iter().filter(|turn| turn.seat == seat).count()
    }
}

/// One turn that was played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// Who played it.
    pub seat: Seat,
    /// Its one text.
    pub text: String,
    /// When.
    pub at: DateTime<Utc>,
}
