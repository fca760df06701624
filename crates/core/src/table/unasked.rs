//! Unsolicited mail. The recipient can unsubscribe from each kind.

use pbmserv_games::{GAMES, Game};

use super::{BoardId, PlayerId};

/// A kind of mail with a `List-Unsubscribe` field.
#[derive(Clone, Copy, Debug)]
pub enum Unasked {
    /// Reminders to move.
    Reminders,
    /// The daily digest.
    Digest,
    /// Messages from the directors to all players.
    Broadcasts,
    /// Messages from this player.
    MessagesOf(PlayerId),
    /// News of a board that the recipient watches.
    Board(BoardId),
    /// News of all boards of a game that the recipient watches.
    Game(&'static Game),
    Gazette,
}

/// The bits for a player's or board's number in the encoded number.
const PLAYER_BITS: u32 = 30;
/// The bits for the kind.
const KIND_BITS: u32 = 3;

impl Unasked {
    /// The number for a token: the recipient and the kind of mail. `None` if a player's or board's number is too large
    /// (more than a thousand million).
    #[must_use]
    pub fn number(self, reader: PlayerId) -> Option<i64> {
        let (kind, other) = match self {
            Self::Reminders => (0, 0),
            Self::Digest => (1, 0),
            Self::Broadcasts => (2, 0),
            Self::MessagesOf(by) => (3, by.0),
            Self::Board(board) => (4, board.0),
            Self::Gazette => (6, 0),
            // The index in the list of games, which only ever grows at its end.
            Self::Game(game) => {
                let is_it = |other: &Game| other.facts.name == game.facts.name;
                (5, i64::try_from(GAMES.iter().position(is_it)?).ok()?)
            }
        };
        let has_room = |number: i64| (0..1 << PLAYER_BITS).contains(&number);
        (has_room(reader.0) && has_room(other))
            .then_some(((other << PLAYER_BITS | reader.0) << KIND_BITS) | kind)
    }

    /// Decodes such a number into the recipient and the kind of mail.
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
            6 => Self::Gazette,
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
                Unasked::Gazette,
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
