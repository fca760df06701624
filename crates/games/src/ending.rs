//! How a game ended: by its rules or by its players.

use std::fmt;
use std::str::FromStr;

use super::{Outcome, Seat};

/// What ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// The last turn, by the rules of the game.
    Rules,
    /// A player resigned.
    Resignation,
    /// A player ran out of time.
    Forfeit,
    /// The players agreed on a draw.
    Agreement,
    /// A director decided.
    Adjudication,
}

impl By {
    /// All causes.
    pub const ALL: [Self; 5] = [
        Self::Rules,
        Self::Resignation,
        Self::Forfeit,
        Self::Agreement,
        Self::Adjudication,
    ];

    /// The word in records and in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Resignation => "resignation",
            Self::Forfeit => "forfeit",
            Self::Agreement => "agreement",
            Self::Adjudication => "adjudication",
        }
    }
}

/// How a game ended. Its text is the `Result` of a record: `First wins`, `Draw by agreement`. For an end by the rules
/// the text does not name the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ending {
    /// The winner, or a draw.
    pub outcome: Outcome,
    /// The cause.
    pub by: By,
}

impl Ending {
    /// An end by the rules of the game.
    #[must_use]
    pub const fn by_rules(outcome: Outcome) -> Self {
        Self {
            outcome,
            by: By::Rules,
        }
    }
}

const OUTCOMES: [(Outcome, &str); 3] = [
    (Outcome::Won(Seat::First), "First wins"),
    (Outcome::Won(Seat::Second), "Second wins"),
    (Outcome::Drawn, "Draw"),
];

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let said = OUTCOMES.iter().find(|(outcome, _)| *outcome == self.outcome);
        f.write_str(said.map_or("Draw", |(_, words)| words))?;
        match self.by {
            By::Rules => Ok(()),
            by => write!(f, " by {}", by.word()),
        }
    }
}

/// The text is not an [`Ending`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "A result is *, First wins, Second wins or Draw, followed by nothing or by \
     \"by resignation\", \"by forfeit\", \"by agreement\" or \"by adjudication\"."
)]
pub struct NoEnding;

impl FromStr for Ending {
    type Err = NoEnding;

    /// Reads what [`Display`](fmt::Display) prints, ignoring case and the number of blanks between words.
    fn from_str(text: &str) -> Result<Self, NoEnding> {
        let words: Vec<_> = text.split_ascii_whitespace().take(6).collect();
        let said = words.join(" ");
        let endings = OUTCOMES.iter().flat_map(|(outcome, _)| {
            By::ALL.map(|by| Self {
                outcome: *outcome,
                by,
            })
        });
        let mut endings = endings.filter(|ending| ending.to_string().eq_ignore_ascii_case(&said));
        endings.next().ok_or(NoEnding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_is_read_back_from_its_text() {
        for outcome in [
            Outcome::Won(Seat::First),
            Outcome::Won(Seat::Second),
            Outcome::Drawn,
        ] {
            for by in By::ALL {
                let ending = Ending { outcome, by };
                assert_eq!(ending.to_string().parse(), Ok(ending));
            }
        }
    }

    #[test]
    fn results_are_written_as_in_the_rules_of_records() {
        let ending = |text: &str| text.parse::<Ending>();
        let won = |seat, by| {
            let outcome = Outcome::Won(seat);
            Ok(Ending { outcome, by })
        };
        assert_eq!(ending("First wins"), won(Seat::First, By::Rules));
        assert_eq!(ending("second  wins by Forfeit"), won(Seat::Second, By::Forfeit));
        for wrong in [
            "",
            "*",
            "First",
            "First wins by rules",
            "First wins by luck",
            "1-0",
            "Draw by agreement now",
        ] {
            assert_eq!(ending(wrong), Err(NoEnding), "{wrong}");
        }
    }
}
