//! A rival as the contest sees it: turns are texts.

use crate::amazons::Amazons;
use crate::board::Board;
use crate::breakthrough::Breakthrough;
use crate::gomoku::Gomoku;
use crate::hex::Hex;
use crate::loa::Loa;
use crate::reversi::Reversi;
use crate::search::Searcher;

/// A turn that was chosen.
pub(crate) struct Choice<T> {
    pub(crate) turn: T,
    /// How many turns ahead the search looked; in Hex, how many playouts there were.
    pub(crate) depth: usize,
    /// What it seems worth to the player to move: a million is a win, the rest differs from game to game.
    pub(crate) value: i32,
}

impl<T> Choice<T> {
    fn map<U>(self, to: impl Fn(T) -> U) -> Choice<U> {
        Choice {
            turn: to(self.turn),
            depth: self.depth,
            value: self.value,
        }
    }
}

/// A player with its board.
pub(crate) trait Rival {
    /// Every legal turn.
    fn turns(&self) -> Vec<String>;
    /// Plays a turn; whether it is legal.
    fn play(&mut self, text: &str) -> bool;
    /// Chooses a turn within about this many seconds of processor time.
    fn choose(&mut self, budget: f64) -> Option<Choice<String>>;
}

/// The rival at this game, at the start.
pub(crate) fn at(game: &str) -> Option<Box<dyn Rival>> {
    Some(match game {
        "Breakthrough" => Box::new(Searching::<Breakthrough>::new()),
        "LOA" => Box::new(Searching::<Loa>::new()),
        "Gomoku" => Box::new(Searching::<Gomoku>::new()),
        "Amazons" => Box::new(Searching::<Amazons>::new()),
        "Reversi" => Box::new(Searching::<Reversi>::new()),
        "Hex" => Box::new(Hex::start()),
        _ => return None,
    })
}

struct Searching<B: Board> {
    board: B,
    searcher: Searcher<B>,
}

impl<B: Board> Searching<B> {
    fn new() -> Self {
        Self {
            board: B::start(),
            searcher: Searcher::new(),
        }
    }
}

impl<B: Board> Rival for Searching<B> {
    fn turns(&self) -> Vec<String> {
        let legal = self.board.legal();
        legal.into_iter().map(|turn| self.board.write(turn)).collect()
    }

    fn play(&mut self, text: &str) -> bool {
        let legal = self.board.legal();
        let Some(turn) = legal.into_iter().find(|&turn| self.board.write(turn) == text) else {
            return false;
        };
        self.searcher.passed(&self.board);
        self.board.play(turn);
        true
    }

    fn choose(&mut self, budget: f64) -> Option<Choice<String>> {
        let chosen = self.searcher.choose(&self.board, budget)?;
        Some(chosen.map(|turn| self.board.write(turn)))
    }
}

impl Rival for Hex {
    fn turns(&self) -> Vec<String> {
        self.legal().into_iter().map(Self::write).collect()
    }

    fn play(&mut self, text: &str) -> bool {
        let found = self.legal().into_iter().find(|&at| Self::write(at) == text);
        found.is_some_and(|at| {
            Self::play(self, at);
            true
        })
    }

    fn choose(&mut self, budget: f64) -> Option<Choice<String>> {
        Some(Self::choose(self, budget)?.map(Self::write))
    }
}
