//! A game that somebody wants.

use pbmserv_games::{Game, Seat};

/// A game that somebody wants, as far as it was said.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Wish {
    pub(crate) game: Option<&'static Game>,
    pub(crate) against: Option<Opponent>,
    /// The seat of the writer.
    pub(crate) seat: Option<Seat>,
    pub(crate) size: Option<u32>,
}

/// With whom somebody wants to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Opponent {
    /// Any computer.
    Computer,
    Anyone,
    /// The player of this userid, as written.
    Userid(String),
}
