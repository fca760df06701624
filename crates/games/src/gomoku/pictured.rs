//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["On your turn you put one stone"],
        options: &["-size=9"],
        turns: "e5",
        shows: "Black put a stone on e5.",
    },
    Pictured {
        rules: &["You win with five"],
        options: &["-size=9", "-noswap"],
        turns: "c3 c4 d4 d5 e5 e6 f6 f7 g7",
        shows: "Black has five stones in a diagonal line, from c3 to g7. Black has won.",
    },
    Pictured {
        rules: &["So the second player may write swap"],
        options: &["-size=9"],
        turns: "e5 swap",
        shows: "Black's first stone was on e5. White wrote swap, so a white stone is there now, and it is Black's turn.",
    },
    Pictured {
        rules: &["With -exact only a row"],
        options: &["-size=9", "-noswap", "-exact"],
        turns: "c3 a1 d4 a2 e5 a4 g7 a5 h8 a7 f6",
        shows: "With -exact: Black has six stones in a line, from c3 to h8, and has not won.",
    },
];
