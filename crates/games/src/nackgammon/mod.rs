//! Nackgammon, by Nack Ballard: Backgammon from a start with two more checkers far behind.

use super::families::backgammon::{self as family, BackgammonGame, Variant};
use super::{Facts, Worked};

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
        pictured: family::PICTURED,
        designer: "Nack Ballard",
        source: "Nackgammon, Backgammon Galore (bkgm.com/variants)",
        ..family::FACTS
    };
}
