//! Backgammon, by the rules that clubs play by: bear off all your checkers first.

use super::families::backgammon::{self as family, BackgammonGame, Variant, explained};
use super::{Facts, Pictured, Worked};

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
        pictured: &[
            explained::START,
            explained::PLAY,
            explained::HIT,
            explained::BAR,
            Pictured {
                rules: &["When all your checkers are on 6 to 1"],
                options: &[],
                turns: "roll roll 64:8/2,6/2 66:24/18(2),13/7(2) 44:24/16(2) 66:13/7,8/2(3) 66:16/4(2) 66:13/1(2) 55:13/3(2) 55:18/8(2) \
                        66:13/7(3),8/2 66:8/2(2),7/1(2) 66:8/2,7/1(3) 66:7/1,6/off(3) 63:6/off,6/3",
                shows: "All checkers of White were home. With 6-3 the 6 took one off from 6, and the 3 moved another one from 6 to 3.",
            },
            Pictured {
                rules: &["If that point is empty"],
                options: &[],
                turns: "roll roll 64:8/2,6/2 66:24/18(2),13/7(2) 44:24/16(2) 66:13/7,8/2(3) 66:16/4(2) 66:13/1(2) 55:13/3(2) 55:18/8(2) \
                        66:13/7(3),8/2 66:8/2(2),7/1(2) 66:8/2,7/1(3) 66:7/1,6/off(3) 63:6/off,6/3 21:2/off,1/off 66:6/off(2),4/off(2)",
                shows: "With 6-6 White took off the two checkers on 6. Then none was on 6, and the other two dice took those on 4, the \
                        highest point.",
            },
        ],
        designer: "unknown, antiquity; the cube New York, about 1926",
        source: "Rules of Backgammon, Backgammon Galore (bkgm.com)",
        ..family::FACTS
    };
}
