//! The two seats at a board, and how a game between them ends by its rules.

/// One of the two places at a board: `First` is userid1, who moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// userid1.
    First,
    /// userid2.
    Second,
}

impl Seat {
    /// Both, in the order of their first turns.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The opponent's.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for the first, 1 for the second: the place in an array of both.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// How a game ended by its own rules. Resignation and forfeit belong to the table, not to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The side in this seat has won.
    Won(Seat),
    /// Nobody has.
    Drawn,
}
