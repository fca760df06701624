//! What a game knows for the players that are computers.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use super::{Outcome, Rules, Seat};
use crate::kit::cpu_yield;
use crate::kit::rhombus::Rhombus;

/// The value of a position that is won for the player who asks. Estimates stay far below it.
pub const WON: i32 = 1_000_000;

/// The bound of every estimate, up and down.
pub const GREATEST_ESTIMATE: i32 = 100_000;

/// No more turns of a position than this are looked at.
pub(super) const MAX_LISTED: usize = 8192;

/// What a game adds to its rules for the players that are computers.
pub trait Evaluate: Rules {
    /// How long it takes to judge a position after a turn, in tenths of a microsecond. Players think shorter where it is
    /// long, so that a turn takes as long in every game.
    const EFFORT: u64;

    /// How many turns deeper each search goes than the one before. 2 where estimates after a turn of the opponent say little
    /// about those after a turn of one's own.
    const STEP: u32 = 1;

    /// Whether a search that goes on where play seems best finds better turns than one that goes equally deep everywhere;
    /// `docs/bots.md` says where it does.
    const BEST_FIRST: bool = false;

    /// Whether a search goes on with [`captures`](Self::captures) beyond its depth, since the estimate does not see what they lead to.
    const KNOWS_CAPTURES: bool = false;

    /// Whether positions have few enough turns that a search looks at all of them, in the order of [`promise`](Self::promise) and of what
    /// was good elsewhere. Then only the positions at its end are judged.
    const HAS_FEW_TURNS: bool = false;

    /// How `bot-easy` and `bot-medium` err.
    const MISTAKES: Mistakes = Mistakes::USUAL;

    /// The same for positions with the same future; different for all others, as far as can be.
    fn key(&self) -> u64;

    /// How good a running game is for this side: with 100 it wins three games of four. The other side's number is the same
    /// with the other sign.
    fn estimate(&self, side: Seat) -> i32;

    /// The turns that are worth a search, the most promising first.
    fn promising(&self, most: usize) -> Promising<Self::Turn> {
        let mut judged = Vec::new();
        let is_whole = self.turns(&mut |turn| {
            judged.push((turn.clone(), self.value_after(turn)));
            match judged.len() {
                MAX_LISTED.. => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        Promising::of(judged, is_whole.is_continue(), most)
    }

    /// The greatest value for the player to move of the positions after one turn, or any that is at least `enough`; and how
    /// many positions were judged. `None` if there is no turn.
    fn best(&self, enough: i32) -> (Option<i32>, u64) {
        let (mut best, mut judged) = (None, 0);
        let _ = self.turns(&mut |turn| {
            let value = self.value_after(turn);
            judged += 1;
            best = best.max(Some(value));
            match value >= enough || judged == MAX_LISTED as u64 {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        });
        (best, judged)
    }

    /// Turns among which is one that wins at once, if there is such a turn: all turns, unless the game knows better.
    fn turns_that_may_win(&self, each: &mut dyn FnMut(&Self::Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        self.turns(each)
    }

    /// How early a search tries a turn, where [`HAS_FEW_TURNS`](Self::HAS_FEW_TURNS): a capture before others.
    fn promise(&self, _: &Self::Turn) -> i32 {
        0
    }

    /// A number for a turn that mostly differs from those of others, where [`HAS_FEW_TURNS`](Self::HAS_FEW_TURNS).
    fn number(&self, _: &Self::Turn) -> u64 {
        0
    }

    /// The turns that a search goes on with beyond its depth. The player may also make another one, as good as the estimate.
    fn captures(&self) -> Vec<Self::Turn> {
        Vec::new()
    }

    /// In how many turns the player to move wins this running game, whatever is answered; with a minus sign, loses it. `None` if that
    /// cannot be said without a search.
    fn foregone(&self) -> Option<i32> {
        None
    }

    /// The turns that hard looks at in a game that it searches best first; `is_first` says whether it is to move here and not later.
    fn likely(&self, most: usize, _is_first: bool) -> Promising<Self::Turn> {
        self.promising(most)
    }

    /// A turn that begins to win by threats alone, where a game knows how to look for that.
    fn win_by_threats(&self) -> Option<Self::Turn> {
        None
    }

    /// The stones, where hard plays games to their end at random; their cells are the turns.
    fn rhombus(&self) -> Option<Rhombus> {
        None
    }

    /// The turns to which a search can confine itself, where [`HAS_FEW_TURNS`](Self::HAS_FEW_TURNS): after all others the opponent wins at once.
    fn turns_that_hold(&self, each: &mut dyn FnMut(&Self::Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        self.turns(each)
    }

    /// Whether the values of the turns here come from a rule of thumb, which a look at the positions after them would not improve.
    fn plays_by_rule(&self) -> bool {
        false
    }

    /// The value for the player to move of the position after a turn.
    fn value_after(&self, turn: &Self::Turn) -> i32 {
        cpu_yield::tick();
        let Some(side) = self.to_move() else { return 0 };
        let mut after = self.clone();
        after.play(turn);
        match after.outcome() {
            Some(outcome) => value(outcome, side),
            None => after.estimate(side),
        }
    }
}

/// These turns, each judged by the position after it, the greatest first; `is_whole` says whether all others lose at once.
pub(crate) fn promising_of<R: Evaluate>(
    at: &R,
    turns: impl Iterator<Item = R::Turn>,
    is_whole: bool,
    most: usize,
) -> Promising<R::Turn> {
    let judged = turns.map(|turn| {
        let value = at.value_after(&turn);
        (turn, value)
    });
    Promising::of(judged.collect(), is_whole, most)
}

/// The greatest value after one of these turns, or any that is at least `enough`; and how many positions were judged.
pub(crate) fn best_of<R: Evaluate>(
    at: &R,
    turns: impl Iterator<Item = R::Turn>,
    enough: i32,
) -> (Option<i32>, u64) {
    let (mut best, mut judged) = (None, 0);
    for turn in turns {
        best = best.max(Some(at.value_after(&turn)));
        judged += 1;
        if best >= Some(enough) {
            break;
        }
    }
    (best, judged)
}

/// How a player errs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// By how much, at most, a turn is taken for better or worse than it is.
    pub noise: i32,
    /// How many turns of a hundred it does not see at all.
    pub overlooked: u64,
}

/// The mistakes of the weaker players. A game has its own where with the usual ones two levels play nearly alike: where one turn
/// more or less decides little, or where threats are seen by looking two turns ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mistakes {
    /// Those of `bot-easy`.
    pub easy: Mistake,
    /// Those of `bot-medium`.
    pub medium: Mistake,
}

impl Mistakes {
    /// Those of most games.
    pub const USUAL: Self = Self {
        easy: Mistake {
            noise: 10,
            overlooked: 35,
        },
        medium: Mistake {
            noise: 5,
            overlooked: 0,
        },
    };
}

/// An estimate that is a sum of counts, each times a weight, so that `make tune` can fit the weights to the results of games.
pub trait Weighed<const N: usize>: Evaluate {
    /// What is counted, and what one of it is worth.
    const WEIGHTS: [(&'static str, i32); N];

    /// How many of each this side has more than the other.
    fn counts(&self, side: Seat) -> [i32; N];

    /// The sum, for [`Evaluate::estimate`].
    fn weighed(&self, side: Seat) -> i32 {
        let counts = self.counts(side).into_iter();
        counts
            .zip(Self::WEIGHTS)
            .map(|(count, (_, weight))| count * weight)
            .sum()
    }
}

/// Turns, each with the value for the player to move of the position after it, the greatest first.
#[derive(Debug)]
pub struct Promising<T> {
    pub(super) turns: Vec<(T, i32)>,
    /// Whether all other turns, if there are any, lose at once.
    pub(super) is_whole: bool,
    /// How many positions were judged.
    pub(super) judged: u64,
}

impl<T> Promising<T> {
    /// The best of these turns, at most so many. Turns of the same value keep their order.
    pub(super) fn of(mut turns: Vec<(T, i32)>, is_whole: bool, most: usize) -> Self {
        let judged = turns.len();
        turns.sort_by_key(|(_, value)| Reverse(*value));
        turns.truncate(most);
        Self {
            is_whole: is_whole && turns.len() == judged,
            judged: judged as u64,
            turns,
        }
    }

    /// The greatest value, and how many positions were judged.
    pub(super) fn best(&self) -> (Option<i32>, u64) {
        (self.turns.first().map(|(_, value)| *value), self.judged)
    }
}

/// The value of a finished game for this side.
pub(super) const fn value(outcome: Outcome, side: Seat) -> i32 {
    match outcome {
        Outcome::Drawn => 0,
        Outcome::Won(winner) if winner.index() == side.index() => WON,
        Outcome::Won(_) => -WON,
    }
}
