//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["At the start each player's"],
        options: &[],
        turns: "",
        shows: "The start.",
    },
    Pictured {
        rules: &[
            "On your turn you move one pawn",
            "White's pawns go up",
            "Straight ahead only",
        ],
        options: &["-size=5"],
        turns: "c2-c3",
        shows: "White's pawn went one step straight ahead, from c2 to c3.",
    },
    Pictured {
        rules: &["A pawn never moves sideways", "You need not capture."],
        options: &["-size=5"],
        turns: "c2-c3 e4-e3",
        shows: "White's pawn on c3 stands before Black's pawn on c4 and cannot go straight ahead. It can capture on b4 or d4, and need not.",
    },
    Pictured {
        rules: &["Diagonally ahead to"],
        options: &["-size=5"],
        turns: "c2-c3 b4-b3 a2-b3",
        shows: "White's pawn went diagonally ahead from a2 to b3, and captured the pawn there.",
    },
    Pictured {
        rules: &["You win when one of your pawns"],
        options: &["-size=5"],
        turns: "b2-b3 b4-c3 b3-b4 e4-e3 b4-a5",
        shows: "White's pawn has reached the last row on a5. White has won.",
    },
];
