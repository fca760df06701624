//! Replaying a record: its final position as a [`Match`] and as a line of JSON.

use serde::{Serialize, Serializer};

use super::{Error, Record, shown};
use crate::kit::picture::Picture;
use crate::{BoardPicture, By, Ending, Game, Match, Options, Outcome, Seat};

/// A record after replay.
pub struct Replayed {
    /// The game of the record.
    pub game: &'static Game,
    /// The options of the record.
    pub options: Options,
    /// The final position.
    pub position: Box<dyn Match>,
    /// The position before the last turns of one player: one turn, or several where a player may move again.
    before: Box<dyn Match>,
    /// The number of turns before those.
    turns_before: usize,
    /// The turns in their canonical text.
    pub turns: Vec<String>,
    /// How the game ended, if it did.
    pub ending: Option<Ending>,
}

impl Record {
    /// Plays all turns.
    ///
    /// # Errors
    /// Options that contradict each other, a refused turn, or a result that the final position contradicts.
    pub fn replay(&self) -> Result<Replayed, Error> {
        let mut position = self.game.start(&self.options).map_err(Error::Start)?;
        let mut turns = Vec::with_capacity(self.turns.len());
        let (mut before, mut turns_before, mut mover) = (position.fork(), 0, None);
        for (at, text) in self.turns.iter().enumerate() {
            position.roll_as_written(text);
            if position.to_move() != mover {
                mover = position.to_move();
                (before, turns_before) = (position.fork(), at);
            }
            let turn = position.play(text).map_err(|refusal| Error::Turn {
                number: at + 1,
                line: self.lines.0.get(at).copied(),
                text: shown(text),
                refusal: Box::new(refusal),
            })?;
            turns.push(turn);
        }
        if let Some(dice) = self.roll {
            position.roll(dice);
        }
        let reached = position.outcome().map(Ending::by_rules);
        let ending = match (self.ending, reached) {
            (None, reached) => reached,
            (Some(result), Some(reached)) if result == reached => Some(result),
            (Some(result), None) if result != Ending::by_rules(result.outcome) => Some(result),
            (Some(result), reached) => {
                let truth = match reached {
                    Some(reached) => format!("the turns end with \"{reached}\""),
                    None => "the game is not over after the last turn".to_owned(),
                };
                return Err(Error::Result { result, truth });
            }
        };
        Ok(Replayed {
            game: self.game,
            options: self.options.clone(),
            position,
            before,
            turns_before,
            turns,
            ending,
        })
    }
}

impl Replayed {
    /// The last turns of one player, one or several where a player may move again, and the position before them.
    #[must_use]
    pub fn last(&self) -> (&dyn Match, &[String]) {
        let last = self.turns.get(self.turns_before..).unwrap_or_default();
        (self.before.as_ref(), last)
    }

    /// The player to move; `None` when the game is over for any reason.
    #[must_use]
    pub fn to_move(&self) -> Option<Seat> {
        self.position.to_move().filter(|_| self.ending.is_none())
    }

    /// The name of a side.
    #[must_use]
    pub const fn side(&self, seat: Seat) -> &'static str {
        self.game.facts.sides[seat.index()]
    }

    /// The state of the game: `After 57 turns it is Light's turn.`
    #[must_use]
    pub fn sentence(&self) -> String {
        let after = match self.turns.len() {
            0 => "Before the first turn".to_owned(),
            1 => "After 1 turn".to_owned(),
            turns => format!("After {turns} turns"),
        };
        let by = |by: By| match by {
            By::Rules => String::new(),
            by => format!(" by {}", by.word()),
        };
        match (self.ending, self.to_move()) {
            (Some(ending), _) => match ending.outcome {
                Outcome::Won(seat) => format!("{after} {} has won{}.", self.side(seat), by(ending.by)),
                Outcome::Drawn => format!("{after} the game is drawn{}.", by(ending.by)),
            },
            (None, Some(seat)) => format!("{after} it is {}'s turn.", self.side(seat)),
            (None, None) => format!("{after} the game is over."),
        }
    }

    /// The final position as a picture, with the last turn marked.
    #[must_use]
    pub fn picture(&self) -> Picture {
        let options = self.options.to_string();
        let blank = if options.is_empty() { "" } else { " " };
        let scene = BoardPicture {
            title: &format!("{}{blank}{options}", self.game.facts.title),
            sentence: &self.sentence(),
            now: self.position.as_ref(),
            before: self.before.as_ref(),
            last: self.turns.get(self.turns_before..).unwrap_or_default(),
            ending: self.ending,
        };
        scene.picture()
    }
}

/// The final position as one line of JSON, without a line feed:
///
/// `{"game":"Pow2","options":["-exact"],"rules":1,"turns":57,"to_move":"Light","outcome":null,
/// "cells":{"a1":"X"},"info":{"remaining":{"Light":9,"Dark":11}}}`
///
/// `outcome` is null or `{"winner":"Dark","by":"rules"}`; the winner of a draw is null.
#[must_use]
pub fn json(replayed: &Replayed) -> String {
    let position = Position {
        game: replayed.game.facts.name,
        options: replayed.options.words(),
        rules: replayed.options.revision(),
        turns: replayed.turns.len(),
        to_move: replayed.to_move().map(|seat| replayed.side(seat)),
        outcome: replayed.ending.map(|ending| End {
            winner: match ending.outcome {
                Outcome::Won(seat) => Some(replayed.side(seat)),
                Outcome::Drawn => None,
            },
            by: ending.by.word(),
        }),
        cells: InOrder(replayed.position.cells()),
        info: InOrder(
            (replayed.position.info().into_iter())
                .map(|(count, sides)| (count, InOrder(sides)))
                .collect(),
        ),
    };
    // Strings and numbers under string keys: serialisation cannot fail.
    serde_json::to_string(&position).unwrap_or_default()
}

#[derive(Serialize)]
struct Position {
    game: &'static str,
    options: Vec<String>,
    rules: u32,
    turns: usize,
    to_move: Option<&'static str>,
    outcome: Option<End>,
    cells: InOrder<String, char>,
    info: InOrder<&'static str, InOrder<&'static str, u32>>,
}

#[derive(Serialize)]
struct End {
    winner: Option<&'static str>,
    by: &'static str,
}

/// A JSON object that keeps the order of its members.
struct InOrder<K, V>(Vec<(K, V)>);

impl<K: Serialize, V: Serialize> Serialize for InOrder<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}
