//! The two ways in which a board is drawn in text.

/// Which of a game's two pictures of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Display {
    /// The compact one.
    Small,
    /// The one with lines and room, shown unless a player says otherwise.
    #[default]
    Large,
}

impl Display {
    /// The word of the `set` command.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Large => "large",
        }
    }
}
