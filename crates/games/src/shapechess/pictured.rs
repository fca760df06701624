//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["Drop Put a stone"],
        options: &[],
        turns: "c5",
        shows: "Black dropped a stone on c5.",
    },
    Pictured {
        rules: &["Jump Move a stone"],
        options: &[],
        turns: "c5 j9 c5-h3",
        shows: "Black's stone jumped from c5 to h3.",
    },
    Pictured {
        rules: &["Push Move an enemy stone", "None of your stones needs"],
        options: &[],
        turns: "c5 j9 d5 j8 e5 k3 f5 c10 g5 g5-h5",
        shows: "White pushed the black stone of g5 to h5, and put a stone of its own on g5.",
    },
    Pictured {
        rules: &[
            "After your action, all your symmetric",
            "Each scores its number",
            "Then you must act again",
        ],
        options: &[],
        turns: "c5 j9 d5 j8 e5 k3 f5 c10 g5 g5-h5 g5-g6",
        shows: "Black pushed the white stone of g5 to g6. So six black stones stood in a row, c5 to h5: a symmetric shape. It left the board and scored 1 point, and it is Black's turn again.",
    },
    Pictured {
        rules: &["The first player with four points"],
        options: &[],
        turns: "a5 l1 b5 l3 c5 l5 d5 l7 f5 l9 g5 l11 h5 a12 i5 c12 e5",
        shows: "A stone on e5 joined two rows of four to a row of nine, which left the board: nine stones minus five are four points. Black has won.",
    },
];
