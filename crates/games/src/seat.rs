//! The two seats at a board, and the results that the rules can give.

/// A seat at a board. In a challenge, userid1 is `First` and moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// userid1.
    First,
    /// userid2.
    Second,
}

impl Seat {
    /// Both seats, first mover first.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The opponent's seat.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 or 1, as the index of an array with both seats.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The result of a game by its rules. Resignation and forfeit belong to the table, not to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This side has won.
    Won(Seat),
    /// A draw.
    Drawn,
}
