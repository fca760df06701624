//! Mail that comes without being asked for, each kind of which its reader can end.

use crate::games::{GAMES, Game};

use super::{BoardId, PlayerId};

/// A kind of mail that its reader can end with an answer to its `List-Unsubscribe`.
#[derive(Clone, Copy, Debug)]
pub enum Unasked {
    /// Reminders that it is one's turn.
    Reminders,
    /// The one mail a day.
    Digest,
    /// What the directors write to all.
    Broadcasts,
    /// What this player writes.
    MessagesOf(PlayerId),
    /// What happens on this board, which is watched.
    Board(BoardId),
    /// What happens on the boards of this game, all of which are watched.
    Game(&'static Game),
}

/// The bits of a player's or a board's number in the number of a kind of mail.
const PLAYER_BITS: u32 = 30;
/// The bits that tell the kind.
const KIND_BITS: u32 = 3;

impl Unasked {
    /// The number that a token names: whose mail, and of which kind. `None` if a player or a board has a number
    /// beyond a thousand million, for which there is no room.
    #[must_use]
    pub fn number(self, reader: PlayerId) -> Option<i64> {
        let (kind, other) = match self {
            Self::Reminders => (0, 0),
            Self::Digest => (1, 0),
            Self::Broadcasts => (2, 0),
            Self::MessagesOf(by) => (3, by.0),
            Self::Board(board) => (4, board.0),
            // Its place in the list, where games are only ever added at the end.
            Self::Game(game) => {
                let is_it = |other: &Game| other.facts.name == game.facts.name;
                (5, i64::try_from(GAMES.iter().position(is_it)?).ok()?)
            }
        };
        let has_room = |number: i64| (0..1 << PLAYER_BITS).contains(&number);
        (has_room(reader.0) && has_room(other))
            .then_some(((other << PLAYER_BITS | reader.0) << KIND_BITS) | kind)
    }

    /// Whose mail of which kind a number names.
    #[must_use]
    pub fn of_number(number: i64) -> Option<(PlayerId, Self)> {
        let part = |bits: u32, from: u32| (number >> from) & ((1 << bits) - 1);
        let other = part(PLAYER_BITS, KIND_BITS + PLAYER_BITS);
        let kind = match part(KIND_BITS, 0) {
            0 => Self::Reminders,
            1 => Self::Digest,
            2 => Self::Broadcasts,
            3 => Self::MessagesOf(PlayerId(other)),
            4 => Self::Board(BoardId(other)),
            5 => Self::Game(GAMES.get(usize::try_from(other).ok()?)?),
            _ => return None,
        };
        Some((PlayerId(part(PLAYER_BITS, KIND_BITS)), kind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_names_one_reader_and_one_kind() {
        for reader in [1, 77, (1 << PLAYER_BITS) - 1].map(PlayerId) {
            for kind in [
                Unasked::Reminders,
                Unasked::Digest,
                Unasked::Broadcasts,
                Unasked::MessagesOf(PlayerId(5)),
                Unasked::MessagesOf(PlayerId((1 << PLAYER_BITS) - 1)),
                Unasked::Board(BoardId(9)),
                Unasked::Game(&GAMES[0]),
                Unasked::Game(&GAMES[3]),
            ] {
                let number = kind.number(reader).unwrap();
                let (found, read) = Unasked::of_number(number).unwrap();
                assert_eq!(found, reader);
                assert_eq!(format!("{read:?}"), format!("{kind:?}"));
            }
        }
        let huge = PlayerId(1 << PLAYER_BITS);
        assert!(Unasked::Digest.number(huge).is_none());
        assert!(Unasked::MessagesOf(huge).number(PlayerId(1)).is_none());
        assert!(Unasked::of_number(7).is_none());
    }
}
