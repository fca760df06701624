//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["Black's first stone is put", "Then each player in turn"],
        options: &[],
        turns: "h8 i9",
        shows: "Black's first stone is on h8, the middle. White put a stone on i9.",
    },
    Pictured {
        rules: &["A stone takes a pair"],
        options: &[],
        turns: "h8 i9 g7 j10 k11",
        shows: "Black put a stone on k11. White's stones on i9 and j10 were between h8 and k11, and are taken.",
    },
    Pictured {
        rules: &["A stone that is put between"],
        options: &[],
        turns: "h8 a1 k8 i8 a3 j8",
        shows: "White put stones on i8 and j8, between Black's stones on h8 and k8. They are not taken.",
    },
    Pictured {
        rules: &["You also win with five"],
        options: &[],
        turns: "h8 a1 i8 a3 j8 a5 k8 a7 l8",
        shows: "Black has five stones in a row, from h8 to l8, and no pair of them can be taken. Black has won.",
    },
];
