//! Checkers, also called English draughts.

mod pictured;
#[cfg(test)]
mod tests;

use crate::families::draughts::{Board, DIAGONALS, Draughts, DraughtsRules, Ways};
use crate::tagged::Tagged;
use crate::{Facts, Worked};

/// A position of Checkers.
pub type Checkers = Draughts<Rule>;

/// The rules of Checkers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule;

impl DraughtsRules for Rule {
    const FACTS: Facts = Facts {
        name: "Checkers",
        aliases: &["EnglishDraughts"],
        title: "Checkers",
        sides: ["Black", "White"],
        letters: ["xX", "oO"],
        designer: "traditional",
        summary: "Jump over all enemy pieces, or shut them in. Capturing is a duty.",
        rules: include_str!("rules.txt"),
        notation: "The number of the square of the piece and the number of the square where it goes: 11-15. A capture has an x \
                   and names every square where the piece stops: 15x22x31; 15-22-31 is read too, and 15x31 if only one \
                   capture begins and ends there.",
        worked: Worked {
            options: &[],
            before: &["11-15", "22-18"],
            turns: [
                (
                    "15x22",
                    "Black must capture: the man on 15 jumps over the man on 18 to the empty square 22.",
                ),
                (
                    "25x18",
                    "White takes back: the man on 25 jumps over the man on 22 to the empty square 18.",
                ),
            ],
        },
        pictured: pictured::PICTURED,
        example: &["11-15", "22-18", "15x22", "25x18"],
        source: "World Checkers Draughts Federation, Rules of Draughts (Checkers)",
        knows_draws: true,
        // Each man has at most seven steps, and there are 24 pieces to capture. Between two of these are at most 80 turns.
        longest_random_game: (24 * 7 + 24) * 80,
        ..Facts::BLANK
    };
    const TAGGED: Option<Tagged> = Some(Tagged::Pdn("21"));

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
    const EFFORT: u64 = 6;

    fn men_at_top() -> u64 {
        (1 << 12) - 1
    }
}
