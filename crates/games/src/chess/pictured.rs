//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["Each player has a king"],
        options: &[],
        turns: "",
        shows: "The start.",
    },
    Pictured {
        rules: &[
            "The pawn moves one square ahead",
            "It captures one square diagonally",
        ],
        options: &[],
        turns: "e4 d5 exd5",
        shows: "White's pawn went from e2 to e4, and captured Black's pawn on d5.",
    },
    Pictured {
        rules: &["A pawn that has just moved two"],
        options: &[],
        turns: "e4 a6 e5 d5 exd6",
        shows: "Black's pawn went from d7 to d5, past White's on e5, which has captured it and stands on d6.",
    },
    Pictured {
        rules: &["If the king and a rook"],
        options: &[],
        turns: "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O",
        shows: "White has castled: the king went from e1 to g1, and the rook from h1 to f1.",
    },
    Pictured {
        rules: &["If you cannot get it out"],
        options: &[],
        turns: "f3 e5 g4 Qh4",
        shows: "Black's queen attacks the king on e1, and nothing helps: checkmate. Black has won.",
    },
    Pictured {
        rules: &["With -960=N the pieces"],
        options: &["-960=0"],
        turns: "",
        shows: "The start with number 0.",
    },
];
