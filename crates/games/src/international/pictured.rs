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
        turns: "32-28",
        shows: "White's man went one square diagonally forward, from 32 to 28.",
    },
    Pictured {
        rules: &["You must capture if you can."],
        options: &[],
        turns: "32-28 19-23",
        shows: "White must capture: the man on 28 is next to Black's on 23, and 19 behind it is empty.",
    },
    Pictured {
        rules: &["A man captures a piece", "It jumps to that square."],
        options: &[],
        turns: "32-28 19-23 28x19",
        shows: "White's man jumped from 28 to 19. Black's man on 23 has left the board.",
    },
];
