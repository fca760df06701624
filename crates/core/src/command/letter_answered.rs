//! A letter about a board that a message answers, and what its writer knew of the board.

use crate::table::{Board, BoardLetter, Played};

/// A letter about a board that a message answers, or a page on which a form was sent.
#[derive(Clone, Debug)]
pub struct LetterAnswered {
    /// Whether it is a page.
    pub is_page: bool,
    pub about: BoardLetter,
    /// Whether it shows turns that were lost when the board was restored from a backup.
    pub is_lost: bool,
    /// The newest event of the board that was looked at.
    pub newest: u32,
    /// The events that the message has made itself: from the first of each to the last.
    made: Vec<(u32, u32)>,
}

impl LetterAnswered {
    /// The letter, before the message has done anything.
    #[must_use]
    pub fn new(about: BoardLetter, board: &Board) -> Self {
        Self {
            is_page: false,
            about,
            is_lost: board.events.is_lost(about.event),
            newest: board.events.newest(),
            made: Vec::new(),
        }
    }

    /// A page that has shown as much as this letter would.
    #[must_use]
    pub fn of_page(about: BoardLetter, board: &Board) -> Self {
        Self {
            is_page: true,
            ..Self::new(about, board)
        }
    }

    /// Notes the newest events of the board, which the message has made: all up to a turn of the other player, which
    /// was queued.
    pub fn note(&mut self, board: &Board, turns: &[Played]) {
        let others = turns
            .iter()
            .find(|turn| turn.event > self.newest && turn.seat != self.about.seat);
        let newest = board.events.newest();
        let last = others.map_or(newest, |turn| turn.event.saturating_sub(1));
        self.made.push((self.newest.saturating_add(1), last));
        self.newest = newest;
    }

    /// Whether the writer of the message knew of this event: from the letter, or by making it.
    #[must_use]
    pub fn knows(&self, event: u32) -> bool {
        let is_made = |(first, last): &(u32, u32)| (*first..=*last).contains(&event);
        let is_shown = !self.is_lost && event <= self.about.event;
        is_shown || self.made.iter().any(is_made)
    }
}
