//! The numbered events of a board, which tell an answer to its newest letter from one to an older letter.
//!
//! An answer to an older letter is not carried out if what its command refers to (`About`) has changed since; the refusal says
//! what has happened, and shows the board with a token of now. Of several letters for one seat the oldest counts.

use pbmserv_games::Seat;

use super::BoardId;

/// The events since which the things stand that a player can answer. Each turn, each turn that is taken back, each offer
/// and each submitted turn is an event; they are numbered on each board from 1, which is its beginning. No number comes
/// twice, also when a turn is taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Events {
    /// The last turn, or that it was taken back.
    pub position: u32,
    /// The newest offer; 0 if there was none.
    pub offer: u32,
    /// The newest submitted turn; 0 if there was none.
    pub submitted: u32,
    /// That the board was restored from a backup, so that events after the newest one were lost; 0 if it was not.
    pub restored: u32,
}

impl Events {
    /// Those of a new board.
    pub const START: Self = Self {
        position: 1,
        offer: 0,
        submitted: 0,
        restored: 0,
    };

    /// How many numbers are skipped when a board is restored: more than the events that can be lost.
    pub const SKIPPED: u32 = 10_000;

    /// The number of the newest event.
    #[must_use]
    pub fn newest(self) -> u32 {
        self.position
            .max(self.offer)
            .max(self.submitted)
            .max(self.restored)
    }

    /// The number of the next event.
    #[must_use]
    pub fn next(self) -> u32 {
        self.newest().saturating_add(1)
    }

    /// Whether a letter with this number shows what was lost when the board was restored.
    #[must_use]
    pub fn is_lost(self, event: u32) -> bool {
        event < self.restored && event > self.restored.saturating_sub(Self::SKIPPED)
    }
}

/// A letter about a board to the player in one of its seats. Its number stands in the reply token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardLetter {
    pub board: BoardId,
    /// The reader's seat.
    pub seat: Seat,
    /// The newest event when it was written.
    pub event: u32,
}

/// The bits of board and seat in the number of a letter; the event has those above.
const SEAT_BITS: u32 = 36;

/// The highest event in the number of a letter, which is positive.
const LAST_EVENT: u32 = (1 << (63 - SEAT_BITS)) - 1;

impl BoardLetter {
    /// Its number.
    #[must_use]
    pub fn number(self) -> i64 {
        (i64::from(self.event.min(LAST_EVENT)) << SEAT_BITS) | self.seat_number()
    }

    /// The letter with this number.
    #[must_use]
    pub fn of_number(number: i64) -> Self {
        let seat_number = number & ((1 << SEAT_BITS) - 1);
        Self {
            board: BoardId(seat_number / 2),
            seat: match seat_number % 2 {
                0 => Seat::First,
                _ => Seat::Second,
            },
            event: u32::try_from(number >> SEAT_BITS).unwrap_or_default(),
        }
    }

    /// The number of its seat, whenever it was written.
    #[must_use]
    pub const fn seat_number(self) -> i64 {
        self.board.0 * 2 + self.seat.index() as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_has_a_number_of_its_own() {
        let mut numbers = Vec::new();
        for board in [1, 2, 3, 1_000_001, (1 << 34) + 5].map(BoardId) {
            for seat in Seat::BOTH {
                for event in [0, 1, 2, 70_000, LAST_EVENT] {
                    let letter = BoardLetter { board, seat, event };
                    assert!(letter.number() > 0);
                    assert_eq!(BoardLetter::of_number(letter.number()), letter);
                    numbers.push(letter.number());
                }
            }
        }
        let all = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all);
    }

    #[test]
    fn only_a_letter_between_the_backup_and_the_restored_board_is_lost() {
        let events = Events {
            position: 7,
            offer: 5,
            ..Events::START
        };
        assert!((1..20).all(|event| !events.is_lost(event)));
        let restored = Events {
            restored: events.newest() + Events::SKIPPED,
            ..events
        };
        assert!(!restored.is_lost(7) && !restored.is_lost(restored.newest()));
        assert!(restored.is_lost(8) && restored.is_lost(restored.newest() - 1));
        assert!(!restored.is_lost(restored.next()));
    }

    #[test]
    fn without_an_event_it_has_the_number_of_its_seat() {
        for number in [2, 3, 4, 2_000_003] {
            let letter = BoardLetter::of_number(number);
            assert_eq!((letter.event, letter.seat_number()), (0, number));
        }
    }
}
