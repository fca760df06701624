//! Nackgammon, by Nack Ballard: Backgammon from a start with two more checkers far behind.

use super::families::backgammon::{self as family, BackgammonGame, Variant, explained};
use super::{Facts, Pictured, Worked};

/// A position of Nackgammon.
pub type Nackgammon = family::Backgammon<FourBehind>;

/// The rule of Nackgammon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FourBehind;

impl BackgammonGame for FourBehind {
    const VARIANT: Variant = Variant::Nackgammon;
    const VARIATION: &'static str = "NackGammon";

    const FACTS: Facts = Facts {
        name: "Nackgammon",
        title: "Nackgammon",
        summary: "Backgammon with four checkers far behind: games of holding and timing.",
        rules: concat!(
            include_str!("start.txt"),
            include_str!("../families/backgammon/rules.txt"),
            include_str!("../families/backgammon/advice.txt"),
        ),
        worked: Worked {
            options: &[],
            before: &["roll", "roll"],
            turns: [
                (
                    "31:8/5,6/5",
                    "White begins with 3-1, and makes the point 5: two checkers there cannot be hit.",
                ),
                (
                    "62:24/18,13/11",
                    "Black moves one checker 6 and another 2. Both stand alone, where White can hit them.",
                ),
            ],
        },
        pictured: &[
            explained::START,
            explained::PLAY,
            explained::HIT,
            explained::BAR,
            Pictured {
                rules: &["When all your checkers are on 6 to 1", "If that point is empty"],
                options: &[],
                turns: "roll roll 53:8/3,6/3 66:24/18(2),13/7(2) 55:13/8(4) 66:18/12(2),13/7(2) 55:8/3(4) 55:23/13(2) 44:24/16(2) \
                        66:13/7(2),12/6(2) 66:16/4(2) 66:7/1(4) 55:8/3(2),6/1(2) 55:8/3(3),6/1 66:23/11(2) 66:7/1(2),6/off(2) \
                        66:11/5(2),6/off,5/off",
                shows: "With 6-6 White's last two checkers came home, from 11 to 5. Then the one on 6 went off, and one on 5, since no \
                        checker was on 6 any more.",
            },
        ],
        designer: "Nack Ballard",
        source: "Nackgammon, Backgammon Galore (bkgm.com/variants)",
        ..family::FACTS
    };
}
