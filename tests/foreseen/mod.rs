//! The expected contents of the database about boards and ratings, computed with the rules of the games from the
//! players' actions. The checker of `tests/proof/` and the laws of `tests/soak/` share it; each adds what only it
//! knows of a board.

pub(crate) mod ratings;

use std::fmt;

use pbmserv_games::{Game, Match, Options, Outcome, Refusal, Seat};

/// How a board ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The winner, if any, and the word for how.
    Finished(Option<Seat>, &'static str),
    /// By this seat, or since it did not move.
    Removed(Seat),
    Void,
}

impl End {
    /// The columns `result` and `result_by`.
    fn words(self) -> (String, String) {
        let (result, by) = match self {
            Self::Finished(Some(Seat::First), by) => ("first", by),
            Self::Finished(Some(Seat::Second), by) => ("second", by),
            Self::Finished(None, by) => ("draw", by),
            Self::Removed(Seat::First) => ("removed", "first"),
            Self::Removed(Seat::Second) => ("removed", "second"),
            Self::Void => ("void", "adjudication"),
        };
        (result.to_owned(), by.to_owned())
    }

    /// The game's result for the ratings.
    pub(crate) fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Finished(winner, _) => Some(winner.map_or(Outcome::Drawn, Outcome::Won)),
            Self::Removed(_) | Self::Void => None,
        }
    }
}

/// The turns of a board, the resulting position, and the end.
pub(crate) struct Progress {
    game: &'static Game,
    options: Options,
    pub(crate) position: Box<dyn Match>,
    pub(crate) turns: Vec<(Seat, String)>,
    pub(crate) end: Option<End>,
}

impl Progress {
    pub(crate) fn begin(game: &'static Game, options: Options) -> Self {
        Self {
            game,
            position: game.start(&options).unwrap(),
            options,
            turns: Vec::new(),
            end: None,
        }
    }

    pub(crate) fn to_move(&self) -> Option<Seat> {
        match self.end {
            Some(_) => None,
            None => self.position.to_move(),
        }
    }

    pub(crate) fn has_moved(&self, seat: Seat) -> bool {
        self.turns.iter().any(|(by, _)| *by == seat)
    }

    /// Plays the turns in a text; returns their number.
    pub(crate) fn play(&mut self, text: &str) -> Result<usize, Refusal> {
        let seat = self.position.to_move();
        let played = self.position.play_all(text)?;
        let count = played.len();
        let seat = seat.unwrap();
        self.turns.extend(played.into_iter().map(|turn| (seat, turn)));
        Ok(count)
    }

    /// The end by the rules, if the position is final.
    pub(crate) fn end_by_rules(&self) -> Option<End> {
        self.position.outcome().map(|outcome| match outcome {
            Outcome::Won(seat) => End::Finished(Some(seat), "rules"),
            Outcome::Drawn => End::Finished(None, "rules"),
        })
    }

    /// Takes the last turn back.
    pub(crate) fn take_back(&mut self) {
        self.turns.pop();
        self.position = self.game.start(&self.options).unwrap();
        for (_, turn) in &self.turns {
            self.position.play(turn).unwrap();
        }
    }

    /// The rows of `turns`.
    pub(crate) fn rows(&self) -> Vec<TurnRow> {
        let rows = (1..).zip(&self.turns);
        rows.map(|(ordinal, (seat, turn))| (ordinal, number(*seat), turn.clone()))
            .collect()
    }

    /// The row of `boards`.
    pub(crate) fn stand(&self) -> Stand {
        Stand {
            turns: i64::try_from(self.turns.len()).unwrap(),
            to_move: self.to_move().map(number),
            end: self.end.map(End::words),
        }
    }
}

/// The columns `ordinal`, `seat` and `turn` of a turn.
pub(crate) type TurnRow = (i64, i64, String);

/// A seat as the database stores it.
pub(crate) fn number(seat: Seat) -> i64 {
    i64::try_from(seat.index()).unwrap()
}

/// The columns of a board that follow from its turns and its end: `turns`, `to_move`, `result` and `result_by`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stand {
    pub(crate) turns: i64,
    pub(crate) to_move: Option<i64>,
    pub(crate) end: Option<(String, String)>,
}

impl fmt::Display for Stand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let to_move = self.to_move.map_or("-".to_owned(), |seat| seat.to_string());
        let (result, by) = match &self.end {
            Some((result, by)) => (result.as_str(), by.as_str()),
            None => ("-", "-"),
        };
        write!(f, "{} {to_move} {result} {by}", self.turns)
    }
}
