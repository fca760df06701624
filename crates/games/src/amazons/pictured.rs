//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["Each player has four"],
        options: &[],
        turns: "",
        shows: "The start.",
    },
    Pictured {
        rules: &[
            "A turn has two steps",
            "Move one of your amazons.",
            "It goes like the queen of chess",
            "All cells on its way",
            "Shoot an arrow",
            "The arrow flies like a queen too",
        ],
        options: &["-size=6"],
        turns: "b1-b4/e4",
        shows: "White's amazon went straight up from b1 to b4, and shot an arrow (#) along the row to e4.",
    },
    Pictured {
        rules: &["It may fly through the cell"],
        options: &["-size=6"],
        turns: "b1-b3/b1",
        shows: "White's amazon went from b1 to b3, and the arrow stays on b1, the cell that it has just left.",
    },
    Pictured {
        rules: &["Nothing moves onto or across"],
        options: &["-size=6"],
        turns: "b1-a1/b2 f5-e4/b1",
        shows: "The amazon on a1 is shut in: the arrows on b1 and b2 and the amazon on a2 are all around it.",
    },
    Pictured {
        rules: &["The player who cannot move loses.", "So the last player to move"],
        options: &["-size=6"],
        turns: "a2-a1/f6 a5-e5/d6 b1-b4/b5 b6-c6/d5 b4-f4/e4 c6-c1/c5 e1-d2/b2 c1-c4/b3 a1-a2/a3 c4-c2/d1 d2-d4/d2 c2-d3/e3 d4-c4/c3 d3-d4/d3 f2-f1/f2",
        shows: "It is Black's turn, and each of Black's amazons is shut in. White has won.",
    },
];
