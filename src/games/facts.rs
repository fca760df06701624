//! What is fixed about a game, its options included.

use std::fmt;

/// What is fixed about a game: the words that help, lists and letters are printed from.
#[derive(Debug)]
pub struct Facts {
    /// The name in commands and subjects, such as `Pow2`: letters and digits, no blank.
    pub name: &'static str,
    /// Other names that commands may use.
    pub aliases: &'static [&'static str],
    /// The name in prose, such as `The Power of Two`.
    pub title: &'static str,
    /// What the two sides are called, the first seat's first: `["Light", "Dark"]`.
    pub sides: [&'static str; 2],
    /// The letters a side's pieces have on the board, the first seat's first: `["Oo", "Xx"]`.
    pub letters: [&'static str; 2],
    /// The options of a challenge, in the order in which they are printed.
    pub options: &'static [OptionFact],
    /// Who invented it.
    pub designer: &'static str,
    /// One line for lists.
    pub summary: &'static str,
    /// The rules for a player who has never seen the game: US-ASCII, at most 72 columns.
    pub rules: &'static str,
    /// How a turn is written, in one or two sentences.
    pub notation: &'static str,
    /// Turns that are legal, one after the other, from the start without options.
    pub example: &'static [&'static str],
    /// Where the rules come from.
    pub source: &'static str,
    /// The newest revision of the rules; a board keeps the one it began with.
    pub revision: u32,
    /// Whether players may agree on a draw.
    pub knows_draws: bool,
    /// Whether `pass` is a turn.
    pub knows_pass: bool,
    /// No game of random turns lasts longer than this many turns. Where the rules set no end, it is measured,
    /// with so much room that no game will ever be seen to pass it.
    pub longest_random_game: usize,
}

/// The whole numbers that an option takes: `min`, `min + step`, ... up to `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub min: u32,
    /// The greatest.
    pub max: u32,
    /// The distance between two.
    pub step: u32,
    /// The one that holds when the option is not given.
    pub default: u32,
}

impl Range {
    pub(super) const fn contains(self, value: u32) -> bool {
        self.min <= value && value <= self.max && (value - self.min).is_multiple_of(self.step)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            2 if self.min.is_multiple_of(2) => write!(f, "an even number from {} to {}", self.min, self.max),
            _ => write!(f, "a number from {} to {}", self.min, self.max),
        }
    }
}

/// One option of a game.
#[derive(Clone, Copy, Debug)]
pub struct OptionFact {
    /// Its name without the hyphen.
    pub name: &'static str,
    /// The numbers it takes after `=`; `None` for an option that is given or not.
    pub range: Option<Range>,
    /// What it changes, in a few words.
    pub help: &'static str,
}
