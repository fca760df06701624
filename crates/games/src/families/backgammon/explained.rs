//! The pictures in the rules of the games with fifteen checkers. Both bear off in their own.

use crate::Pictured;

/// The start.
pub const START: Pictured = Pictured {
    rules: &[
        "White (o) and Black (x)",
        "You count the points",
        "At the start you have two",
        "Points 6 to 1 are",
    ],
    options: &[],
    turns: "",
    shows: "The start, as White sees it. White's home is at the bottom on the right, and White's checkers go there.",
};

/// A play.
pub const PLAY: Pictured = Pictured {
    rules: &["Each die moves one checker", "The server then rolls"],
    options: &[],
    turns: "roll roll 31:8/5,6/5",
    shows: "White rolled 3-1 against each other and begins. The 3 moved a checker from 8 to 5, and the 1 another from 6 to 5, as \
                White counts. Black, who is to move, sees the board from the other side.",
};

/// A hit.
pub const HIT: Pictured = Pictured {
    rules: &["A checker may go where", "That one is hit"],
    options: &[],
    turns: "roll roll 63:24/15 43:13/10*,13/9",
    shows: "White's checker stood alone, and Black hit it: it is on the bar.",
};

/// A checker that comes in.
pub const BAR: Pictured = Pictured {
    rules: &[
        "While you have a checker on the bar",
        "It comes in at the point",
        "A point with two or more",
        "If no checker can move",
    ],
    options: &[],
    turns: "roll roll 63:24/15 43:13/10*,13/9 52:bar/20,13/11",
    shows: "With 5-2 White's checker came in on 20, the fifth point from 24. A 6 would not have brought it in: Black has several \
                checkers there.",
};
