//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["At the start Light has"],
        options: &[],
        turns: "",
        shows: "The start: two light pieces at the right, two dark ones at the left.",
    },
    Pictured {
        rules: &[
            "Move one of your pieces along",
            "If there are none, the turn ends",
        ],
        options: &[],
        turns: "m13-j7",
        shows: "Light's piece went from m13 along a line to j7. No piece is next to it, so the turn ended there.",
    },
    Pictured {
        rules: &[
            "Otherwise you place one",
            "A new piece goes on an empty point",
            "The piece that moved and each",
            "A fresh piece (a capital",
        ],
        options: &[],
        turns: "m13-m5:l4",
        shows: "Light's piece went from m13 to m5, next to the piece on m1. So a new piece was placed on l4, fresh. The pieces on m5 and m1 have aged: an aged piece has a ring.",
    },
    Pictured {
        rules: &["Count the pieces next to", "New pieces and your opponent's"],
        options: &[],
        turns: "m13-m5:l4 a1-i1:j2",
        shows: "Dark's piece went to i1, next to Light's aged piece on m1, and a new one was placed on j2. The piece on i1 has aged, with a ring; Light's did not age.",
    },
    Pictured {
        rules: &[
            "The point that you left may be used.",
            "Each new piece serves",
            "An aged piece goes back",
        ],
        options: &[],
        turns: "m13-m5:l4 a1-i1:j2 l4-k3:j4,l4",
        shows: "Light's piece went from l4 to k3, next to j2 and m1. New pieces are on j4 and on l4, the point that it left. The piece on m1 had a ring, and went back to the supply.",
    },
    Pictured {
        rules: &[
            "You win if all your sixteen",
            "The first player who has all sixteen",
        ],
        options: &[],
        turns: "m13-e9 a1-d2 e9-c11:b10 a13-f11 m1-h3 f11-e11 h3-j2 e11-e3:d4 b10-c9 d4-f6 c11-d10:e9 \
                e3-e7:e5,d7 c9-d10:c9 e5-a7:c8,a9 j2-e5:g5,c6 d2-e3:f3 e9-k9 a7-e3:g1,d4 c6-b4:c5 g1-a1:c3 \
                c9-e9:e7,c9 d4-g1:g4 e9-m13 a1-e1:e3 k9-l10:m9 e3-g1:h3 c9-d10 a9-b10:c9 d10-e11 d7-g13:e13 \
                m9-e9:d7,f8,d10,f11 c3-e1:e3 d10-a13:c11,d12 e1-a1:a5 e5-f3:g1,e5 a5-a1:c3 g1-e1:g1,d2",
        shows: "All of Light's sixteen pieces are on the board, fresh and aged. Light has won.",
    },
];
