//! How strong a player is.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

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
    /// How many positions it looks at.
    pub(super) nodes: u64,
    /// The most turns ahead.
    pub(super) depth: u32,
    /// The most turns of a position that it looks at.
    pub(super) breadth: usize,
    /// The greatest difference between what a position is worth and what it is taken for.
    pub(super) noise: i32,
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

    pub(super) const fn means(self) -> Means {
        match self {
            Self::Easy => Means {
                nodes: 2_000,
                depth: 1,
                breadth: 1000,
                noise: 20,
            },
            Self::Medium => Means {
                nodes: 20_000,
                depth: 2,
                breadth: 30,
                noise: 5,
            },
            Self::Hard => Means {
                nodes: 200_000,
                depth: 20,
                breadth: 40,
                noise: 1,
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
