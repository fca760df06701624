//! The terms of a board, and the options by which players write them.

use std::fmt;
use std::str::FromStr;

/// The most days in a term: ten years.
const MAX_DAYS: u32 = 3650;

/// The most turns in [`Refill::Every`].
const MAX_TURNS: u32 = 1000;

/// The agreed terms, apart from the options of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Whether the result counts for the ratings.
    pub rated: bool,
    /// The player to move is reminded after this many days.
    pub nag_days: u32,
    /// The player to move forfeits after this many days.
    pub forfeit_days: u32,
    /// The limit of a player's thinking time, in days: in the whole game, or as long as `refill` says.
    pub total_days: Option<u32>,
    /// How the time within `total_days` comes back.
    pub refill: Refill,
}

/// How a player gets thinking time back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Refill {
    /// Not at all.
    #[default]
    Never,
    /// Each turn that is played gives back some days; there are never more than at the beginning (Fischer's clock). An empty
    /// bank has no debts.
    EachTurn {
        /// From one to all days of the bank.
        days: u32,
    },
    /// After a number of turns of the player all days are there again. What was left is not added.
    Every {
        /// At least one.
        turns: u32,
    },
}

/// Why options are no terms. It prints as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTerms {
    /// There is no such option.
    #[error("There is no option --{0}.")]
    Unknown(String),
    /// The value is no number of days.
    #[error("--{0} takes a number of days from 1 to {MAX_DAYS}.")]
    NoDays(String),
    /// The value of `--days` has neither form. A number alone may have been meant for one turn.
    #[error("--days takes a bank and what each turn adds, such as 14+1, or turns and days, such as 10/30.")]
    NoBank(Option<u32>),
    /// A number in the value of `--days` is too small or too large.
    #[error(
        "--days takes from 1 to {MAX_DAYS} days and from 1 to {MAX_TURNS} turns, and a turn adds at most as many days as the bank \
         has."
    )]
    NoSize,
    /// `--days` and a limit that it replaces are both given.
    #[error("--days is the whole clock: leave out --forfeittime and --totaltime, or leave out --days.")]
    TwoClocks,
}

impl NoTerms {
    /// What may have been meant.
    #[must_use]
    pub fn near(&self) -> Vec<String> {
        match self {
            Self::Unknown(_) | Self::TwoClocks => Vec::new(),
            Self::NoDays(name) => vec![format!("--{name}=14")],
            Self::NoBank(Some(days)) => vec![format!("--forfeittime={days}"), format!("--days={days}+1")],
            Self::NoBank(None) | Self::NoSize => vec!["--days=14+1".to_owned(), "--days=10/30".to_owned()],
        }
    }
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            rated: true,
            nag_days: 7,
            forfeit_days: 21,
            total_days: None,
            refill: Refill::Never,
        }
    }
}

impl Terms {
    /// Reads options: `--unrated`, `--nagtime=5`, `--days=14+1`. Of an option that is written twice the last counts.
    ///
    /// # Errors
    ///
    /// The number of the word that does not fit, counted from 0, and why.
    pub fn read<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, (usize, NoTerms)> {
        let mut terms = Self::default();
        let mut limits = [false; 2];
        for (at, word) in words.into_iter().enumerate() {
            let word = word.trim_start_matches('-').to_ascii_lowercase();
            let limit = terms.set(&word).map_err(|why| (at, why))?;
            if let Some(limit) = limit {
                limits[usize::from(limit == Given::Bank)] = true;
            }
            if limits == [true; 2] {
                return Err((at, NoTerms::TwoClocks));
            }
        }
        Ok(terms)
    }

    /// Sets what one option says, and returns which kind of limit it is.
    fn set(&mut self, word: &str) -> Result<Option<Given>, NoTerms> {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        let days = || {
            let days = value.and_then(|value| value.parse().ok());
            days.filter(|days| (1..=MAX_DAYS).contains(days))
                .ok_or_else(|| NoTerms::NoDays(name.to_owned()))
        };
        match name {
            "unrated" => self.rated = false,
            "nagtime" => self.nag_days = days()?,
            "forfeittime" => {
                self.forfeit_days = days()?;
                return Ok(Some(Given::Limit));
            }
            "totaltime" => {
                self.total_days = Some(days()?);
                return Ok(Some(Given::Limit));
            }
            "days" => {
                let (days, refill) = bank(value.unwrap_or_default())?;
                // One turn may take all of it.
                self.forfeit_days = days;
                self.total_days = Some(days);
                self.refill = refill;
                return Ok(Some(Given::Bank));
            }
            _ => return Err(NoTerms::Unknown(name.to_owned())),
        }
        Ok(None)
    }

    /// The options that differ from the usual ones, as [`read`](Self::read) reads them.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        let usual = Self::default();
        let mut words = Vec::new();
        words.extend((!self.rated).then(|| "--unrated".to_owned()));
        words.extend((self.nag_days != usual.nag_days).then(|| format!("--nagtime={}", self.nag_days)));
        match (self.refill, self.total_days) {
            (Refill::Every { turns }, Some(days)) => words.push(format!("--days={turns}/{days}")),
            (Refill::EachTurn { days: added }, Some(days)) => words.push(format!("--days={days}+{added}")),
            (_, total_days) => {
                let days = self.forfeit_days;
                words.extend((days != usual.forfeit_days).then(|| format!("--forfeittime={days}")));
                words.extend(total_days.map(|days| format!("--totaltime={days}")));
            }
        }
        words
    }
}

/// Which kind of limit an option sets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    /// Of one turn or of all.
    Limit,
    /// Both, and how time comes back.
    Bank,
}

/// The days of `14+1` and of `10/30`, and how they come back.
fn bank(text: &str) -> Result<(u32, Refill), NoTerms> {
    let number = |text: &str| -> Result<u32, NoTerms> {
        match text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            true => Err(NoTerms::NoBank(None)),
            false => text.parse().map_err(|_| NoTerms::NoSize),
        }
    };
    let (days, refill) = if let Some((days, added)) = text.split_once('+') {
        (number(days)?, Refill::EachTurn { days: number(added)? })
    } else if let Some((turns, days)) = text.split_once('/') {
        (
            number(days)?,
            Refill::Every {
                turns: number(turns)?,
            },
        )
    } else {
        let alone = number(text).ok();
        return Err(NoTerms::NoBank(
            alone.filter(|days| (1..=MAX_DAYS).contains(days)),
        ));
    };
    let fits = (1..=MAX_DAYS).contains(&days)
        && match refill {
            Refill::Never => true,
            Refill::EachTurn { days: added } => (1..=days).contains(&added),
            Refill::Every { turns } => (1..=MAX_TURNS).contains(&turns),
        };
    if fits {
        Ok((days, refill))
    } else {
        Err(NoTerms::NoSize)
    }
}

/// As it is stored: nothing, `+1`, `/10`.
impl fmt::Display for Refill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => Ok(()),
            Self::EachTurn { days } => write!(f, "+{days}"),
            Self::Every { turns } => write!(f, "/{turns}"),
        }
    }
}

impl FromStr for Refill {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text.strip_prefix('/') {
            Some(turns) => Self::Every {
                turns: turns.parse()?,
            },
            None if text.is_empty() => Self::Never,
            None => Self::EachTurn { days: text.parse()? },
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Result<Terms, (usize, NoTerms)> {
        Terms::read(text.split_whitespace())
    }

    #[test]
    fn a_bank_is_the_limit_of_one_turn_too() {
        let terms = read("--unrated --days=14+1 --nagtime=3").unwrap();
        let expected = Terms {
            rated: false,
            nag_days: 3,
            forfeit_days: 14,
            total_days: Some(14),
            refill: Refill::EachTurn { days: 1 },
        };
        assert_eq!(terms, expected);
        let terms = read("--DAYS=10/30").unwrap();
        assert_eq!((terms.forfeit_days, terms.total_days), (30, Some(30)));
        assert_eq!(terms.refill, Refill::Every { turns: 10 });
    }

    #[test]
    fn what_is_no_clock_is_refused_with_the_word_that_is_wrong() {
        for (text, at, why, near) in [
            (
                "--nagtime=3 --nagtime=soon",
                1,
                NoTerms::NoDays("nagtime".into()),
                "--nagtime=14",
            ),
            (
                "--forfeittime",
                0,
                NoTerms::NoDays("forfeittime".into()),
                "--forfeittime=14",
            ),
            (
                "--totaltime=3651",
                0,
                NoTerms::NoDays("totaltime".into()),
                "--totaltime=14",
            ),
            (
                "--days=9",
                0,
                NoTerms::NoBank(Some(9)),
                "--forfeittime=9 --days=9+1",
            ),
            ("--days=14+", 0, NoTerms::NoBank(None), "--days=14+1 --days=10/30"),
            (
                "--days=+14+1",
                0,
                NoTerms::NoBank(None),
                "--days=14+1 --days=10/30",
            ),
            ("--days", 0, NoTerms::NoBank(None), "--days=14+1 --days=10/30"),
            ("--days=14+15", 0, NoTerms::NoSize, "--days=14+1 --days=10/30"),
            ("--days=14+0", 0, NoTerms::NoSize, "--days=14+1 --days=10/30"),
            ("--days=1001/30", 0, NoTerms::NoSize, "--days=14+1 --days=10/30"),
            (
                "--days=99999999999/30",
                0,
                NoTerms::NoSize,
                "--days=14+1 --days=10/30",
            ),
            ("--days=14+1 --totaltime=90", 1, NoTerms::TwoClocks, ""),
            ("--forfeittime=9 --unrated --days=14+1", 2, NoTerms::TwoClocks, ""),
            ("--speed=9", 0, NoTerms::Unknown("speed".into()), ""),
        ] {
            assert_eq!(read(text), Err((at, why.clone())), "{text}");
            assert_eq!(why.near().join(" "), near);
        }
    }

    #[test]
    fn a_stored_refill_is_read_as_it_was() {
        for refill in [
            Refill::Never,
            Refill::EachTurn { days: 7 },
            Refill::Every { turns: 10 },
        ] {
            assert_eq!(refill.to_string().parse(), Ok(refill));
        }
        assert!("+".parse::<Refill>().is_err() && "é1".parse::<Refill>().is_err());
    }

    proptest! {
        #[test]
        fn terms_are_read_as_they_are_printed(
            rated in any::<bool>(), nag in 1..=MAX_DAYS, turn in 1..=MAX_DAYS, total in prop::option::of(1..=MAX_DAYS),
            bank in prop::option::of((1..=MAX_DAYS, 1..=MAX_DAYS, any::<bool>())),
        ) {
            let mut terms = Terms { rated, nag_days: nag, forfeit_days: turn, total_days: total, refill: Refill::Never };
            if let Some((days, other, is_period)) = bank {
                terms.forfeit_days = days;
                terms.total_days = Some(days);
                terms.refill = match is_period {
                    true => Refill::Every { turns: other.min(MAX_TURNS) },
                    false => Refill::EachTurn { days: other.min(days) },
                };
            }
            let words = terms.words();
            prop_assert_eq!(Terms::read(words.iter().map(String::as_str)), Ok(terms));
        }

        #[test]
        fn no_words_panic(words in prop::collection::vec("(--)?(days|nagtime|é)?=?[0-9+/é-]{0,12}", 0..5)) {
            let _ = Terms::read(words.iter().map(String::as_str));
        }
    }
}
