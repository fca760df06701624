//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["They are numbered", "At the start Black's"],
        options: &[],
        turns: "",
        shows: "The start. The numbers at the sides are those of the first and the last square of each row.",
    },
    Pictured {
        rules: &["A man moves one square"],
        options: &[],
        turns: "11-15",
        shows: "Black's man went one square diagonally forward, from 11 to 15.",
    },
    Pictured {
        rules: &["You must capture if you can."],
        options: &[],
        turns: "11-15 22-18",
        shows: "Black must capture: the man on 15 is next to White's on 18, and 22 behind it is empty.",
    },
    Pictured {
        rules: &["A man captures a piece", "It jumps to that square"],
        options: &[],
        turns: "11-15 22-18 15x22",
        shows: "Black's man jumped from 15 to 22. White's man on 18 has left the board.",
    },
];
