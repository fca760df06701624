//! A game that a visitor without an account plays against a computer, and has the first turn. Its page carries it: it is stored
//! only if its player wants to keep it, with the question whether an address is theirs.

use pbmserv_games::record::Record;
use pbmserv_games::{Game, Options};

use super::{COMPUTERS, Computer};

/// Such a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GuestGame {
    pub game: &'static Game,
    /// The revision of the rules with which it began.
    pub revision: u32,
    /// The turns of both.
    pub turns: Vec<String>,
}

impl GuestGame {
    /// Who plays with visitors.
    #[must_use]
    pub fn opponent() -> &'static Computer {
        &COMPUTERS[0]
    }

    /// A game that begins now.
    #[must_use]
    pub const fn new(game: &'static Game) -> Self {
        Self {
            game,
            revision: game.facts.revision,
            turns: Vec::new(),
        }
    }

    /// Its revision and its turns, a line each; a turn has no line break.
    #[must_use]
    pub fn text(&self) -> String {
        let turns = self.turns.iter().map(|turn| format!("\n{turn}"));
        std::iter::once(self.revision.to_string()).chain(turns).collect()
    }

    /// Reads [`text`](Self::text). `None`: it is none, or of rules that are newer than this program.
    #[must_use]
    pub fn read(game: &'static Game, text: &str) -> Option<Self> {
        let mut lines = text.split('\n');
        let revision = lines.next()?.parse().ok()?;
        (revision <= game.facts.revision).then(|| Self {
            game,
            revision,
            turns: lines.map(str::to_owned).collect(),
        })
    }

    /// The game as a record.
    #[must_use]
    pub fn record(&self) -> Record {
        let options = Options::none(self.game.facts).under(self.revision);
        let mut record = Record::new(self.game, options);
        record.turns.clone_from(&self.turns);
        record
    }
}
