//! International draughts, on a hundred squares.

mod pictured;
#[cfg(test)]
mod tests;

use crate::families::draughts::{Board, DIAGONALS, Draughts, DraughtsRules, Ways};
use crate::tagged::Tagged;
use crate::{Facts, Worked};

/// A position of International.
pub type International = Draughts<Rule>;

/// The rules of International draughts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule;

impl DraughtsRules for Rule {
    const FACTS: Facts = Facts {
        name: "International",
        aliases: &["InternationalDraughts"],
        title: "International draughts",
        sides: ["White", "Black"],
        letters: ["oO", "xX"],
        designer: "traditional",
        summary: "Draughts on a hundred squares: kings fly, and you must capture the most.",
        rules: include_str!("rules.txt"),
        notation: "The number of the square of the piece and the number of the square where it goes: 32-28. A capture has an x \
                   and names every square where the piece stops: 32x23x14; 32-23-14 is read too, and 32x14 if only one \
                   capture begins and ends there.",
        worked: Worked {
            options: &[],
            before: &["32-28", "19-23"],
            turns: [
                (
                    "28x19",
                    "White must capture: the man on 28 jumps over the man on 23 to the empty square 19.",
                ),
                (
                    "14x23",
                    "Black takes back: the man on 14 jumps over the man on 19 to the empty square 23.",
                ),
            ],
        },
        pictured: pictured::PICTURED,
        example: &["32-28", "19-23", "28x19", "14x23"],
        source: "World Draughts Federation (FMJD), Official rules for international draughts",
        knows_draws: true,
        // Each man has at most nine steps, and there are 40 pieces to capture. Between two of these are at most 50 turns.
        longest_random_game: (40 * 9 + 40) * 50,
        ..Facts::BLANK
    };
    const TAGGED: Option<Tagged> = Some(Tagged::Pdn("20"));

    const BOARD: &'static Board = &Board::dark(10);
    const FIRST_IS_AT_TOP: bool = false;
    const MAN_MOVES: Ways = &[1, 7];
    const MAN_CAPTURES: Ways = DIAGONALS;
    const KING_MOVES: Ways = DIAGONALS;
    const KING_CAPTURES: Ways = DIAGONALS;
    const KINGS_FLY: bool = true;
    const MOST_IS_DUTY: bool = true;
    const MAX_IDLE: Option<u16> = Some(50);
    const MOVES: [&'static str; 2] = [
        "A man moves one square diagonally forward.",
        "A king moves diagonally over empty squares.",
    ];
    const KING_WORTH: i32 = 300;
    const EFFORT: u64 = 10;

    fn men_at_top() -> u64 {
        (1 << 20) - 1
    }

    /// A lone king against at most three pieces with a king among them: 16 turns of each player, or 5 against two or one.
    fn drawn_after(men: [u32; 2], kings: [u32; 2]) -> Option<u16> {
        let is_lone = |seat: usize| men[seat] == 0 && kings[seat] == 1;
        let other = match (is_lone(0), is_lone(1)) {
            (true, _) => 1,
            (_, true) => 0,
            _ => return None,
        };
        match (men[other] + kings[other], kings[other]) {
            (_, 0) => None,
            (1 | 2, _) => Some(10),
            (3, _) => Some(32),
            _ => None,
        }
    }
}
