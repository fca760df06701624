//! How a game ended, by its rules or otherwise.

use super::Outcome;

/// The result of a finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// Who won, if anybody did.
    pub outcome: Outcome,
    /// What made it so.
    pub by: By,
}

/// What ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// The position itself.
    Rules,
    /// The loser gave it up.
    Resignation,
    /// The loser's time ran out.
    Forfeit,
    /// The players agreed.
    Agreement,
    /// The operator decided.
    Adjudication,
}
