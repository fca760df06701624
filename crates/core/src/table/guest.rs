//! A game that a visitor without an account plays against a computer, and has the first turn. Its page carries it: it is stored
//! only if its player wants to keep it, with the question whether an address is theirs.

use pbmserv_games::record::Record;
use pbmserv_games::{Game, Match, Options};

use super::{COMPUTERS, Computer, Dice};

/// Such a game.
#[derive(Clone, Debug, PartialEq)]
pub struct GuestGame {
    pub game: &'static Game,
    /// The revision of the rules with which it began.
    pub revision: u32,
    /// The turns of both.
    pub turns: Vec<String>,
    /// Those of a game that has them; its first word is another one in each game.
    pub dice: Option<Dice>,
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
            dice: None,
        }
    }

    /// A game with dice that begins now. The word makes its rolls other ones than those of other games.
    #[must_use]
    pub fn with_dice(game: &'static Game, seed: [u8; 32], word: &str) -> Self {
        let mut dice = Dice::new(seed, game);
        word.clone_into(&mut dice.words[0]);
        Self {
            dice: Some(dice),
            ..Self::new(game)
        }
    }

    /// Whether it can be kept. The rolls of a board follow from its own secret, so that they can be checked: those of this game do not.
    #[must_use]
    pub const fn can_be_kept(&self) -> bool {
        !self.game.facts.has_dice
    }

    /// Its revision, with the word of its dice, and its turns, a line each; a turn has no line break.
    #[must_use]
    pub fn text(&self) -> String {
        let word = self.dice.iter().map(|dice| format!(" {}", dice.words[0]));
        let turns = self.turns.iter().map(|turn| format!("\n{turn}"));
        let revision = std::iter::once(self.revision.to_string());
        revision.chain(word).chain(turns).collect()
    }

    /// Reads [`text`](Self::text). `None`: it is none, or of rules that are newer than this program, or a game with dice and there is
    /// no seed for them.
    #[must_use]
    pub fn read(game: &'static Game, text: &str, seed: Option<[u8; 32]>) -> Option<Self> {
        let mut lines = text.split('\n');
        let mut first = lines.next()?.split(' ');
        let revision = first.next()?.parse().ok()?;
        let begun = match game.facts.has_dice {
            true => Self::with_dice(game, seed?, first.next()?),
            false => Self::new(game),
        };
        (revision <= game.facts.revision && first.next().is_none()).then(|| Self {
            revision,
            turns: lines.map(str::to_owned).collect(),
            ..begun
        })
    }

    /// Rolls the dice that a position of this game waits for.
    pub fn roll(&self, position: &mut dyn Match) {
        if let (Some(dice), Some(due)) = (&self.dice, position.due_roll()) {
            position.roll(dice.roll(&self.name_in_rolls(), due));
        }
    }

    fn name_in_rolls(&self) -> String {
        format!("{} of a visitor", self.game.facts.name)
    }

    /// The game as a record.
    #[must_use]
    pub fn record(&self) -> Record {
        let options = Options::none(self.game.facts).under(self.revision);
        let mut record = Record::new(self.game, options);
        record.turns.clone_from(&self.turns);
        let roll = |dice: &Dice| dice.roll_after(&record, &self.name_in_rolls());
        record.roll = self.dice.as_ref().and_then(roll);
        record
    }
}
