//! Writes PGN and PDN, and the position at the start.

use std::fmt::Write as _;

use super::super::Record;
use super::{TERMINATIONS, white};
use crate::tagged::Tagged;
use crate::{Match, Outcome, Seat};

/// Lines are wrapped at this column.
pub(super) const COLUMNS: usize = 78;

impl Record {
    /// The record in PGN or PDN; `None` if the game is written in neither, or its turns cannot be played. The signs of check and mate
    /// are left out, which readers do not need.
    #[must_use]
    pub fn tagged(&self) -> Option<String> {
        let tagged = self.game.tagged?;
        let replayed = self.replay().ok()?;
        let white = white(self.game);
        let result = match replayed.ending.map(|ending| ending.outcome) {
            None => "*",
            Some(Outcome::Drawn) => "1/2-1/2",
            Some(Outcome::Won(winner)) if winner == white => "1-0",
            Some(Outcome::Won(_)) => "0-1",
        };
        let unknown = || "?".to_owned();
        let [first, second] = [&self.first, &self.second].map(|name| name.clone().unwrap_or_else(unknown));
        let [white_name, black_name] = match white {
            Seat::First => [first, second],
            Seat::Second => [second, first],
        };
        let event = self
            .board
            .as_ref()
            .map(|board| format!("{} Board {board}", self.game.facts.name));
        let date = self.date.as_ref().map(|date| date.replace('-', "."));
        let mut tags = vec![
            ("Event", event.unwrap_or_else(unknown)),
            ("Site", unknown()),
            ("Date", date.unwrap_or_else(|| "????.??.??".to_owned())),
            ("Round", "-".to_owned()),
            ("White", white_name),
            ("Black", black_name),
            ("Result", result.to_owned()),
        ];
        let by = replayed.ending.map(|ending| ending.by);
        let termination = TERMINATIONS.iter().find(|(_, cause)| by == Some(*cause));
        tags.extend(termination.map(|(words, _)| ("Termination", (*words).to_owned())));
        match tagged {
            Tagged::Pdn(kind) => tags.push(("GameType", kind.to_owned())),
            Tagged::Pgn(variant) => {
                let start = self.start();
                let variant = variant.or(start.map(|_| "Chess960"));
                tags.extend(variant.map(|variant| ("Variant", variant.to_owned())));
                if start.is_some() {
                    let position = self.game.start(&self.options).ok()?;
                    tags.extend([("SetUp", "1".to_owned()), ("FEN", fen(position.as_ref()))]);
                }
            }
        }
        let mut text = String::new();
        for (name, value) in tags {
            let value: String = value.chars().filter(|c| !c.is_control()).collect();
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "[{name} \"{value}\"]");
        }
        text.push('\n');
        let mut words = Vec::new();
        for (at, turn) in replayed.turns.iter().enumerate() {
            let said = self.comments.0.iter().filter(|(number, _)| *number == at + 1);
            let said: Vec<_> = said.map(|(_, comment)| comment.replace(['{', '}'], "")).collect();
            let number = if at % 2 == 0 {
                format!("{}. ", at / 2 + 1)
            } else {
                String::new()
            };
            words.push(format!("{number}{turn}"));
            if !said.is_empty() {
                words.extend(format!("{{{}}}", said.join(" ")).split(' ').map(str::to_owned));
            }
        }
        words.push(result.to_owned());
        let mut column = 0;
        for word in words {
            let blank = usize::from(column > 0);
            if column + blank + word.len() > COLUMNS {
                text.push('\n');
                column = 0;
            } else if blank > 0 {
                text.push(' ');
                column += 1;
            }
            text.push_str(&word);
            column += word.len();
        }
        text.push('\n');
        Some(text)
    }

    /// The number of a start of Chess960 that is not the usual one.
    fn start(&self) -> Option<u32> {
        let facts = self.game.facts;
        let option = facts.options.iter().find(|option| option.name == "960")?;
        let number = self.options.number(facts, "960");
        (Some(number) != option.range.map(|range| range.default)).then_some(number)
    }
}

/// The position at the start, in Forsyth-Edwards notation: with all rights to castle.
pub(super) fn fen(position: &dyn Match) -> String {
    let cells = position.cells();
    let rows = (1..=8).rev().map(|row| {
        let mut text = String::new();
        let mut empty = 0;
        for column in 'a'..='h' {
            let name = format!("{column}{row}");
            match cells.iter().find(|(cell, _)| *cell == name) {
                Some((_, letter)) => {
                    if empty > 0 {
                        let _ = write!(text, "{empty}");
                    }
                    empty = 0;
                    text.push(*letter);
                }
                None => empty += 1,
            }
        }
        if empty > 0 {
            let _ = write!(text, "{empty}");
        }
        text
    });
    let rows: Vec<_> = rows.collect();
    format!("{} w KQkq - 0 1", rows.join("/"))
}
