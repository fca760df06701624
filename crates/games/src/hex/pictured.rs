//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &[
            "A cell inside the board touches",
            "On your turn you put one stone",
        ],
        options: &["-size=5"],
        turns: "c2",
        shows: "First put a stone on c2. It touches c1, d1, b2, d2, b3 and c3.",
    },
    Pictured {
        rules: &["You win with an unbroken chain", "The first chain decides."],
        options: &["-size=4", "-noswap"],
        turns: "b2 c2 b3 c3 c1 b1 b4",
        shows: "The stones on c1, b2, b3 and b4 join the bottom and the top. First has won.",
    },
    Pictured {
        rules: &["So the second player may write swap", "A stone on c2 becomes"],
        options: &["-size=5"],
        turns: "c2 swap",
        shows: "First's stone was on c2. Second wrote swap, so a stone of Second is on b3 now, and it is First's turn.",
    },
];
