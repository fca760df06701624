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
    Pictured {
        rules: &["A line moves one cell"],
        options: &[],
        turns: "f3-g4 d8-g5",
        shows: "Black's men on d8, e7 and f6 were a line. It went one cell: d8 is empty now, and there is a man on g5.",
    },
    Pictured {
        rules: &["A man captures a piece", "The man jumps"],
        options: &[],
        turns: "f3-g4 d8-g5 g4xg6",
        shows: "White's man jumped from g4 to g6. Black's man on g5 has left the board.",
    },
    Pictured {
        rules: &["If it can capture again"],
        options: &[],
        turns: "c3-d4 d6-d5 d4xd6xb6",
        shows: "White's man jumped from d4 to d6 and went on sideways to b6. It captured two men in one turn.",
    },
    Pictured {
        rules: &["A man whose turn ends"],
        options: &[],
        turns: "f1-f4 b8-a7 c3-d4 d6-d5 d4xd6xb6xb8",
        shows: "White's man ended its turn on the last row, on b8. It is a king now.",
    },
    Pictured {
        rules: &["It captures a piece straight"],
        options: &[],
        turns: "f1-f4 b8-a7 c3-d4 d6-d5 d4xd6xb6xb8 d8-g5 b8xd8xd5xh5",
        shows: "White's king on b8 captured three pieces, near and far, and stopped on h5.",
    },
    Pictured {
        rules: &["You lose if it is your turn"],
        options: &[],
        turns: "f2-d4 c6-b5 c3-c4 b8-e5 c1-f4 g8-g6 d2-d5 e5xc5xc3xc1 f4-f5 f6xf4xf2xd2 e1-e2 d2xf2xh2 h1xh3 \
                c1xe1xe4xb4 a1-a2 d8-b6 g1-g2 f7-h5 a2-a3 e6-f5 b2-c3 c7-a5 d3-c4 b4xg4xg1xe1xa1xa4 h3-h4 h5xh3 \
                c3-b4 a4xd4",
        shows: "White has no piece left. Black has won.",
    },
];
