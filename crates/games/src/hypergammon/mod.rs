//! Hypergammon, by Hugh Sconyers: Backgammon with three checkers a side.

mod pictured;

use super::families::backgammon::{self as family, BackgammonGame, Variant};
use super::{Facts, Worked};

/// A position of Hypergammon.
pub type Hypergammon = family::Backgammon<ThreeCheckers>;

/// The rule of Hypergammon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThreeCheckers;

impl BackgammonGame for ThreeCheckers {
    const VARIANT: Variant = Variant::Hypergammon;
    const VARIATION: &'static str = "HyperGammon (3)";

    const FACTS: Facts = Facts {
        name: "Hypergammon",
        title: "Hypergammon",
        summary: "Backgammon with three checkers a side: short, and full of hits.",
        rules: concat!(
            include_str!("start.txt"),
            include_str!("../families/backgammon/rules.txt"),
            include_str!("advice.txt"),
        ),
        worked: Worked {
            options: &[],
            before: &["roll", "roll"],
            turns: [
                (
                    "31:24/21,22/21",
                    "White begins with 3-1, and brings two checkers together on 21, where they cannot be hit.",
                ),
                (
                    "21:24/22,23/22",
                    "Black brings all three together on 22, out of the reach of most dice.",
                ),
            ],
        },
        example: &["roll", "roll", "31:24/21,22/21", "21:24/22,23/22"],
        pictured: pictured::PICTURED,
        designer: "Hugh Sconyers",
        source: "Hypergammon, Backgammon Galore (bkgm.com/variants)",
        ..family::FACTS
    };
}
