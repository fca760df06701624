//! What a game must provide.

use std::fmt::Display as Print;
use std::ops::ControlFlow;

use rand::{Rng, RngExt as _};

use crate::kit::picture::Layout;

use super::continuations::Listed;
use super::sgf::Sgf;
use super::tagged::Tagged;
use super::{Continuations, Display, Facts, Options, Outcome, Refusal, Seat};

/// The counts of the status line, such as `remaining`, each with the name and the number of every side that it covers.
pub type Info = Vec<(&'static str, Vec<(&'static str, u32)>)>;

/// Two dice that a position waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DueRoll {
    /// How many rolls the game has had with it.
    pub number: u32,
    /// Whether equal dice do not count: who begins has the higher one, of which the first is the first player's.
    pub must_differ: bool,
}

impl DueRoll {
    /// The dice that are possible, each with how many of 36 throws give it.
    #[must_use]
    pub fn possible(self) -> Vec<([u8; 2], u32)> {
        let all = (1..=6).flat_map(|one| (1..=6).map(move |other| [one, other]));
        match self.must_differ {
            true => all
                .filter(|[one, other]| one != other)
                .map(|dice| (dice, 1))
                .collect(),
            false => {
                let ordered = all.filter(|[one, other]| one >= other);
                ordered
                    .map(|dice| (dice, if dice[0] == dice[1] { 1 } else { 2 }))
                    .collect()
            }
        }
    }

    /// Throws the dice until they count.
    pub fn thrown(self, rng: &mut dyn Rng) -> [u8; 2] {
        loop {
            let dice = [rng.random_range(1..=6), rng.random_range(1..=6)];
            if !self.must_differ || dice[0] != dice[1] {
                return dice;
            }
        }
    }
}

/// The rules of a game. The implementing type is a position.
pub trait Rules: Clone + Send + Sync + 'static {
    /// The constants of the game.
    const FACTS: Facts;

    /// Says how small and capital letters differ in turns; `None`: they do not. A telephone makes the first letter of a
    /// line a capital, so a turn that begins with one may be meant with a small letter.
    const CAPITALS: Option<&'static str> = None;

    /// How the game is written in SGF; `None`: it has no custom there. A game that has one is played on a square board with
    /// the option `size`, one point a turn, and the seats alternate.
    const SGF: Option<Sgf> = None;

    /// How the game is written in PGN or PDN; `None`: it is not.
    const TAGGED: Option<Tagged> = None;

    /// The `Variation` that programs for backgammon write in their files (.mat); `None`: it is not written so.
    const MAT: Option<&'static str> = None;

    /// A turn that is legal in the position that produced it. Only [`read`](Self::read), [`turns`](Self::turns) and
    /// [`random_turn`](Self::random_turn) produce one. Its text has no blanks, and reading the text gives the same
    /// turn.
    type Turn: Print + Eq + Clone;

    /// The start position.
    ///
    /// # Errors
    /// Options that contradict each other. Each option alone was checked against the facts.
    fn start(options: &Options) -> Result<Self, Refusal>;

    /// The player to move; `None` when the game is over.
    fn to_move(&self) -> Option<Seat>;

    /// The dice that the position waits for. While they are due, each turn is written with its dice before it, which is how records
    /// have it, and the position has the turns of all rolls.
    fn due_roll(&self) -> Option<DueRoll> {
        None
    }

    /// The dice that the player to move plays.
    fn dice(&self) -> Option<[u8; 2]> {
        None
    }

    /// Takes the dice that are due. Does nothing if none are, or if these cannot be.
    fn roll(&mut self, _dice: [u8; 2]) {}

    /// The dice that the text of a turn begins with; `None`: it has none.
    fn written_dice(_text: &str) -> Option<[u8; 2]> {
        None
    }

    /// Reads a turn as a player wrote it.
    ///
    /// # Errors
    /// A [`Refusal`] that says whether the text is unreadable, illegal here, or ambiguous. Never panics, whatever the
    /// text.
    fn read(&self, text: &str) -> Result<Self::Turn, Refusal>;

    /// Reads one turn, or several turns of the same player in a row where the game has a notation for that. Each is
    /// legal in the position after the ones before it.
    ///
    /// # Errors
    /// As for [`read`](Self::read), about the first turn that cannot be played.
    fn read_all(&self, text: &str) -> Result<Vec<Self::Turn>, Refusal> {
        Ok(vec![self.read(text)?])
    }

    /// How a turn that is begun, which may be an empty text, can go on. The text of a step may end with the sign that must
    /// follow it.
    ///
    /// # Errors
    /// No legal turn begins so; the refusal says why.
    fn continuations(&self, begun: &str) -> Result<Continuations, Refusal> {
        self.continuations_as_listed(begun)
    }

    /// The same from the list of the turns, for a game that does the rest itself.
    fn continuations_as_listed(&self, begun: &str) -> Result<Continuations, Refusal> {
        let points = self.layout().points;
        let points: Vec<&str> = points.iter().map(|point| point.name.as_str()).collect();
        let listed = Listed {
            capitals: Self::CAPITALS.is_some(),
            points: &points,
            turns: &|each| {
                let _ = self.turns(&mut |turn| each(&turn.to_string()));
            },
            read: &|text| {
                let turns: Vec<_> = self.read_all(text)?.iter().map(ToString::to_string).collect();
                Ok(turns.join(","))
            },
        };
        listed.continuations(begun)
    }

    /// Plays a turn that this position produced. Cannot fail.
    fn play(&mut self, turn: &Self::Turn);

    /// What these turns of one player, at least one, do besides what their texts say: `captured a white stone`, `scored 1
    /// (4 to 2)`. Each clause continues a sentence that begins with the player's name, and names nobody. Empty if the texts
    /// say it all. The turns are legal here, one after the other. That the player moves again, or has won, is said by the
    /// caller. Only letters and help ask for this, so it need not be fast.
    fn effects(&self, turns: &[Self::Turn]) -> Vec<String>;

    /// The result; `None` while the game runs.
    fn outcome(&self) -> Option<Outcome>;

    /// Passes every legal turn to `each`, once, until it breaks. None when the game is over.
    fn turns(&self, each: &mut dyn FnMut(&Self::Turn) -> ControlFlow<()>) -> ControlFlow<()>;

    /// The number of legal turns.
    fn count(&self) -> u64;

    /// A random turn; every legal turn is possible. `None` when the game is over.
    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Self::Turn>;

    /// The board with the status line above it: US-ASCII, at most 80 columns, no trailing blanks, every line ended by a
    /// line feed.
    fn draw(&self, display: Display) -> String;

    /// The occupied points in reading order, with the letters of the drawing.
    fn cells(&self) -> Vec<(String, char)>;

    /// The pieces and where they are, a sentence for each side, for readers to whom a picture is read aloud. Empty: the letters and the
    /// points of [`cells`](Self::cells) say it.
    fn in_words(&self) -> Vec<String> {
        Vec::new()
    }

    /// The points of [`layout`](Self::layout) that show a number instead of pieces, or besides them, with the number. One whose number is
    /// another after a turn is marked as touched by it.
    fn numbers(&self) -> Vec<(String, u32)> {
        Vec::new()
    }

    /// Whether a game of a match begins here. Its picture has no mark of the turn that ended the game before.
    fn is_next_game(&self) -> bool {
        false
    }

    /// The empty board, for a picture. It has every point that [`cells`](Self::cells) can name.
    fn layout(&self) -> Layout;

    /// The counts of the status line.
    fn info(&self) -> Info;
}
