//! Records: a game as a text that people can read and every later version can replay.
//!
//! Tags as in PGN (<https://www.chessclub.com/help/PGN-spec>, 8.1), then the turns in the order played, separated by
//! white space. Numbers `N.` are printed for readers and ignored; `;` begins a comment up to the end of the line, `{ }`
//! encloses one. Games that have a custom in SGF, PGN, PDN or .mat are read from it and written in it
//! too.

mod mat;
mod read;
mod replay;
mod sgf;
mod tagged;

use std::fmt;

use thiserror::Error;

use super::{Ending, Game, Options, Pictured, Refusal};

pub use replay::{Replayed, json};

/// The longest record, in bytes.
pub const LONGEST: usize = 1 << 20;

/// Lines of turns are wrapped at this column if the turns are short enough.
const COLUMNS: usize = 72;

/// A recorded game. Reading does not check the turns: see [`Record::replay`].
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The game of the required `Game` tag.
    pub game: &'static Game,
    /// The options and the revision of the rules.
    pub options: Options,
    /// The number of the board.
    pub board: Option<String>,
    /// The userid of the first player.
    pub first: Option<String>,
    /// The userid of the second player.
    pub second: Option<String>,
    /// The day of the start, such as `2026-11-20`.
    pub date: Option<String>,
    /// How it ended; `None` for `*`, which makes no statement.
    pub ending: Option<Ending>,
    /// Other tags, as names and values in their order.
    pub others: Vec<(String, String)>,
    /// The turns as text, in the order played.
    pub turns: Vec<String>,
    /// The dice that are rolled after the last turn.
    pub roll: Option<[u8; 2]>,
    /// What is said about turns. Reading skips comments, and any two compare equal.
    pub comments: Comments,
    /// The line number of each turn in the source text.
    lines: Lines,
}

/// Comments on turns: the number of a turn, from 1, and a text on one line.
#[derive(Clone, Debug, Default)]
pub struct Comments(pub Vec<(usize, String)>);

impl PartialEq for Comments {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Line numbers of turns. They are not part of the game, so any two compare equal.
#[derive(Clone, Debug, Default)]
struct Lines(Vec<usize>);

impl PartialEq for Lines {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// Why a text is not a record, or the record does not describe a game.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Error {
    /// Longer than [`LONGEST`].
    #[error("A record has at most {LONGEST} bytes.")]
    TooLong,
    /// It is neither UTF-8 nor SGF.
    #[error("A record is text in UTF-8.")]
    NotText,
    /// The only required tag is missing.
    #[error("The tag [Game \"...\"] is missing.")]
    NoGame,
    /// A line has something that does not belong into a record.
    #[error("Line {line}: {reason}")]
    Line {
        /// From 1.
        line: usize,
        /// One sentence.
        reason: String,
    },
    /// The game refuses the options.
    #[error("The game cannot begin: {0}")]
    Start(Refusal),
    /// The game refuses a turn.
    #[error("Turn {number}{}, {text}, is refused: {refusal}", on(*line))]
    Turn {
        /// From 1; the turns of both players count.
        number: usize,
        /// From 1; `None` if the record was not read from text.
        line: Option<usize>,
        /// The turn as written, shortened.
        text: String,
        /// The refusal of the game.
        refusal: Box<Refusal>,
    },
    /// The final position contradicts the result.
    #[error("The result is \"{result}\", but {truth}.")]
    Result {
        /// The result in the record.
        result: Ending,
        /// The result of the turns.
        truth: String,
    },
}

fn wrong(line: usize, reason: impl Into<String>) -> Error {
    Error::Line {
        line,
        reason: reason.into(),
    }
}

/// The start of a turn, as far as an answer may quote it.
fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut shown: String = text.chars().filter(|c| !c.is_control()).take(LONGEST).collect();
    if shown.len() < text.len() {
        shown.push_str("...");
    }
    shown
}

fn on(line: Option<usize>) -> String {
    line.map(|line| format!(" on line {line}")).unwrap_or_default()
}

impl Record {
    /// A record without turns, players and result.
    #[must_use]
    pub const fn new(game: &'static Game, options: Options) -> Self {
        Self {
            game,
            options,
            board: None,
            first: None,
            second: None,
            date: None,
            ending: None,
            others: Vec::new(),
            turns: Vec::new(),
            roll: None,
            comments: Comments(Vec::new()),
            lines: Lines(Vec::new()),
        }
    }

    /// The example of the rules ([`Worked`](crate::facts::Worked)): the turns that lead to it and its own two.
    ///
    /// # Errors
    /// The options of the example are none of the game, which is a programming error.
    pub fn worked(game: &'static Game) -> Result<Self, Refusal> {
        let worked = &game.facts.worked;
        let own = worked.turns.map(|(turn, _)| turn);
        Self::played(game, worked.options, worked.before.iter().copied().chain(own))
    }

    /// A position that shows what the rules say.
    ///
    /// # Errors
    /// As [`Record::worked`].
    pub fn pictured(game: &'static Game, pictured: &Pictured) -> Result<Self, Refusal> {
        Self::played(game, pictured.options, pictured.turns.split_whitespace())
    }

    fn played<'a>(
        game: &'static Game,
        options: &[&'a str],
        turns: impl Iterator<Item = &'a str>,
    ) -> Result<Self, Refusal> {
        let options = Options::parse(game.facts, options.iter().copied())?;
        Ok(Self {
            turns: turns.map(str::to_owned).collect(),
            ..Self::new(game, options)
        })
    }
}

impl fmt::Display for Record {
    /// The text never changes with later versions. It states the revision of the rules, because the newest one changes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        tag(f, "Game", self.game.facts.name)?;
        let options = self.options.to_string();
        if !options.is_empty() {
            tag(f, "Options", &options)?;
        }
        tag(f, "Rules", &self.options.revision().to_string())?;
        let named = [
            ("Board", &self.board),
            ("First", &self.first),
            ("Second", &self.second),
            ("Date", &self.date),
        ];
        for (name, value) in named {
            if let Some(value) = value {
                tag(f, name, value)?;
            }
        }
        let ending = self
            .ending
            .map_or_else(|| "*".to_owned(), |ending| ending.to_string());
        tag(f, "Result", &ending)?;
        if let Some([one, other]) = self.roll {
            tag(f, "Roll", &format!("{one}{other}"))?;
        }
        for (name, value) in &self.others {
            tag(f, name, value)?;
        }
        if !self.turns.is_empty() {
            writeln!(f)?;
        }
        for (number, pair) in (1..).zip(self.turns.chunks(2)) {
            row(f, number, pair)?;
            let last = 2 * number;
            for (turn, text) in &self.comments.0 {
                if (last - 1..=last).contains(turn) {
                    writeln!(f, "; {text}")?;
                }
            }
        }
        Ok(())
    }
}

fn tag(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    write!(f, "[{name} \"")?;
    for c in value.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            // A value must stay on one line.
            c if c.is_control() => f.write_str(" ")?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"]\n")
}

fn row(f: &mut fmt::Formatter<'_>, number: usize, pair: &[String]) -> fmt::Result {
    let number = format!("{number}. ");
    let mut column = 0;
    for turn in pair {
        let width = turn.chars().count();
        if column == 0 {
            write!(f, "{number}{turn}")?;
            column = number.len() + width;
        } else if column + 2 + width > COLUMNS {
            write!(f, "\n{:indent$}{turn}", "", indent = number.len())?;
        } else {
            write!(f, "  {turn}")?;
        }
    }
    f.write_str("\n")
}
