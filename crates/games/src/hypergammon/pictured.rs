//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &[
            "White (o) and Black (x)",
            "You count the points",
            "At the start you have one",
            "Points 6 to 1 are",
        ],
        options: &[],
        turns: "",
        shows: "The start, as White sees it. White's home is at the bottom on the right, and White's checkers go there.",
    },
    Pictured {
        rules: &["Each die moves one checker", "The server then rolls"],
        options: &[],
        turns: "roll roll 31:24/21,22/21",
        shows: "White rolled 3-1 against each other and begins. Both checkers stand on 21, where they cannot be hit.",
    },
];
