//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["Black begins with one stone"],
        options: &["-size=9"],
        turns: "e5",
        shows: "Black put one stone on e5. White now puts two.",
    },
    Pictured {
        rules: &["Then each player in turn", "So after each turn"],
        options: &["-size=9"],
        turns: "e5 d6 f6",
        shows: "White put stones on d6 and f6, and has one stone more than Black. Black now puts two.",
    },
    Pictured {
        rules: &["You win with six or more"],
        options: &["-size=9"],
        turns: "c3 a9 b9 d4 e5 a8 i8 f6 g7 a1 i1 h8",
        shows: "Black has six stones in a diagonal line, from c3 to h8. Black has won.",
    },
];
