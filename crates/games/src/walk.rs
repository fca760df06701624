//! A game as a search walks through it: on by one of the turns that are worth a look, and back.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use rand::Rng;

use super::evaluate::{Evaluate, MAX_LISTED, Mistakes, Promising, WON, value};
use super::{DueRoll, Rules, Seat};
use crate::kit::cpu_yield;
use crate::kit::rhombus::Rhombus;

/// Room for the turns of most positions, where there are few.
const USUAL_TURNS: usize = 48;

/// What a search is told of the turns of a position. A turn is its number in the list.
#[derive(Debug)]
pub struct Listed {
    /// The value for the player to move of the position after each turn, the greatest first.
    pub values: Vec<i32>,
    /// Whether all other turns, if there are any, lose at once.
    pub is_whole: bool,
    /// How many positions were judged.
    pub judged: u64,
}

/// What came of trying turns.
#[derive(Debug)]
pub struct Tried {
    /// The text of a turn that wins at once.
    pub winning: Option<String>,
    /// Whether such a turn was found, or all turns that may win were tried.
    pub is_whole: bool,
    /// How many turns were tried, and one more.
    pub tries: u64,
}

/// A walk through a game from one position.
pub trait SearchPosition {
    /// How long it takes to judge a position, in tenths of a microsecond.
    fn effort(&self) -> u64;
    /// See [`Evaluate::STEP`].
    fn step(&self) -> u32;
    /// See [`Evaluate::BEST_FIRST`].
    fn is_best_first(&self) -> bool;
    /// See [`Evaluate::KNOWS_CAPTURES`].
    fn knows_captures(&self) -> bool;
    /// See [`Evaluate::HAS_FEW_TURNS`].
    fn has_few_turns(&self) -> bool;
    /// See [`Evaluate::MISTAKES`].
    fn mistakes(&self) -> Mistakes;
    /// See [`Evaluate::plays_by_rule`].
    fn plays_by_rule(&self) -> bool;
    /// The dice that the position waits for.
    fn due_roll(&self) -> Option<DueRoll>;
    /// Goes on to the position with these dice.
    fn roll(&mut self, dice: [u8; 2]);
    /// The player to move; `None` when the game is over.
    fn to_move(&self) -> Option<Seat>;
    /// The value of a finished game for this side; `None` while the game runs.
    fn end(&self, side: Seat) -> Option<i32>;
    /// The estimate for this side.
    fn estimate(&self, side: Seat) -> i32;
    /// See [`Evaluate::foregone`].
    fn foregone(&self) -> Option<i32>;
    /// See [`Evaluate::rhombus`].
    fn rhombus(&self) -> Option<Rhombus>;
    /// The same for equal positions.
    fn key(&self) -> u64;
    /// Lists the turns worth a search, at most so many.
    fn list(&mut self, most: usize) -> Listed;
    /// See [`Evaluate::likely`].
    fn list_likely(&mut self, most: usize, is_first: bool) -> Listed;
    /// See [`Evaluate::win_by_threats`].
    fn win_by_threats(&self) -> Option<String>;
    /// Lists the turns after which the game is not lost at once, in the order of the rules: of each its promise, and a number that mostly
    /// differs from those of others.
    fn list_promises(&mut self) -> Vec<(i32, u64)>;
    /// Lists the captures, the most promising first; how many these are.
    fn list_captures(&mut self) -> usize;
    /// Lists the turns in the order of the rules, unjudged; how many these are. `None`: there are more than are looked at.
    fn list_unjudged(&mut self) -> Option<usize>;
    /// See [`Evaluate::best`].
    fn best(&self, enough: i32) -> (Option<i32>, u64);
    /// Plays turns that may win one by one until one does, at most so many. No position is judged.
    fn try_to_win(&self, most: u64) -> Tried;
    /// Plays a turn of the list.
    fn play(&mut self, turn: usize);
    /// Plays the turn with this text, which was a turn of another position, if it is legal here.
    fn play_again(&mut self, text: &str) -> bool;
    /// Another walk, from the position after a turn of the list.
    fn after(&self, turn: usize) -> Box<dyn SearchPosition>;
    /// Goes back to the position before the last turn. Its list is there again.
    fn back(&mut self);
    /// The text of a turn of the list.
    fn text(&self, turn: usize) -> String;
    /// Plays random turns up to the end of the game; returns its value for this side and the number of turns. Stays where it
    /// is.
    fn random_end(&self, side: Seat, rng: &mut dyn Rng) -> (i32, u32);
}

/// The way to a position, with the turns listed on it.
struct SearchPath<R: Rules> {
    here: PathNode<R>,
    before: Vec<PathNode<R>>,
    /// Empty lists, which keep their memory.
    spare: Vec<Vec<R::Turn>>,
}

struct PathNode<R: Rules> {
    position: R,
    turns: Vec<R::Turn>,
}

/// A walk from this position.
pub(super) fn walk<R: Evaluate>(position: R) -> Box<dyn SearchPosition> {
    let turns = Vec::new();
    Box::new(SearchPath {
        here: PathNode { position, turns },
        before: Vec::new(),
        spare: Vec::new(),
    })
}

impl<R: Evaluate> SearchPath<R> {
    fn go_on(&mut self, position: R) {
        let turns = self.spare.pop().unwrap_or_default();
        let place = PathNode { position, turns };
        self.before.push(std::mem::replace(&mut self.here, place));
    }

    /// Takes these turns as the list.
    fn keep(&mut self, promising: Promising<R::Turn>) -> Listed {
        let Promising {
            turns,
            is_whole,
            judged,
        } = promising;
        let (turns, values) = turns.into_iter().unzip();
        self.here.turns = turns;
        Listed {
            values,
            is_whole,
            judged,
        }
    }

    fn position_after(&self, turn: usize) -> R {
        let mut position = self.here.position.clone();
        if let Some(turn) = self.here.turns.get(turn) {
            position.play(turn);
        }
        position
    }
}

impl<R: Evaluate> SearchPosition for SearchPath<R> {
    fn effort(&self) -> u64 {
        R::EFFORT
    }

    fn step(&self) -> u32 {
        R::STEP
    }

    fn is_best_first(&self) -> bool {
        R::BEST_FIRST
    }

    fn knows_captures(&self) -> bool {
        R::KNOWS_CAPTURES
    }

    fn has_few_turns(&self) -> bool {
        R::HAS_FEW_TURNS
    }

    fn mistakes(&self) -> Mistakes {
        R::MISTAKES
    }

    fn plays_by_rule(&self) -> bool {
        self.here.position.plays_by_rule()
    }

    fn due_roll(&self) -> Option<DueRoll> {
        self.here.position.due_roll()
    }

    fn roll(&mut self, dice: [u8; 2]) {
        let mut position = self.here.position.clone();
        position.roll(dice);
        self.go_on(position);
    }

    fn to_move(&self) -> Option<Seat> {
        self.here.position.to_move()
    }

    fn end(&self, side: Seat) -> Option<i32> {
        self.here.position.outcome().map(|outcome| value(outcome, side))
    }

    fn estimate(&self, side: Seat) -> i32 {
        self.here.position.estimate(side)
    }

    fn foregone(&self) -> Option<i32> {
        self.here.position.foregone()
    }

    fn rhombus(&self) -> Option<Rhombus> {
        self.here.position.rhombus()
    }

    fn key(&self) -> u64 {
        self.here.position.key()
    }

    fn list(&mut self, most: usize) -> Listed {
        self.keep(self.here.position.promising(most))
    }

    fn list_likely(&mut self, most: usize, is_first: bool) -> Listed {
        self.keep(self.here.position.likely(most, is_first))
    }

    fn win_by_threats(&self) -> Option<String> {
        self.here.position.win_by_threats().map(|turn| turn.to_string())
    }

    fn list_captures(&mut self) -> usize {
        let PathNode { position, turns } = &mut self.here;
        *turns = position.captures();
        turns.sort_by_key(|turn| Reverse(position.promise(turn)));
        turns.len()
    }

    fn list_promises(&mut self) -> Vec<(i32, u64)> {
        let PathNode { position, turns } = &mut self.here;
        turns.clear();
        let mut listed = Vec::with_capacity(USUAL_TURNS);
        let _ = position.turns_that_hold(&mut |turn| {
            turns.push(turn.clone());
            listed.push((position.promise(turn), position.number(turn)));
            ControlFlow::Continue(())
        });
        listed
    }

    fn list_unjudged(&mut self) -> Option<usize> {
        let PathNode { position, turns } = &mut self.here;
        turns.clear();
        let listed = position.turns(&mut |turn| {
            if turns.len() == MAX_LISTED {
                return ControlFlow::Break(());
            }
            turns.push(turn.clone());
            ControlFlow::Continue(())
        });
        listed.is_continue().then_some(turns.len())
    }

    fn best(&self, enough: i32) -> (Option<i32>, u64) {
        self.here.position.best(enough)
    }

    fn try_to_win(&self, most: u64) -> Tried {
        let position = &self.here.position;
        // Generating them counts as one try.
        let (mut winning, mut tries) = (None, 1);
        let Some(side) = position.to_move() else {
            return Tried {
                winning,
                tries,
                is_whole: true,
            };
        };
        let ended = position.turns_that_may_win(&mut |turn| {
            if tries >= most {
                return ControlFlow::Break(());
            }
            tries += 1;
            cpu_yield::tick();
            let mut after = position.clone();
            after.play(turn);
            if after.outcome().is_none_or(|outcome| value(outcome, side) != WON) {
                return ControlFlow::Continue(());
            }
            winning = Some(turn.to_string());
            ControlFlow::Break(())
        });
        let is_whole = winning.is_some() || ended.is_continue();
        Tried {
            winning,
            tries,
            is_whole,
        }
    }

    fn play(&mut self, turn: usize) {
        self.go_on(self.position_after(turn));
    }

    fn play_again(&mut self, text: &str) -> bool {
        let mut position = self.here.position.clone();
        let Ok(turn) = position.read(text) else {
            return false;
        };
        position.play(&turn);
        self.go_on(position);
        true
    }

    fn after(&self, turn: usize) -> Box<dyn SearchPosition> {
        walk(self.position_after(turn))
    }

    fn back(&mut self) {
        if let Some(place) = self.before.pop() {
            let mut turns = std::mem::replace(&mut self.here, place).turns;
            turns.clear();
            self.spare.push(turns);
        }
    }

    fn text(&self, turn: usize) -> String {
        self.here
            .turns
            .get(turn)
            .map(ToString::to_string)
            .unwrap_or_default()
    }

    fn random_end(&self, side: Seat, rng: &mut dyn Rng) -> (i32, u32) {
        let mut position = self.here.position.clone();
        let mut turns = 0;
        while let Some(turn) = position.random_turn(rng) {
            position.play(&turn);
            turns += 1;
        }
        (
            position.outcome().map_or(0, |outcome| value(outcome, side)),
            turns,
        )
    }
}
