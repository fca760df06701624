//! Go, an old Chinese game: whose stones have more of the board.

mod estimate;
mod pictured;
#[cfg(test)]
mod tests;

use super::families::liberties::{Liberties, LibertyGame};
use super::sgf::{Points, Sgf, Swapped};
use super::{Facts, Info, Mistake, Mistakes, OptionFact, Options, Outcome, Seat, Worked};
use crate::kit::square::{Bits, Cell, Grid};

const FACTS: Facts = Facts {
    name: "Go",
    aliases: &["Baduk", "Weiqi"],
    title: "Go",
    options: &[
        OptionFact::one_of("size", &[9, 13, 19], 13, "the number of rows and of columns"),
        OptionFact::halves("komi", [0, 200, 15], "the points that White has for being second"),
        OptionFact::number(
            "handicap",
            [2, 9, 2],
            "stones that Black has at the start; then White begins",
        ),
    ],
    designer: "nobody known, in China more than two thousand years ago",
    summary: "Surround more of the board than your opponent.",
    rules: include_str!("rules.txt"),
    notation: "The crossing of the stone, such as d4, or pass. The letters of the columns leave out i.",
    worked: Worked {
        options: &["-size=9"],
        before: &["d4", "e4", "e5", "d5", "f4", "c4"],
        turns: [
            (
                "g6",
                "Black puts a stone elsewhere, and overlooks the stone on d4: it has one liberty left, the crossing below it.",
            ),
            (
                "d3",
                "White takes that liberty, so Black's stone is captured. Now e4 has a liberty more, where it stood.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["d4", "k10", "k4", "pass"],
    source: "the rules of John Tromp and Bill Taylor (https://tromp.github.io/go.html), without suicide; handicap stones as in \
             the Go Text Protocol, version 2",
    knows_draws: true,
    knows_pass: true,
    // A random game ends with two passes, each with a chance of 1 in 19 or more: one of more than 10,000 turns is not met.
    longest_random_game: 20_000,
    ..Facts::BLANK
};

/// A position of Go.
pub type Go = Liberties<Territory>;

/// The rule of Go: whose area is greater, with the komi, which is counted in halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Territory {
    komi: i32,
}

/// How many halves of a point Black has more than White, with the komi.
fn lead(at: &Go) -> i32 {
    let [black, white] = at.board.area().map(|area| area.count() as i32);
    2 * (black - white) - at.game.komi
}

/// A number of halves: `7.5`.
fn halves(number: i32) -> String {
    let half = if number % 2 == 0 { "" } else { ".5" };
    format!("{}{half}", number / 2)
}

impl LibertyGame for Territory {
    const FACTS: Facts = FACTS;

    const SGF: Option<Sgf> = Some(Sgf {
        number: 1,
        points: Points::LettersWithI,
        first_row_is_top: false,
        swap: Swapped::SamePoint,
        source: "the page for Go of FF[4]: https://red-bean.com/sgf/go.html",
    });

    const EFFORT: u64 = 60;

    const MISTAKES: Mistakes = Mistakes {
        easy: Mistake {
            noise: 20,
            overlooked: 40,
        },
        medium: Mistakes::USUAL.medium,
    };

    fn start(options: &Options) -> Self {
        Self {
            // The option allows no number above 200.
            komi: options.number(&FACTS, "komi") as i32,
        }
    }

    /// As the Go Text Protocol places them.
    fn handicap(options: &Options, grid: Grid) -> Bits {
        if !options.has("handicap") {
            return Bits::EMPTY;
        }
        let stones = options.number(&FACTS, "handicap") as usize;
        let (low, middle) = (if grid.size() < 13 { 2 } else { 3 }, grid.size() / 2);
        let high = grid.size() - 1 - low;
        let corners = [(low, low), (high, high), (low, high), (high, low)];
        let sides = [(low, middle), (high, middle), (middle, low), (middle, high)];
        // With an odd number of five and more the last one stands in the middle.
        let has_middle = stones >= 5 && stones % 2 == 1;
        let places = corners.into_iter().chain(sides);
        let placed = places.take(stones - usize::from(has_middle));
        let placed = placed.chain(has_middle.then_some((middle, middle)));
        placed.map(|(column, row)| Cell::at(column, row)).collect()
    }

    fn end(at: &Go, _: Bits) -> Option<Outcome> {
        (at.passes == 2).then(|| match lead(at) {
            0 => Outcome::Drawn,
            lead if lead > 0 => Outcome::Won(Seat::First),
            _ => Outcome::Won(Seat::Second),
        })
    }

    fn ended(after: &Go) -> Option<String> {
        let [black, white] = after.board.area().map(|area| area.count());
        let komi = halves(after.game.komi);
        Some(format!("ended the game (area: {black} to {white}, komi {komi})"))
    }

    fn info(at: &Go) -> Info {
        let areas = at.board.area().map(|area| area.count());
        vec![("area", FACTS.sides.into_iter().zip(areas).collect())]
    }

    fn status(at: &Go) -> Option<String> {
        let [black, white] = at.board.area().map(|area| area.count());
        let passed = if at.passes == 1 { ", one pass" } else { "" };
        let komi = halves(at.game.komi);
        Some(format!("Area: Black {black} White {white}, komi {komi}{passed}"))
    }

    fn value(at: &Go) -> i32 {
        Self::estimated(at)
    }

    fn worth_a_look(at: &Go, legal: Bits) -> Bits {
        let near = legal & at.near_stones_and_corners();
        near.iter()
            .filter(|cell| !at.board.is_eye(at.mover, *cell))
            .collect()
    }

    /// Only a pass ends the game.
    fn may_win(_: &Go, _: Bits) -> Bits {
        Bits::EMPTY
    }
}
