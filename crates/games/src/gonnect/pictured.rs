//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["On your turn you put one stone"],
        options: &["-size=7"],
        turns: "d4",
        shows: "Black put a stone on d4.",
    },
    Pictured {
        rules: &["You win with a chain", "It may be from left to right"],
        options: &["-size=7", "-noswap"],
        turns: "a4 c2 b4 d2 c4 e2 c3 e3 d3 e5 e4 f2 d4 f3 f4 b2 g4",
        shows: "Black's stones from a4 to g4 join the left and the right. Black has won.",
    },
    Pictured {
        rules: &["A group that your stone leaves without a liberty"],
        options: &["-size=7", "-noswap"],
        turns: "d4 e4 e5 d5 f4 c4 f6 d3",
        shows: "White put a stone on d3, and took Black's stone on d4.",
    },
    Pictured {
        rules: &["So the second player may write swap"],
        options: &["-size=7"],
        turns: "d4 swap",
        shows: "Black's first stone was on d4. White wrote swap, so a white stone is there now, and it is Black's turn.",
    },
];
