//! Ringworm, by Joao Pedro Neto: make rings, burst them into lines, and own more stones in the end.

mod choice;
mod continuations;
mod display;
mod effects;
mod estimate;
mod judge;
mod pictured;
mod rings;
#[cfg(test)]
mod tests;
mod turn;

use std::fmt::Write as _;
use std::ops::ControlFlow;

use rand::Rng;

use super::{Continuations, Display, Facts, Info, Options, Outcome, Refusal, Rules, Seat, Worked};
use crate::kit::hex::{Cell, Cells};
use crate::kit::picture::{self, Layout};
use rings::Stones;
pub use turn::Turn;

const FACTS: Facts = Facts {
    name: "Ringworm",
    aliases: &[],
    title: "Ringworm",
    sides: ["x", "o"],
    roles: Some(["dark (x)", "light (o)"]),
    score: Some("stones"),
    letters: ["x", "o"],
    neutral: "",
    options: &[],
    designer: "Joao Pedro Neto",
    summary: "Drop stones, make rings, burst them into lines that capture; more stones win.",
    rules: include_str!("rules.txt"),
    notation: "The cells of the drops in the order played, then each burst as its pivot and the last cell of its line: \
               q9,t8,n4,p6,n6-i1. If the pivot belongs to two new rings, add the middle of the one that you burst: \
               n6-i1@o5. Small and capital letters are different. To pass, write pass.",
    worked: Worked {
        options: &[],
        before: &["p4", "k3,l4,t8", "m5,q5,n6,t12"],
        turns: [
            (
                "j2,u7,v8,g9",
                "G9, with a capital letter, is a cell at the right.",
            ),
            (
                "n4,p6,n6-i1",
                "The stone on p6 made a ring around o5, so only two stones were dropped. The pivot n6 stays. The other five \
                 stones of the ring now lie in a line on m5, l4, k3, j2 and i1.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["q9", "t6,u7,v8", "q7,w7,u9,t10", "r8,w9,x10,s9"],
    source: "Joao Pedro Neto, 2009, with his sample game against Bill Taylor",
    revision: 1,
    knows_draws: true,
    knows_pass: true,
    knows_swap: false,
    has_dice: false,
    // Every turn may be a pass, so random games end, but without a strict bound: of a million, half had at most 66
    // turns and the longest 128. Most ended with a full board.
    longest_random_game: 1000,
};

/// A position of Ringworm, between turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ringworm {
    /// The stones of x, then of o.
    stones: [Cells; 2],
    mover: Seat,
    /// The number of stones that the next turn drops if there is room: 1, 3, then always 4.
    allowance: usize,
    /// The number of passes in a row just now; two end the game.
    passes: u8,
}

impl Ringworm {
    fn stones(&self) -> Stones {
        Stones {
            own: self.stones[self.mover.index()],
            other: self.stones[self.mover.other().index()],
        }
    }

    /// The number of stones that the player drops in this turn unless a drop makes a ring; 0 on a full board.
    fn drops(&self) -> usize {
        self.allowance.min(self.stones().empty().count())
    }

    fn is_over(&self) -> bool {
        self.passes >= 2 || self.drops() == 0
    }

    fn letter(&self, cell: Cell) -> Option<char> {
        match self.stones.map(|stones| stones.has(cell)) {
            [true, _] => Some('x'),
            [_, true] => Some('o'),
            _ => None,
        }
    }
}

impl Rules for Ringworm {
    const FACTS: Facts = FACTS;

    const CAPITALS: Option<&'static str> =
        Some("The columns a to g are on the left of the board, the columns A to G on the right.");

    type Turn = Turn;

    fn start(_: &Options) -> Result<Self, Refusal> {
        Ok(Self {
            stones: [Cells::EMPTY; 2],
            mover: Seat::First,
            allowance: 1,
            passes: 0,
        })
    }

    fn to_move(&self) -> Option<Seat> {
        (!self.is_over()).then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Turn, Refusal> {
        self.judge(&turn::parse(text)?)
    }

    fn continuations(&self, begun: &str) -> Result<Continuations, Refusal> {
        self.goes_on(begun)
    }

    fn play(&mut self, turn: &Turn) {
        let mut stones = self.stones();
        for cell in &turn.drops {
            stones.drop(*cell);
        }
        for burst in &turn.bursts {
            stones.burst(burst);
        }
        self.stones[self.mover.index()] = stones.own;
        self.mover = self.mover.other();
        self.stones[self.mover.index()] = stones.other;
        self.allowance = if self.allowance == 1 { 3 } else { 4 };
        self.passes = if turn.drops.is_empty() { self.passes + 1 } else { 0 };
    }

    fn effects(&self, turns: &[Turn]) -> Vec<String> {
        self.in_words(turns)
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.is_over() {
            return None;
        }
        let [first, second] = self.stones.map(|stones| stones.count());
        Some(match first.cmp(&second) {
            std::cmp::Ordering::Greater => Outcome::Won(Seat::First),
            std::cmp::Ordering::Less => Outcome::Won(Seat::Second),
            std::cmp::Ordering::Equal => Outcome::Drawn,
        })
    }

    /// Passing first, then the drops in the order of the cells. Four drops alone have two billion orderings, and
    /// chains of bursts multiply them, so the caller must stop early.
    fn turns(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.is_over() {
            return ControlFlow::Continue(());
        }
        each(&Turn::default())?;
        choice::list(self.stones(), self.drops(), each)
    }

    /// Computed at once if no ring is possible in this turn. Otherwise the turns are visited one by one, which is not
    /// feasible for four drops.
    fn count(&self) -> u64 {
        if self.is_over() {
            return 0;
        }
        1 + choice::count_without_rings(self.stones(), self.drops()).unwrap_or_else(|| {
            let mut count = 0;
            let _ = choice::list(self.stones(), self.drops(), &mut |_| {
                count += 1;
                ControlFlow::Continue(())
            });
            count
        })
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Turn> {
        (!self.is_over()).then(|| choice::random(self.stones(), self.drops(), rng))
    }

    fn draw(&self, display: Display) -> String {
        let [x, o] = self.stones.map(|stones| stones.count());
        let mut drawn = format!("Stones: x {x} o {o}\n");
        if let Some(mover) = self.to_move() {
            let (side, drops) = (FACTS.sides[mover.index()], self.drops());
            let stones = if drops == 1 { "stone" } else { "stones" };
            let _ = writeln!(drawn, "{side} drops {drops} {stones}.");
        }
        drawn.push('\n');
        drawn.push_str(&display::draw(display, |cell| self.letter(cell)));
        drawn
    }

    fn cells(&self) -> Vec<(String, char)> {
        let letter = |cell: Cell| Some((cell.to_string(), self.letter(cell)?));
        Cell::ALL.into_iter().filter_map(letter).collect()
    }

    fn layout(&self) -> Layout {
        picture::hexagon()
    }

    fn info(&self) -> Info {
        let side = |seat: Seat| FACTS.sides[seat.index()];
        let stones = Seat::BOTH.map(|seat| (side(seat), self.stones[seat.index()].count() as u32));
        let drops = self.to_move().map(|seat| (side(seat), self.drops() as u32));
        vec![
            ("stones", stones.to_vec()),
            ("drops", drops.into_iter().collect()),
        ]
    }
}
