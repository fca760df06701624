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
    Pictured {
        rules: &["If it can capture again"],
        options: &[],
        turns: "32-27 19-23 33-28 23x32x21",
        shows: "Black's man jumped from 23 to 32 and went on to 21, backward. It captured two men in one turn.",
    },
    Pictured {
        rules: &["A man whose turn ends"],
        options: &[],
        turns: "35-30 16-21 30-25 19-23 33-29 23-28 32x23 14-19 23x14 10x19 25x14x23 21-26 31-27 5-10 40-35 \
                13-19 23x14x5",
        shows: "White's man ended its turn on the last row, on 5. It is a king now.",
    },
    Pictured {
        rules: &["A king moves diagonally"],
        options: &[],
        turns: "31-27 20-24 34-30 16-21 27x16 14-20 32-27 9-14 39-34 3-9 38-32 19-23 30x19x28 20-24 43-39 14-19 \
                27-22 18x27x38x29 34x23x14x3 24-29 3-20",
        shows: "White's king went from 3 over the empty squares 9 and 14 to 20.",
    },
    Pictured {
        rules: &["You lose if it is your turn"],
        options: &[],
        turns: "32-27 17-21 37-32 11-17 32-28 21x32x23 31-27 7-11 42-37 18-22 27x18x7 1x12 34-29 23x34 40x29 \
                2-7 39-34 12-18 36-31 19-23 44-40 20-24 29x20 14x25 37-32 9-14 47-42 15-20 32-28 23x32 38x27 \
                25-30 35x24x15 18-23 42-37 4-9 15x4 16-21 27x16 13-19 4x13x35 23-28 33x22 17x28 35x2 7-12 \
                16x7x18 3-9 2-24 5-10 43-39 6-11 24-13 14-20 13x4x15x33x22x6",
        shows: "Black has no piece left. White has won.",
    },
];
