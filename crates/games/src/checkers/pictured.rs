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
    Pictured {
        rules: &["If the man can capture again"],
        options: &[],
        turns: "9-14 23-19 6-9 19-15 11x18 22x15x6",
        shows: "White's man jumped from 22 to 15 and went on to 6. It captured two men in one turn.",
    },
    Pictured {
        rules: &["A man that reaches the last row", "If it reached that row"],
        options: &[],
        turns: "9-14 23-18 14x23 26x19 11-16 30-26 16x23x30",
        shows: "Black's man reached the last row on 30 by a capture. It is a king now, and its turn is over.",
    },
    Pictured {
        rules: &["A king moves one square"],
        options: &[],
        turns: "10-15 24-20 7-10 23-18 2-7 28-24 9-14 18x9x2 11-16 2x11x18",
        shows: "White's king went backward: it jumped from 2 to 11 and on to 18.",
    },
    Pictured {
        rules: &["You lose if it is your turn"],
        options: &[],
        turns: "9-13 22-18 5-9 26-22 1-5 24-20 12-16 18-15 11x18 22x15 10x19x26 20x11 7x16 31x22 8-12 21-17 \
                16-20 30-26 3-8 27-23 12-16 28-24 20x27 23-19 16x23x30 32x23 30x21x14 23-18 14x23 22-17 13x22 \
                29-25 22x29",
        shows: "White has no piece left. Black has won.",
    },
    Pictured {
        rules: &["A position that occurs"],
        options: &[],
        turns: "10-15 22-18 15x22 25x18 11-16 18-14 9x18 23x14 6-9 26-23 9x18 23x14 8-11 21-17 4-8 24-20 1-6 \
                29-25 16-19 20-16 11x20 14-9 6x13x22x29 31-26 12-16 27-23 29-25 30x21 19-24 28x19x12 7-10 26-22 \
                2-6 32-27 10-15 21-17 6-9 17-13 3-7 13x6 20-24 12x3 24x31 3x10x19 5-9 6-2 31-27 2-6 27x18x25 \
                6x13 25-22 13-9 22-26 19-16 26-23 16-12 23-26 9-5 26-23 5-9 23-26 12-16 26-30 16-12 30-26",
        shows: "This position is on the board for the third time. The game is a draw.",
    },
];
