//! Forms, by Steven W. Meyers: cut your own stones off the board before your opponent does.

mod effects;
mod estimate;
mod judge;
mod pictured;
pub mod solve;
#[cfg(test)]
mod tests;
mod turn;

use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::{
    Display, Facts, Info, Numbers, OptionFact, Options, Outcome, Range, Refusal, Rules, Seat, Worked,
};
use crate::kit::picture::{self, Layout};
use crate::kit::square::Bits;
use crate::kit::square::{Cell, Grid};
pub use turn::Turn;

/// The greatest number of columns and rows.
const MAX_SIZE: u8 = 18;

const FACTS: Facts = Facts {
    name: "Forms",
    aliases: &[],
    title: "Forms",
    sides: ["Black", "White"],
    roles: None,
    score: None,
    letters: ["x", "o"],
    neutral: "",
    options: &[
        OptionFact {
            name: "standard",
            range: None,
            help: "the standard rules: halves at the start, captures near and far, no slides",
        },
        OptionFact {
            name: "size",
            range: Some(Range {
                min: 4,
                max: MAX_SIZE as u32,
                step: 2,
                default: MAX_SIZE as u32,
                numbers: Numbers::Whole,
            }),
            help: "how many rows and columns the board has",
        },
    ],
    designer: "Steven W. Meyers",
    summary: "Capture and slide to cut stones off. If you have no stone on your turn, you win.",
    rules: include_str!("rules.txt"),
    notation: "The cell of the stone and the cell that it moves to, with a hyphen between them: e4-e2. Captures and slides \
               are written alike.",
    worked: Worked {
        options: &["-size=4"],
        before: &["c2-d2", "b4-a4", "a2-b2", "a3-b3", "b1-c1"],
        turns: [
            (
                "c3-d3",
                "The stones on b3 and b2 do not hang together with the stone on d3, so they left the board.",
            ),
            (
                "d2-c3",
                "The stone slid over the empty cell c2, round a corner, to c3. The stones on c1 and d1 do not hang \
                 together with it, so they left the board.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["b1-a1", "c1-c2", "d1-e1", "d2-e2"],
    source: "Steven W. Meyers, 2007; advanced rules 2011",
    revision: 1,
    knows_draws: false,
    knows_pass: false,
    knows_swap: false,
    has_dice: false,
    // Every turn removes at least one stone, and the stone that moved last remains.
    longest_random_game: MAX_SIZE as usize * MAX_SIZE as usize - 1,
};

/// A position of Forms.
///
/// The stones are always joined: they fill the board at the start, and after a turn only those joined to the moved
/// stone remain. So the player to move always has a capture, if both sides have stones; and the opponent always has
/// one, the stone that moved last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forms {
    grid: Grid,
    /// First Black's, then White's.
    stones: [Bits; 2],
    mover: Seat,
    standard: bool,
}

impl Forms {
    fn own(&self) -> Bits {
        self.stones[self.mover.index()]
    }

    fn enemy(&self) -> Bits {
        self.stones[self.mover.other().index()]
    }

    fn occupied(&self) -> Bits {
        self.stones[0] | self.stones[1]
    }

    fn empty(&self) -> Bits {
        self.grid.cells() - self.occupied()
    }

    /// The cells to which the stone on `from` may move.
    fn targets(&self, from: Cell) -> Bits {
        if self.standard {
            self.enemy()
        } else {
            Bits::of(from).adjacent() & self.enemy() | self.slides(from)
        }
    }

    fn slides(&self, from: Cell) -> Bits {
        let reach = self.reach(from);
        if reach.is_empty() {
            return reach;
        }
        reach - self.ties(from)
    }

    /// The empty cells that orthogonal steps over empty cells reach.
    fn reach(&self, from: Cell) -> Bits {
        Bits::of(from).adjacent().spread(self.empty())
    }

    /// The cells from which the stone on `from` would still join all stones: the neighbours of every part into which
    /// the others fall without it. A slide to such a cell would remove nothing, which is illegal.
    fn ties(&self, from: Cell) -> Bits {
        let others = self.occupied() - Bits::of(from);
        // All stones are joined, so each part has a stone next to this one.
        let mut near = Bits::of(from).adjacent() & others;
        let mut ties = self.grid.cells();
        while let Some(cell) = near.first() {
            let part = Bits::of(cell).spread(others);
            ties &= part.adjacent();
            near -= part;
        }
        ties
    }

    fn letter(&self, cell: Cell) -> Option<char> {
        let [black, white] = self.stones.map(|stones| stones.has(cell));
        match (black, white) {
            (true, _) => Some('x'),
            (_, true) => Some('o'),
            _ => None,
        }
    }

    /// Turn number `n` in the order of [`turns`](Rules::turns).
    fn nth(&self, mut n: u64) -> Option<Turn> {
        for from in self.own() {
            let targets = self.targets(from);
            let count = u64::from(targets.count());
            if n < count {
                let to = targets.iter().nth(n as usize)?;
                return Some(Turn { from, to });
            }
            n -= count;
        }
        None
    }
}

impl Rules for Forms {
    const FACTS: Facts = FACTS;

    type Turn = Turn;

    fn start(options: &Options) -> Result<Self, Refusal> {
        let standard = options.has("standard");
        // The grid allows every number of the option.
        let grid = Grid::new(options.number(&FACTS, "size") as u8);
        let black = |cell: &Cell| match standard {
            true => cell.row() < grid.size() / 2,
            // The size is even: the top left corner has an odd row and column 0.
            false => (cell.row() + cell.column()) % 2 == 1,
        };
        let black: Bits = grid.cells().iter().filter(black).collect();
        Ok(Self {
            grid,
            stones: [black, grid.cells() - black],
            mover: Seat::First,
            standard,
        })
    }

    fn to_move(&self) -> Option<Seat> {
        (!self.own().is_empty()).then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Turn, Refusal> {
        self.judge(&turn::parse(text, self.grid)?)
    }

    fn play(&mut self, turn: &Turn) {
        let [own, enemy] = [self.mover, self.mover.other()].map(Seat::index);
        self.stones[own].remove(turn.from);
        self.stones[own].insert(turn.to);
        self.stones[enemy].remove(turn.to);
        let form = Bits::of(turn.to).spread(self.occupied());
        self.stones = self.stones.map(|stones| stones & form);
        self.mover = self.mover.other();
    }

    fn effects(&self, turns: &[Turn]) -> Vec<String> {
        self.in_words(turns)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.own().is_empty().then_some(Outcome::Won(self.mover))
    }

    fn turns(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        for from in self.own() {
            for to in self.targets(from) {
                each(&Turn { from, to })?;
            }
        }
        ControlFlow::Continue(())
    }

    fn count(&self) -> u64 {
        let (own, enemy) = (self.own(), self.enemy());
        if self.standard {
            return u64::from(own.count()) * u64::from(enemy.count());
        }
        let steps = [own.north(), own.south(), own.east(), own.west()];
        let captures = steps.iter().map(|step| (*step & enemy).count());
        let sliding = own & self.empty().adjacent();
        let slides = sliding.iter().map(|from| self.slides(from).count());
        captures.chain(slides).map(u64::from).sum()
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Turn> {
        let count = self.count();
        (count > 0)
            .then(|| rng.random_range(0..count))
            .and_then(|n| self.nth(n))
    }

    fn draw(&self, display: Display) -> String {
        self.grid.draw(display, |cell| self.letter(cell).unwrap_or('.'))
    }

    fn cells(&self) -> Vec<(String, char)> {
        self.grid.occupied(|cell| self.letter(cell))
    }

    fn layout(&self) -> Layout {
        picture::square(self.grid)
    }

    fn info(&self) -> Info {
        Info::new()
    }
}
