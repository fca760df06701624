//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &[
            "The rows at the bottom and at the top",
            "On your turn you put one peg",
        ],
        options: &["-size=8"],
        turns: "d4",
        shows: "First put a peg into d4. First's borders are the bottom and the top row, Second's the left and the right column.",
    },
    Pictured {
        rules: &["Two pegs of yours that are"],
        options: &["-size=8", "-noswap"],
        turns: "d4 g7 e6",
        shows: "First's pegs on d4 and e6 are a knight's move apart, and are linked.",
    },
    Pictured {
        rules: &["But no link crosses another"],
        options: &["-size=8", "-noswap"],
        turns: "d4 e5 e6 d7",
        shows: "Second's pegs on e5 and d7 are a knight's move apart too, but First's link is in the way.",
    },
    Pictured {
        rules: &["You win with a chain"],
        options: &["-size=8", "-noswap"],
        turns: "d4 g7 e6 g5 c2 b6 d8 g3 e1",
        shows: "First's pegs on e1, c2, d4, e6 and d8 are linked and join the bottom and the top. First has won.",
    },
    Pictured {
        rules: &["So the second player may write swap", "A peg on c2 becomes"],
        options: &["-size=8"],
        turns: "c2 swap",
        shows: "First's peg was on c2. Second wrote swap, so a peg of Second is on b3 now, and it is First's turn.",
    },
];
