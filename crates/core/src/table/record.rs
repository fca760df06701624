//! A board as a record, which can be read without this server.

use pbmserv_games::record::Record;

use super::{Board, End, Played};

impl Board {
    /// The record of this board with all its turns; `None` for a board that was removed or declared void.
    #[must_use]
    pub fn record(&self, turns: &[Played]) -> Option<Record> {
        let ending = match self.end {
            Some(End::Removed(_) | End::Void) => return None,
            Some(End::Finished(ending)) => Some(ending),
            None => None,
        };
        let [first, second] = &self.players;
        let mut record = Record::new(self.game, self.options.clone());
        record.board = Some(self.number.to_string());
        record.first = Some(first.userid.clone());
        record.second = Some(second.userid.clone());
        record.date = Some(self.started_at.format("%Y-%m-%d").to_string());
        for (seated, tag) in self.players.iter().zip(["FirstType", "SecondType"]) {
            if seated.id.is_computer() {
                record.others.push((tag.to_owned(), "program".to_owned()));
            }
        }
        record.ending = ending;
        record.turns = turns.iter().map(|turn| turn.text.clone()).collect();
        if let Some(dice) = &self.dice {
            let tag = |name: &str, value| (name.to_owned(), value);
            record.others.push(tag("Commitment", dice.commitment()));
            // Before both have given their words nobody reads one.
            if self.second_has_moved || self.end.is_some() {
                record.others.push(tag("Words", dice.words.join(" ")));
            }
            if self.end.is_some() {
                record.others.push(tag("Seed", dice.seed_text()));
            }
        }
        record.roll = self.roll_after(&record);
        Some(record)
    }

    /// The dice that are due after the turns of a record of this board, or of its first turns.
    pub(crate) fn roll_after(&self, record: &Record) -> Option<[u8; 2]> {
        let dice = self.dice.as_ref()?;
        dice.roll_after(record, &self.name_in_rolls())
    }
}
