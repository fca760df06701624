//! What the three games share for help and lists.

use crate::facts::OptionFact;
use crate::{Facts, Worked};

/// The facts of a game of this family but for its name, start and rules.
pub const FACTS: Facts = Facts {
    sides: ["White", "Black"],
    letters: ["o", "x"],
    options: &[OptionFact::one_of(
        "points",
        &[1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25],
        1,
        "a match of this many points, with a cube if there is more than one",
    )],
    notation: "Of each checker the point where it is and the point where it goes: 8/5 6/5. You count the points from your own \
               side, 24 to 1; bar/21 brings a checker in, 6/off takes it off, 8/4(2) moves two, and an asterisk marks a hit, \
               8/5*, or is left out. The order does not matter. pass, if no checker can move; with a cube also roll, double, \
               take and drop. In a match you give a game up with concede, concede gammon or concede backgammon, and answer that \
               with accept or refuse.",
    worked: Worked {
        options: &[],
        before: &[],
        turns: [("", ""); 2],
    },
    example: &["roll", "roll", "31:8/5,6/5", "64:24/14"],
    knows_pass: true,
    has_dice: true,
    longest_random_game: 60_000,
    ..Facts::BLANK
};
