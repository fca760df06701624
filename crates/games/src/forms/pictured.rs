//! The pictures in the rules.

use crate::Pictured;

pub(super) const PICTURED: &[Pictured] = &[
    Pictured {
        rules: &["At the start every cell", "The stone in the top left"],
        options: &[],
        turns: "",
        shows: "The start.",
    },
    Pictured {
        rules: &["Capture: it moves", "A capture is always legal."],
        options: &["-size=4"],
        turns: "c2-d2",
        shows: "The black stone of c2 has captured the white stone on d2. All stones still hang together, so all others stay.",
    },
    Pictured {
        rules: &[
            "A form is a group",
            "Its stones may be",
            "Stones that touch only",
            "Only the form with the stone",
            "All other stones",
        ],
        options: &["-size=4"],
        turns: "c2-d2 b4-a4 a2-b2 a3-b3 b1-c1 c3-d3",
        shows: "A white stone captured on d3. The stones on b2 and b3 do not hang together with it, so they left the board.",
    },
    Pictured {
        rules: &["Slide: it moves", "A slide is legal only"],
        options: &["-size=4"],
        turns: "c2-d2 b4-a4 a2-b2 a3-b3 b1-c1 c3-d3 d2-c3",
        shows: "A black stone slid from d2 over the empty cell c2, round a corner, to c3. The stones on c1 and d1 left the board.",
    },
    Pictured {
        rules: &[
            "If it is your turn and you have no stone",
            "So the player who makes the last turn",
        ],
        options: &["-size=4"],
        turns: "a2-a3 b2-c2 b1-a1",
        shows: "Only a black stone is left, and it is the turn of White, who has none. White has won.",
    },
    Pictured {
        rules: &[
            "At the start the lower half",
            "There are no slides.",
            "A stone can capture any",
            "Then only the form",
        ],
        options: &["-size=4", "-standard"],
        turns: "b2-c3",
        shows: "With -standard, after the first turn: the black stone of b2 has captured on c3, over other stones.",
    },
];
