//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["At the start each player"],
        options: &[],
        turns: "",
        shows: "The start.",
    },
    Pictured {
        rules: &["A man moves one cell"],
        options: &[],
        turns: "d3-d4",
        shows: "White's man went one cell straight forward, from d3 to d4.",
    },
];
