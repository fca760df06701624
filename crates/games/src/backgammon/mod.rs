//! Backgammon, by the rules that clubs play by: bear off all your checkers first.

use super::families::backgammon::{self as family, BackgammonGame, Variant};
use super::{Facts, Worked};

/// A position of Backgammon.
pub type Backgammon = family::Backgammon<Usual>;

/// The rule of Backgammon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usual;

impl BackgammonGame for Usual {
    const VARIANT: Variant = Variant::Backgammon;
    const VARIATION: &'static str = "Backgammon";

    const FACTS: Facts = Facts {
        name: "Backgammon",
        title: "Backgammon",
        summary: "Race your checkers home with dice, and hit those that stand alone.",
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
                    "White rolled 3-1 against each other, so White begins with it, and makes the point 5: two checkers \
                     there cannot be hit.",
                ),
                (
                    "64:24/14",
                    "One checker of Black moves 6 and then 4. It stands alone on 14, where White can hit it.",
                ),
            ],
        },
        pictured: family::PICTURED,
        designer: "unknown, antiquity; the cube New York, about 1926",
        source: "Rules of Backgammon, Backgammon Galore (bkgm.com)",
        ..family::FACTS
    };
}
