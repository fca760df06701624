//! A game in progress whose rules are not known to the caller: the server's view of [`Rules`].

use std::ops::ControlFlow;

use rand::Rng;

use crate::kit::picture::Layout;

use super::evaluate::Evaluate;
use super::sgf::Sgf;
use super::tagged::Tagged;
use super::walk::{self, SearchPosition};
use super::{Continuations, Display, DueRoll, Facts, Info, Options, Outcome, Refusal, Rules, Seat};

/// A game that the server offers: its facts, and how to start it.
#[derive(Debug)]
pub struct Game {
    /// The constants of the game.
    pub facts: &'static Facts,
    /// How it is written in SGF; `None`: it has no custom there.
    pub sgf: Option<Sgf>,
    /// How it is written in PGN or PDN; `None`: it is not.
    pub tagged: Option<Tagged>,
    /// The variation as which it is written in .mat; `None`: it is not.
    pub mat: Option<&'static str>,
    start: fn(&Options) -> Result<Box<dyn Match>, Refusal>,
}

impl Game {
    /// The game with these rules.
    #[must_use]
    pub const fn of<R: Evaluate>() -> Self {
        Self {
            facts: &R::FACTS,
            sgf: R::SGF,
            tagged: R::TAGGED,
            mat: R::MAT,
            start: |options| {
                Ok(Box::new(Playing {
                    rules: R::start(options)?,
                }))
            },
        }
    }

    /// The start position.
    ///
    /// # Errors
    /// Options that contradict each other.
    pub fn start(&self, options: &Options) -> Result<Box<dyn Match>, Refusal> {
        (self.start)(options)
    }

    /// Whether this is its name or an alias, ignoring case.
    #[must_use]
    pub fn answers_to(&self, name: &str) -> bool {
        let Facts {
            name: own, aliases, ..
        } = self.facts;
        own.eq_ignore_ascii_case(name) || aliases.iter().any(|alias| alias.eq_ignore_ascii_case(name))
    }
}

impl PartialEq for Game {
    fn eq(&self, other: &Self) -> bool {
        self.facts.name == other.facts.name
    }
}

/// A game in progress. Turns are passed as text.
pub trait Match: Send + Sync {
    /// The constants of the game.
    fn facts(&self) -> &'static Facts;
    /// How small and capital letters differ in turns; `None`: they do not.
    fn capitals(&self) -> Option<&'static str>;
    /// The player to move; `None` when the game is over.
    fn to_move(&self) -> Option<Seat>;
    /// The result by the rules; `None` while the game runs.
    fn outcome(&self) -> Option<Outcome>;
    /// The dice that the position waits for, as [`Rules::due_roll`].
    fn due_roll(&self) -> Option<DueRoll>;
    /// The dice that the player to move plays.
    fn dice(&self) -> Option<[u8; 2]>;
    /// Takes the dice that are due. Does nothing if none are, or if these cannot be.
    fn roll(&mut self, dice: [u8; 2]);
    /// Takes the dice that the text of a turn begins with, if some are due: then it is known who plays it.
    fn roll_as_written(&mut self, text: &str);
    /// Reads a turn and returns its canonical text.
    ///
    /// # Errors
    /// The text is no legal turn, or could mean several; or the game is over.
    fn read(&self, text: &str) -> Result<String, Refusal>;
    /// Reads a turn, plays it, and returns its canonical text.
    ///
    /// # Errors
    /// As for [`read`](Self::read); the position does not change.
    fn play(&mut self, text: &str) -> Result<String, Refusal>;
    /// Reads and plays one turn, or several turns of the same player: all of them or none. Returns the canonical text
    /// of each, at least one.
    ///
    /// # Errors
    /// As for [`read`](Self::read), about the first turn that cannot be played; the position does not change.
    fn play_all(&mut self, text: &str) -> Result<Vec<String>, Refusal>;
    /// How a turn that is begun can go on.
    ///
    /// # Errors
    /// As [`Rules::continuations`]; or the game is over.
    fn continuations(&self, begun: &str) -> Result<Continuations, Refusal>;
    /// What these turns of the player to move do besides what their texts say, as the clauses of [`Rules::effects`], and that
    /// the player moves again. Nothing if they are not legal.
    fn effects(&self, texts: &[String]) -> Vec<String>;
    /// The legal turns as text, at most `limit`.
    fn turns(&self, limit: usize) -> Vec<String>;
    /// The number of sequences of `depth` legal turns; a game that is over earlier is none. The last turn of each is counted
    /// without playing it.
    fn perft(&self, depth: u32) -> u64 {
        self.perft_by_turns(depth, &mut || ())
    }
    /// The same. Deeper than 1, calls `counted` for each legal turn here, when all that may follow it are counted.
    fn perft_by_turns(&self, depth: u32, counted: &mut dyn FnMut()) -> u64;
    /// A random legal turn as text; `None` when the game is over.
    fn random_turn(&self, rng: &mut dyn Rng) -> Option<String>;
    /// The board as text, with a status line above it.
    fn draw(&self, display: Display) -> String;
    /// The occupied points and their letters, in reading order.
    fn cells(&self) -> Vec<(String, char)>;
    /// See [`Rules::in_words`].
    fn in_words(&self) -> Vec<String>;
    /// See [`Rules::numbers`].
    fn numbers(&self) -> Vec<(String, u32)>;
    /// See [`Rules::is_next_game`].
    fn is_next_game(&self) -> bool;
    /// The empty board, for a picture.
    fn layout(&self) -> Layout;
    /// The counts of the status line.
    fn info(&self) -> Info;
    /// A copy of the position.
    fn fork(&self) -> Box<dyn Match>;
    /// A walk through the game from here, for a search.
    fn walk(&self) -> Box<dyn SearchPosition>;
}

#[derive(Clone)]
struct Playing<R> {
    rules: R,
}

/// A game in progress at a position to which no turns have led.
#[cfg(test)]
pub(crate) fn test_match(rules: impl Evaluate) -> Box<dyn Match> {
    Box::new(Playing { rules })
}

impl<R: Evaluate> Match for Playing<R> {
    fn facts(&self) -> &'static Facts {
        &R::FACTS
    }

    fn capitals(&self) -> Option<&'static str> {
        R::CAPITALS
    }

    fn to_move(&self) -> Option<Seat> {
        self.rules.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.rules.outcome()
    }

    fn due_roll(&self) -> Option<DueRoll> {
        self.rules.due_roll()
    }

    fn dice(&self) -> Option<[u8; 2]> {
        self.rules.dice()
    }

    fn roll(&mut self, dice: [u8; 2]) {
        self.rules.roll(dice);
    }

    fn roll_as_written(&mut self, text: &str) {
        if let (Some(_), Some(dice)) = (self.rules.due_roll(), R::written_dice(text)) {
            self.rules.roll(dice);
        }
    }

    fn read(&self, text: &str) -> Result<String, Refusal> {
        self.running()?;
        Ok(self.rules.read(text)?.to_string())
    }

    fn play(&mut self, text: &str) -> Result<String, Refusal> {
        self.running()?;
        let turn = self.rules.read(text)?;
        self.rules.play(&turn);
        Ok(turn.to_string())
    }

    fn play_all(&mut self, text: &str) -> Result<Vec<String>, Refusal> {
        self.running()?;
        let turns = self.rules.read_all(text)?;
        turns.iter().for_each(|turn| self.rules.play(turn));
        Ok(turns.iter().map(ToString::to_string).collect())
    }

    fn continuations(&self, begun: &str) -> Result<Continuations, Refusal> {
        self.running()?;
        self.rules.continuations(begun)
    }

    fn effects(&self, texts: &[String]) -> Vec<String> {
        let (mut after, mut turns) = (self.rules.clone(), Vec::new());
        for text in texts {
            let Ok(turn) = after.read(text) else {
                return Vec::new();
            };
            after.play(&turn);
            turns.push(turn);
        }
        let mut effects = self.rules.effects(&turns);
        // Whose dice are due goes on with the same turn.
        if after.to_move() == self.rules.to_move() && after.due_roll().is_none() {
            effects.push("got another turn".to_owned());
        }
        effects
    }

    fn turns(&self, limit: usize) -> Vec<String> {
        let mut turns = Vec::new();
        let _ = self.rules.turns(&mut |turn| {
            if turns.len() == limit {
                return ControlFlow::Break(());
            }
            turns.push(turn.to_string());
            ControlFlow::Continue(())
        });
        turns
    }

    fn perft_by_turns(&self, depth: u32, counted: &mut dyn FnMut()) -> u64 {
        perft(&self.rules, depth, counted)
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<String> {
        self.rules.random_turn(rng).map(|turn| turn.to_string())
    }

    fn draw(&self, display: Display) -> String {
        self.rules.draw(display)
    }

    fn cells(&self) -> Vec<(String, char)> {
        self.rules.cells()
    }

    fn in_words(&self) -> Vec<String> {
        self.rules.in_words()
    }

    fn numbers(&self) -> Vec<(String, u32)> {
        self.rules.numbers()
    }

    fn is_next_game(&self) -> bool {
        self.rules.is_next_game()
    }

    fn layout(&self) -> Layout {
        self.rules.layout()
    }

    fn info(&self) -> Info {
        self.rules.info()
    }

    fn fork(&self) -> Box<dyn Match> {
        Box::new(self.clone())
    }

    fn walk(&self) -> Box<dyn SearchPosition> {
        walk::walk(self.rules.clone())
    }
}

impl<R: Rules> Playing<R> {
    fn running(&self) -> Result<(), Refusal> {
        match self.rules.to_move() {
            Some(_) => Ok(()),
            None => Err(Refusal::illegal("The game is over.")),
        }
    }
}

fn perft<R: Rules>(position: &R, depth: u32, counted: &mut dyn FnMut()) -> u64 {
    match depth {
        0 => 1,
        1 => position.count(),
        _ => {
            let mut count = 0;
            let _ = position.turns(&mut |turn| {
                let mut next = position.clone();
                next.play(turn);
                count += perft(&next, depth - 1, &mut || ());
                counted();
                ControlFlow::Continue(())
            });
            count
        }
    }
}
