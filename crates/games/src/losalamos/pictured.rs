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
        rules: &["A pawn moves one square only"],
        options: &[],
        turns: "d3 c4 dxc4",
        shows: "White's pawn went from d2 to d3 and captured Black's pawn, which had gone from c5 to c4.",
    },
];
