//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["On your turn you put one stone", "The first stone is put on h8"],
        options: &[],
        turns: "h8 i9 h10",
        shows: "Three stones of the opening: h8 in the middle, i9 beside it, and h10 two crossings away.",
    },
    Pictured {
        rules: &["After each of these five stones"],
        options: &[],
        turns: "h8 i9 swap",
        shows: "First wrote swap. All stones changed their owner: Second is Black now, with the stone on h8, and goes on.",
    },
    Pictured {
        rules: &["The server refuses such a stone"],
        options: &[],
        turns: "h8 g9 j8 e5 i6 a1 i7 a3",
        shows: "First is Black, and may not put a stone on i8: with h8 and j8, and with i6 and i7, it would make two threes.",
    },
    Pictured {
        rules: &["Black wins with exactly five"],
        options: &[],
        turns: "h8 i9 i7 g9 j6 h9 g7 a1 g6 a3 k5 a5 l4",
        shows: "Black has exactly five stones in a diagonal line, from h8 to l4. First is Black. First has won.",
    },
];
