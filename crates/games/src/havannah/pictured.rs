//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &[
            "A cell inside the board touches",
            "On your turn you put one stone",
        ],
        options: &["-size=4"],
        turns: "c2",
        shows: "White put a stone on c2. It touches c1, b1, b2, d2, c3 and d3.",
    },
    Pictured {
        rules: &["A ring goes round", "What is in that cell"],
        options: &["-size=4", "-noswap"],
        turns: "c3 d4 d3 a1 e4 b1 e5 g7 d5 g6 c4",
        shows: "White's six stones go round d4, where a stone of Black is: a ring. White has won.",
    },
    Pictured {
        rules: &["A bridge joins two"],
        options: &["-size=4", "-noswap"],
        turns: "a1 d4 b1 e5 c1 f6 d1",
        shows: "White's stones join the corners a1 and d1: a bridge. White has won.",
    },
    Pictured {
        rules: &["A fork joins three", "A corner belongs to no side."],
        options: &["-size=4", "-noswap"],
        turns: "b1 d2 b2 d3 b3 e4 b4 e5 b5 f6 a2",
        shows: "White's chain touches the bottom with b1, the left side with a2, and the upper left side with b5: a fork. White has won.",
    },
    Pictured {
        rules: &["So the second player may write swap"],
        options: &["-size=4"],
        turns: "d4 swap",
        shows: "White's first stone was on d4. Black wrote swap, so a black stone is there now, and it is White's turn.",
    },
];
