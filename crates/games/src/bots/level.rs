//! How strong a player is.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::Mistakes;

/// The strength of a player that is a computer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// For a first game: overlooks what a beginner overlooks.
    Easy,
    /// Thinks a little.
    Medium,
    /// As strong as a few seconds allow.
    Hard,
}

/// What a search may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means {
    /// How long it takes to judge all positions that it looks at, in tenths of a microsecond.
    pub(super) effort: u64,
    /// The most turns ahead.
    pub(super) depth: u32,
    /// The most turns of a position that it looks at, after it has looked at all as far as a third of the effort allows.
    pub(super) breadth: usize,
    /// Whether it goes best first in the games that are played better so; it then looks as far ahead as the effort goes, at
    /// all turns.
    pub(super) best_first: bool,
    /// How much more effort it may take to prove a win, in hundredths.
    pub(super) proof: u64,
    /// The greatest difference between what a turn is worth and what it is taken for.
    pub(super) noise: i32,
    /// How many turns of a hundred it does not see at all.
    pub(super) overlooked: u64,
}

impl Means {
    /// What the best player has, without its mistakes.
    pub(super) const fn of_advice() -> Self {
        Self {
            noise: 0,
            ..Level::Hard.means(Mistakes::USUAL)
        }
    }
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Medium, Self::Hard];

    /// The name: `easy`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }

    pub(super) const fn means(self, mistakes: Mistakes) -> Means {
        match self {
            Self::Easy => Means {
                effort: 10_000,
                depth: 1,
                breadth: usize::MAX,
                best_first: false,
                proof: 0,
                noise: mistakes.easy.noise,
                overlooked: mistakes.easy.overlooked,
            },
            Self::Medium => Means {
                effort: 1_000_000,
                // With two, Forms ends on the opponent's turn, and what was captured then says little.
                depth: 3,
                breadth: 30,
                best_first: false,
                proof: 0,
                noise: mistakes.medium.noise,
                overlooked: mistakes.medium.overlooked,
            },
            Self::Hard => Means {
                effort: 9_000_000,
                depth: 20,
                breadth: 30,
                best_first: true,
                proof: 30,
                noise: 2,
                overlooked: 0,
            },
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that is no level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("A level is easy, medium or hard.")]
pub struct NoLevel;

impl FromStr for Level {
    type Err = NoLevel;

    fn from_str(word: &str) -> Result<Self, NoLevel> {
        let same = |level: &Self| level.name().eq_ignore_ascii_case(word);
        Self::ALL.into_iter().find(same).ok_or(NoLevel)
    }
}
