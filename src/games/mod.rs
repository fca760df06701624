//! The games: what a game must offer, and the list of those served.
//!
//! A game is a folder with its rules, the text of its turns, its board and its help. It knows no clock, no
//! mail, no database and no dice: whoever needs chance passes it in. To add one, write its folder, then its
//! `mod` line and its line in [`GAMES`]; `tests/games/contract.rs` then holds it to everything promised here.

mod ending;
pub mod forms;
mod matches;
mod options;
mod picture;
pub mod pow2;
pub mod record;
mod refusal;
pub mod ringworm;
pub mod shapechess;

use std::fmt::Display as Print;
use std::ops::ControlFlow;

use rand::Rng;

use crate::kit::picture::Ground;

pub use ending::{By, Ending, NoEnding};
pub use matches::{Game, Match};
pub use options::{OptionFact, Options, Range};
pub use picture::Scene;
pub use refusal::{Kind, Refusal};

/// Every game served, in the order in which `list` and `help` show them.
pub static GAMES: &[Game] = &[
    Game::of::<pow2::Pow2>(),
    Game::of::<forms::Forms>(),
    Game::of::<shapechess::ShapeChess>(),
    Game::of::<ringworm::Ringworm>(),
];

/// The game of this name or alias, in any case.
#[must_use]
pub fn find(name: &str) -> Option<&'static Game> {
    GAMES.iter().find(|game| game.answers_to(name))
}

/// One of the two places at a board: `First` is userid1, who moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seat {
    /// userid1.
    First,
    /// userid2.
    Second,
}

impl Seat {
    /// Both, in the order of their first turns.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The opponent's.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 for the first, 1 for the second: the place in an array of both.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// How a game ended by its own rules. Resignation and forfeit belong to the table, not to the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The side in this seat has won.
    Won(Seat),
    /// Nobody has.
    Drawn,
}

/// Which of a game's two pictures of the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
pub enum Display {
    /// The compact one.
    Small,
    /// The one with lines and room, shown unless a player says otherwise.
    #[default]
    Large,
}

impl Display {
    /// The word of the `set` command.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Large => "large",
        }
    }
}

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

/// A count that the line above the board shows, such as `remaining`, with the name of each side it is
/// given for.
pub type Info = Vec<(&'static str, Vec<(&'static str, u32)>)>;

/// The rules of one game, as a position that turns are played on.
pub trait Rules: Clone + Send + Sync + 'static {
    /// What is fixed about it.
    const FACTS: Facts;

    /// A turn that is legal in the position that made it; only [`read`](Self::read),
    /// [`turns`](Self::turns) and [`random_turn`](Self::random_turn) make one. Its text has no blanks and is
    /// read back as the same turn.
    type Turn: Print + Eq + Clone;

    /// The position before the first turn.
    ///
    /// # Errors
    /// Options that contradict one another. Each one alone has been checked against the facts.
    fn start(options: &Options) -> Result<Self, Refusal>;

    /// Whose turn it is; `None` when the game is over.
    fn to_move(&self) -> Option<Seat>;

    /// Reads a player's words as a turn.
    ///
    /// # Errors
    /// A [`Refusal`] that says whether the text cannot be read, is not legal here, or could mean several
    /// turns. Never panics, whatever the text.
    fn read(&self, text: &str) -> Result<Self::Turn, Refusal>;

    /// Reads a player's words as one turn, or as several that follow one another without the opponent
    /// between them, where the game has such a notation. Each is legal in the position after those before it.
    ///
    /// # Errors
    /// As [`read`](Self::read), about the first that cannot be played.
    fn read_all(&self, text: &str) -> Result<Vec<Self::Turn>, Refusal> {
        Ok(vec![self.read(text)?])
    }

    /// Plays a turn that this position made. Cannot fail.
    fn play(&mut self, turn: &Self::Turn);

    /// How the game ended; `None` while it runs.
    fn outcome(&self) -> Option<Outcome>;

    /// Every legal turn, each once, until the callee breaks off. None when the game is over.
    fn turns(&self, each: &mut dyn FnMut(&Self::Turn) -> ControlFlow<()>) -> ControlFlow<()>;

    /// How many legal turns there are.
    fn count(&self) -> u64;

    /// A turn by chance, every legal one possible; `None` when the game is over.
    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Self::Turn>;

    /// The board with the line above it, as US-ASCII lines of at most 80 columns, no trailing blanks, each
    /// ended by a line feed.
    fn draw(&self, display: Display) -> String;

    /// The occupied points, in reading order, with the letter that the display shows there.
    fn cells(&self) -> Vec<(String, char)>;

    /// The board without its pieces, for a picture; it has every point that [`cells`](Self::cells) names.
    fn ground(&self) -> Ground;

    /// The counts of the line above the board.
    fn info(&self) -> Info;
}
