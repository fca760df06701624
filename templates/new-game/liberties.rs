//! TITLE. TO DO: by whom, when, and what it is about in one line.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::liberties::{Liberties, LibertyGame};
use super::{Facts, OptionFact, Options, Outcome, Worked};
use crate::kit::square::Bits;

const FACTS: Facts = Facts {
    name: "TITLE",
    title: "TITLE",
    options: &[OptionFact::number("size", [5, 19, 9], "the number of rows and of columns")],
    designer: "TO DO",
    summary: "TO DO: one line for lists.",
    rules: include_str!("rules.txt"),
    notation: "The crossing of the stone, such as d4. The letters of the columns leave out i.",
    worked: Worked {
        options: &["-size=7"],
        before: &["d4", "e4", "e3", "c3", "f4"],
        turns: [
            ("c7", "TO DO: the reason for this turn."),
            ("e5", "TO DO: the reason for this one."),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["d4", "e5"],
    source: "TO DO: where the rules are published",
    // TO DO: a bound, or what was measured.
    longest_random_game: 361,
    ..Facts::BLANK
};

/// A position.
pub type TITLE = Liberties<Rule>;

/// What the game keeps besides the stones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule;

impl LibertyGame for Rule {
    const FACTS: Facts = FACTS;

    // TO DO: how long `value` takes, in tenths of a microsecond.
    const EFFORT: u64 = 40;

    fn start(_: &Options) -> Self {
        Self
    }

    // TO DO: the end. Here the first capture wins.
    fn end(at: &TITLE, taken: Bits) -> Option<Outcome> {
        (!taken.is_empty()).then_some(Outcome::Won(at.mover))
    }

    // TO DO: the words for an end that no capture tells, which go on after the player's name.
    fn ended(after: &TITLE) -> Option<String> {
        let stones: u32 = after.board.stones.iter().map(|stones| stones.count()).sum();
        (stones == after.turns).then(|| format!("left {} no turn", FACTS.sides[after.mover.index()]))
    }

    // TO DO: how good a position is for the player to move: with 100 three games of four are won.
    fn value(at: &TITLE) -> i32 {
        let reach = at.board.reach().map(|zone| zone.count() as i32);
        3 * (reach[at.mover.index()] - reach[at.mover.other().index()])
    }

    fn worth_a_look(at: &TITLE, legal: Bits) -> Bits {
        legal & at.near_stones_and_corners()
    }
}
