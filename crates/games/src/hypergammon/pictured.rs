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
    Pictured {
        rules: &["A checker may go where", "That one is hit"],
        options: &[],
        turns: "roll roll 64:24/14 65:22/11*",
        shows: "White's checker stood alone on 14, which is Black's 11. Black hit it: it is on the bar.",
    },
    Pictured {
        rules: &["While you have a checker on the bar", "It comes in at the point"],
        options: &[],
        turns: "roll roll 64:24/14 65:22/11* 42:bar/21,23/21",
        shows: "With 4-2 White's checker came in on 21, the fourth point from 24, and then the 2 brought another one to it.",
    },
    Pictured {
        rules: &["When all your checkers are on 6 to 1", "If that point is empty"],
        options: &[],
        turns: "roll roll 65:24/18,23/18 66:24/12,23/17,22/16 66:22/10,18/12(2) 66:17/5,16/10,12/6 66:12/off,12/6,10/4 21:10/8,6/5 \
                43:6/3,4/off",
        shows: "White had checkers on 6 and 4. With 4-3 the 4 took off the one on 4; none was on 3, so the 3 moved the one on 6.",
    },
];
