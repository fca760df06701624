//! How a game is written in the formats of programs for chess and draughts.

/// How a game is written with tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tagged {
    /// PGN, with this `Variant` tag; chess has none.
    Pgn(Option<&'static str>),
    /// PDN, with this `GameType`.
    Pdn(&'static str),
}

impl Tagged {
    /// The usual end of a file's name.
    #[must_use]
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Pgn(_) => "pgn",
            Self::Pdn(_) => "pdn",
        }
    }
}
