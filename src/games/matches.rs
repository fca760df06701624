//! One game in progress, whatever its rules: what the rest of the server sees of [`Rules`].

use std::ops::ControlFlow;

use rand::Rng;

use crate::kit::picture::Layout;

use super::{Display, Facts, Info, Options, Outcome, Refusal, Rules, Seat};

/// A game that is served: its facts, and how to begin it.
#[derive(Debug)]
pub struct Game {
    /// What is fixed about it.
    pub facts: &'static Facts,
    start: fn(&Options) -> Result<Box<dyn Match>, Refusal>,
}

impl Game {
    /// The game that these rules describe.
    #[must_use]
    pub const fn of<R: Rules>() -> Self {
        Self {
            facts: &R::FACTS,
            start: |options| {
                Ok(Box::new(Playing {
                    rules: R::start(options)?,
                }))
            },
        }
    }

    /// The position before the first turn.
    ///
    /// # Errors
    /// Options that contradict one another.
    pub fn start(&self, options: &Options) -> Result<Box<dyn Match>, Refusal> {
        (self.start)(options)
    }

    /// Whether this is its name or an alias, in any case.
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

/// A game in progress. Turns go in and out as their text.
pub trait Match: Send + Sync {
    /// What is fixed about the game.
    fn facts(&self) -> &'static Facts;
    /// Whose turn it is; `None` when the game is over.
    fn to_move(&self) -> Option<Seat>;
    /// How the game ended by its rules; `None` while it runs.
    fn outcome(&self) -> Option<Outcome>;
    /// The one text of the turn that these words mean.
    ///
    /// # Errors
    /// They mean none, or several; or the game is over.
    fn read(&self, text: &str) -> Result<String, Refusal>;
    /// Reads the words and plays the turn they mean; gives its one text.
    ///
    /// # Errors
    /// As [`read`](Self::read); then nothing has changed.
    fn play(&mut self, text: &str) -> Result<String, Refusal>;
    /// Reads the words and plays the one turn they mean, or the several turns of the same player, all or
    /// none; gives the text of each, at least one.
    ///
    /// # Errors
    /// As [`read`](Self::read), about the first turn that cannot be played; then nothing has changed.
    fn play_all(&mut self, text: &str) -> Result<Vec<String>, Refusal>;
    /// At most `limit` of the legal turns, as text.
    fn turns(&self, limit: usize) -> Vec<String>;
    /// How many sequences of `depth` legal turns there are; the last turn of each is counted, not played.
    fn perft(&self, depth: u32) -> u64;
    /// A legal turn by chance, as text; `None` when the game is over.
    fn random_turn(&self, rng: &mut dyn Rng) -> Option<String>;
    /// The board with the line above it.
    fn draw(&self, display: Display) -> String;
    /// The occupied points with their letters, in reading order.
    fn cells(&self) -> Vec<(String, char)>;
    /// The board without its pieces, for a picture.
    fn layout(&self) -> Layout;
    /// The counts of the line above the board.
    fn info(&self) -> Info;
    /// The same position once more.
    fn fork(&self) -> Box<dyn Match>;
}

#[derive(Clone)]
struct Playing<R> {
    rules: R,
}

impl<R: Rules> Match for Playing<R> {
    fn facts(&self) -> &'static Facts {
        &R::FACTS
    }

    fn to_move(&self) -> Option<Seat> {
        self.rules.to_move()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.rules.outcome()
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

    fn perft(&self, depth: u32) -> u64 {
        perft(&self.rules, depth)
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

    fn layout(&self) -> Layout {
        self.rules.layout()
    }

    fn info(&self) -> Info {
        self.rules.info()
    }

    fn fork(&self) -> Box<dyn Match> {
        Box::new(self.clone())
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

fn perft<R: Rules>(position: &R, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count(),
        _ => {
            let mut count = 0;
            let _ = position.turns(&mut |turn| {
                let mut next = position.clone();
                next.play(turn);
                count += perft(&next, depth - 1);
                ControlFlow::Continue(())
            });
            count
        }
    }
}
