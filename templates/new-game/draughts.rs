//! TITLE. TO DO: by whom, when, and what it is about in one line.

mod pictured;
#[cfg(test)]
mod tests;

use super::families::draughts::{Board, DIAGONALS, Draughts, DraughtsRules, Ways};
use super::{Facts, Worked};

const FACTS: Facts = Facts {
    name: "TITLE",
    title: "TITLE",
    letters: ["xX", "oO"],
    designer: "TO DO",
    summary: "TO DO: one line for lists.",
    rules: include_str!("rules.txt"),
    notation: "The number of the square of the piece and the number of the square where it goes: 11-15. A capture has an x \
               and names every square where the piece stops: 15x22x31.",
    worked: Worked {
        options: &[],
        before: &["11-15", "22-18"],
        turns: [
            ("15x22", "TO DO: the reason for this turn."),
            ("25x18", "TO DO: the reason for this one."),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["11-15", "22-18", "15x22", "25x18"],
    source: "TO DO: where the rules are published",
    knows_draws: true,
    // TO DO: a bound, or what was measured.
    longest_random_game: 17_000,
    ..Facts::BLANK
};

/// A position.
pub type TITLE = Draughts<Rule>;

/// The rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule;

// TO DO: the rule. Here it is that of Checkers.
impl DraughtsRules for Rule {
    const FACTS: Facts = FACTS;

    const BOARD: &'static Board = &Board::dark(8);
    const FIRST_IS_AT_TOP: bool = true;
    const MAN_MOVES: Ways = &[1, 7];
    const MAN_CAPTURES: Ways = &[1, 7];
    const KING_MOVES: Ways = DIAGONALS;
    const KING_CAPTURES: Ways = DIAGONALS;
    const KINGS_FLY: bool = false;
    const MOST_IS_DUTY: bool = false;
    const MAX_IDLE: Option<u16> = Some(80);
    const MOVES: [&'static str; 2] = [
        "A man moves one square diagonally forward.",
        "A king moves one square diagonally.",
    ];
    const KING_WORTH: i32 = 150;
    const EFFORT: u64 = 3;

    fn men_at_top() -> u64 {
        (1 << 12) - 1
    }
}
