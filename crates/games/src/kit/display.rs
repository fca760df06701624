//! The two text drawings of a board.

/// Which of a game's two text drawings to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Display {
    /// The compact drawing.
    Small,
    /// The drawing with lines and space, the default.
    #[default]
    Large,
}

impl Display {
    /// The word for it in the `set` command.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Large => "large",
        }
    }
}
