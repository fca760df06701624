//! A board as a record: what outlives the server.

use crate::games::record::Record;

use super::{Board, End, Played};

impl Board {
    /// The record of this board with these turns, all that were played on it; `None` for a board that was
    /// removed or is void, which was no game.
    #[must_use]
    pub fn record(&self, turns: &[Played]) -> Option<Record> {
        let ending = match self.end {
            Some(End::Removed | End::Void) => return None,
            Some(End::Finished(ending)) => Some(ending),
            None => None,
        };
        let [first, second] = &self.players;
        let mut record = Record::new(self.game, self.options.clone());
        record.board = Some(self.number.to_string());
        record.first = Some(first.userid.clone());
        record.second = Some(second.userid.clone());
        record.date = Some(self.started_at.format("%Y-%m-%d").to_string());
        record.ending = ending;
        record.turns = turns.iter().map(|turn| turn.text.clone()).collect();
        Some(record)
    }
}
