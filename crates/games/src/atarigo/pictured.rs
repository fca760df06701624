//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &[
            "On your turn you put one stone",
            "An empty crossing beside a stone",
        ],
        options: &["-size=7"],
        turns: "d4",
        shows: "Black put a stone on d4. Its liberties are c4, d3, d5 and e4.",
    },
    Pictured {
        rules: &["If a group has one liberty left"],
        options: &["-size=7"],
        turns: "d4 e4 e3 c3 f4",
        shows: "White's stone on e4 has black neighbours on d4, e3 and f4. Its last liberty is e5, so it is in atari.",
    },
    Pictured {
        rules: &["Who takes the last liberty"],
        options: &["-size=7"],
        turns: "d4 e4 e3 c3 f4 b5 e5",
        shows: "Black put a stone on e5 and captured White's stone on e4. Black has won.",
    },
    Pictured {
        rules: &["To take your own stones"],
        options: &["-size=7"],
        turns: "b1 e5 a2 e6 f2",
        shows: "White may not put a stone on a1: it would have no liberty and take nothing.",
    },
];
