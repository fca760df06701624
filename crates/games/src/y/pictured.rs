//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &[
            "A cell inside the board touches",
            "On your turn you put one stone",
        ],
        options: &["-size=6"],
        turns: "c2",
        shows: "First put a stone on c2. It touches c1, d1, b2, d2, b3 and c3.",
    },
    Pictured {
        rules: &[
            "You win with an unbroken chain",
            "It need not be a line",
            "The first such chain decides.",
        ],
        options: &["-size=5", "-noswap"],
        turns: "b2 a3 b3 c2 a4 c1 c3 a1 b1",
        shows: "First's chain touches the left side with a4, the right side with c3 and the bottom with b1. First has won.",
    },
    Pictured {
        rules: &["A corner belongs to both sides"],
        options: &["-size=5", "-noswap"],
        turns: "a1 b2 a2 b3 a3 c2 a4 d1 a5",
        shows: "The stones in column a touch the left side, the bottom with the corner a1, and the right side with the corner a5. First has won.",
    },
    Pictured {
        rules: &["So the second player may write swap"],
        options: &["-size=5"],
        turns: "c2 swap",
        shows: "First's stone was on c2. Second wrote swap, so a stone of Second is there now, and it is First's turn.",
    },
];
