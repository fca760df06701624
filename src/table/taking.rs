//! Whether, and how many, boards of a game a player takes.

/// What boards of a game a player takes; any number, unless the player has said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taking {
    /// Whether any board may begin.
    pub is_open: bool,
    /// At most how many may run at a time.
    pub most: Option<u32>,
}

impl Default for Taking {
    fn default() -> Self {
        Self {
            is_open: true,
            most: None,
        }
    }
}
