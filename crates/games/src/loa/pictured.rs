//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["At the start Black's twelve"],
        options: &[],
        turns: "",
        shows: "The start.",
    },
    Pictured {
        rules: &["With -scrambled"],
        options: &["-scrambled"],
        turns: "",
        shows: "The start with -scrambled.",
    },
    Pictured {
        rules: &["On your turn you move one piece", "It moves exactly as many"],
        options: &[],
        turns: "b1-b3",
        shows: "Column b has two pieces, so the piece on b1 moved two cells, to b3.",
    },
    Pictured {
        rules: &["It may jump over pieces"],
        options: &[],
        turns: "b1-h1",
        shows: "The bottom row has six pieces, so the piece on b1 moved six cells, to h1, over its own side's pieces.",
    },
    Pictured {
        rules: &["It stops on an empty cell"],
        options: &[],
        turns: "b1-b3 a3-c1",
        shows: "The diagonal from a3 to c1 has two pieces, so White's piece moved two cells and captured on c1.",
    },
    Pictured {
        rules: &["You win when all your pieces", "Pieces hang together if"],
        options: &["-scrambled"],
        turns: "h2-f4 h3-f1 c8-c6 h5-f7 a5-c3 a2-d5 h4-h7 c1-a3 b1-a2 d5-e5 c6-c4 a4-c2 c3-a5 d8-e7 c4-f1 e7-e3 \
                h6-e3 f7-c7 f4-d2 g1-h2 g8-g7 a6-c4 e8-b8 a3-b2 h7-h5 h2-h4 e3-f3 e5-e3 a5-c5 h4-f2 c5-a5 c7-a5 \
                b8-c7 a5-c5 c7-b6 c2-d3 h5-h6 b2-d4 g7-g8 d3-e4 b6-d6 c5-d5 h6-f8",
        shows: "All of White's pieces hang together. White has won.",
    },
];
