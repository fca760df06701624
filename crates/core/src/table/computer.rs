//! Computer players: accounts that nobody signs up.
//!
//! Their rows have numbers below zero, which no other account gets, so a seat alone says whether a computer plays there.
//! They have neither a password nor an address.
//!
//! Nothing is written in their name or to them, and their clock stands still. A userid that a player had before stays that
//! player's.

use pbmserv_games::Seat;
use pbmserv_games::bots::Level;

use super::{Board, PlayerId};

/// A computer player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Computer {
    /// The number of its row.
    pub id: PlayerId,
    /// What players call it.
    pub userid: &'static str,
    /// How it plays.
    pub level: Level,
}

/// All computer players, the weakest first.
pub static COMPUTERS: [Computer; 3] = [
    Computer {
        id: PlayerId(-1),
        userid: "bot-easy",
        level: Level::Easy,
    },
    Computer {
        id: PlayerId(-2),
        userid: "bot-medium",
        level: Level::Medium,
    },
    Computer {
        id: PlayerId(-3),
        userid: "bot-hard",
        level: Level::Hard,
    },
];

impl PlayerId {
    /// Whether this is a computer.
    #[must_use]
    pub const fn is_computer(self) -> bool {
        self.0 < 0
    }

    /// The computer player of this number.
    #[must_use]
    pub fn computer(self) -> Option<&'static Computer> {
        COMPUTERS.iter().find(|computer| computer.id == self)
    }
}

impl Board {
    /// The seat of the computer, if one plays here. Two never play each other.
    #[must_use]
    pub fn computer(&self) -> Option<Seat> {
        Seat::BOTH
            .into_iter()
            .find(|seat| self.at(*seat).id.is_computer())
    }

    /// Whether a computer is to move.
    #[must_use]
    pub fn waits_for_computer(&self) -> bool {
        self.to_move.is_some_and(|seat| self.at(seat).id.is_computer())
    }
}
