//! Which boards of a game a player accepts.

/// A player's limits for boards of a game. The default accepts any number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taking {
    /// Whether any board may begin.
    pub is_open: bool,
    /// The most boards that may run at a time.
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
