//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["At the start there are four"],
        options: &[],
        turns: "",
        shows: "The start.",
    },
    Pictured {
        rules: &["On your turn you put a disc", "All enemy discs of these lines"],
        options: &["-size=6"],
        turns: "c2",
        shows: "Black put a disc on c2. White's disc on c3 stood between c2 and a black disc, and was turned over.",
    },
    Pictured {
        rules: &["In at least one of the eight"],
        options: &["-size=6"],
        turns: "c2 b2",
        shows: "White put a disc on b2. The line goes diagonally from b2 to d4, so the disc on c3 between them was turned over; c2 is in no such line.",
    },
    Pictured {
        rules: &["If you can turn no disc"],
        options: &["-size=6"],
        turns: "b3 d2 e4 a3 a2 d5 e3 f2 c6 f4 a4 c2 f3 f5 f6 d6 d1 b1 e6 e2 f1 c5 e5 pass",
        shows: "White could turn no disc and had to pass, so it is Black's turn again.",
    },
    Pictured {
        rules: &["The player with more discs wins."],
        options: &["-size=6"],
        turns: "e4 e5 d5 e3 f2 c5 b6 e2 c2 b5 f5 b3 b4 a5 e6 f6 b2 a6 d6 b1 d2 c6 f4 f3 a2 d1 a4 f1 c1 a3 e1 a1",
        shows: "The board is full, and White has more discs. White has won.",
    },
    Pictured {
        rules: &["Equal numbers are a draw."],
        options: &["-size=6"],
        turns: "b3 d2 e2 b2 d1 e3 b4 b5 f4 f2 e5 e1 a1 c5 f1 b1 c6 d5 a5 e6 c1 c2 d6 f3 e4 a6 b6 a4 f6 f5 a3 a2",
        shows: "The board is full, and each side has eighteen discs: a draw.",
    },
];
