//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &[
            "On your turn you put one stone",
            "An empty crossing beside a stone",
        ],
        options: &["-size=9"],
        turns: "e5",
        shows: "Black put a stone on e5. Its liberties are d5, e4, e6 and f5.",
    },
    Pictured {
        rules: &["If a group has one liberty left"],
        options: &["-size=9"],
        turns: "d4 e4 e5 d5 f4 c4",
        shows: "Black's stone on d4 has white neighbours on c4, d5 and e4. Its last liberty is d3, so it is in atari.",
    },
    Pictured {
        rules: &["A group that your stone leaves without a liberty"],
        options: &["-size=9"],
        turns: "d4 e4 e5 d5 f4 c4 g6 d3",
        shows: "White put a stone on d3, and took Black's stone on d4.",
    },
    Pictured {
        rules: &["To take your own stones"],
        options: &["-size=9"],
        turns: "b1 e5 a2 e6 g7",
        shows: "White may not put a stone on a1: it would have no liberty and take nothing.",
    },
    Pictured {
        rules: &["So if each side could take one stone"],
        options: &["-size=9"],
        turns: "d5 e5 c4 f4 d3 e3 g7 d4 e4",
        shows: "Black's stone on e4 took a white stone on d4. White may not take back with d4 at once.",
    },
    Pictured {
        rules: &["When both players pass", "Each player counts the area"],
        options: &["-size=9"],
        turns: "a5 a6 b5 b6 c5 c6 d5 d6 e5 e6 f5 f6 g5 g6 h5 h6 j5 j6 pass pass",
        shows: "Both passed. Black's area is 45 crossings. White's is 36, and 43.5 with the komi. Black has won.",
    },
    Pictured {
        rules: &["With -handicap the stones"],
        options: &["-size=9", "-handicap=5"],
        turns: "c5",
        shows: "Black had five stones at the start, and White put the first stone of the game on c5.",
    },
];
