//! Dameo, by Christian Freeling, 2000: draughts on all squares, with lines of men that move as one.

mod pictured;
#[cfg(test)]
mod tests;

use crate::families::draughts::{Board, Draughts, DraughtsRules, Ways};
use crate::{Facts, Worked};

/// A position of Dameo.
pub type Dameo = Draughts<Rule>;

/// The rules of Dameo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule;

impl DraughtsRules for Rule {
    const FACTS: Facts = Facts {
        name: "Dameo",
        title: "Dameo",
        sides: ["White", "Black"],
        letters: ["oO", "xX"],
        designer: "Christian Freeling",
        summary: "Draughts on all squares, where a whole line of men moves as one.",
        rules: include_str!("rules.txt"),
        notation: "The cell of the piece and the cell where it goes, with a hyphen between them: c3-c4. For a line of men name \
                   its last man and the empty cell ahead of the line: b1-e4. A capture has an x and names every cell where \
                   the piece stops: d5xd7xf7; hyphens are read too, and d5xf7 if only one capture begins and ends there.",
        worked: Worked {
            options: &[],
            before: &["f3-g4"],
            turns: [
                (
                    "d8-g5",
                    "The men on d8, e7 and f6 are a line and go one cell: d8 is empty now, and there is a man on g5.",
                ),
                (
                    "g4xg6",
                    "White must capture: the man on g4 jumps over the man on g5 to the empty cell g6.",
                ),
            ],
        },
        pictured: pictured::PICTURED,
        example: &["f3-g4", "d8-g5", "g4xg6"],
        source: "Christian Freeling, Dameo, mindsports.nl",
        knows_draws: true,
        // Repetition bounds a game only in theory: of 1000 random ones the mean was 71 turns and the longest had 171.
        longest_random_game: 3000,
        ..Facts::BLANK
    };
    const BOARD: &'static Board = &Board::all(8);
    const FIRST_IS_AT_TOP: bool = false;
    const MAN_MOVES: Ways = &[0, 1, 7];
    const MAN_CAPTURES: Ways = &[0, 2, 4, 6];
    const KING_MOVES: Ways = &[0, 1, 2, 3, 4, 5, 6, 7];
    const KING_CAPTURES: Ways = &[0, 2, 4, 6];
    const KINGS_FLY: bool = true;
    const MOST_IS_DUTY: bool = true;
    const LINES_MOVE: bool = true;
    const MAX_IDLE: Option<u16> = None;
    const MOVES: [&'static str; 2] = [
        "A man moves one cell forward, straight or diagonally, or over a line of own men to the empty cell ahead of it.",
        "A king moves in a straight line over empty cells.",
    ];
    const KING_WORTH: i32 = 350;
    const EFFORT: u64 = 10;

    /// Eight, six and four, from the edge on.
    fn men_at_top() -> u64 {
        0xFF | 0x7E << 8 | 0x3C << 16
    }
}
