//! What a game must offer.

use std::fmt::Display as Print;
use std::ops::ControlFlow;

use rand::Rng;

use crate::kit::picture::Layout;

use super::{Display, Facts, Options, Outcome, Refusal, Seat};

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
    fn layout(&self) -> Layout;

    /// The counts of the line above the board.
    fn info(&self) -> Info;
}
