//! Hex, by Piet Hein, 1942, and John Nash, 1948: join your two sides of the board.

mod estimate;
mod pictured;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::sgf::{Points, Sgf, Swapped};
use super::{Display, Facts, Info, OptionFact, Options, Outcome, Range, Refusal, Rules, Seat, Worked};
use crate::kit::hexagons::{Form, Hexagons};
use crate::kit::picture::{self, Layout, Tone};
use crate::kit::square::{Bits, Cell, Grid};
use crate::kit::stone::{Stone, Swap};

const FACTS: Facts = Facts {
    name: "Hex",
    aliases: &[],
    title: "Hex",
    sides: ["First", "Second"],
    roles: Some(["dark (x): join top and bottom", "light (o): join left and right"]),
    score: None,
    letters: ["x", "o"],
    neutral: "",
    options: &[
        OptionFact {
            name: "size",
            range: Some(Range {
                min: 3,
                max: 19,
                step: 1,
                default: 11,
            }),
            help: "the number of rows and of columns",
        },
        OptionFact {
            name: "noswap",
            range: None,
            help: "the second player cannot swap",
        },
    ],
    designer: "Piet Hein and John Nash",
    summary: "Put stones on a board of hexagons and join your two sides.",
    rules: include_str!("rules.txt"),
    notation: "The cell of the stone: c5. The second player can write swap in the place of the first own turn.",
    worked: Worked {
        options: &["-size=5"],
        before: &[],
        turns: [
            (
                "c2",
                "A stone near the middle is strong. Perhaps it is too strong:",
            ),
            (
                "swap",
                "Column and row are exchanged, so that the stone is worth as much to the second player, who joins left \
                 and right.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["c5", "f6", "g5", "e7"],
    source: "Piet Hein, Polygon, Politiken 1942; the swap as on Little Golem, by the place and not by the seat",
    revision: 1,
    knows_draws: false,
    knows_pass: false,
    knows_swap: true,
    // One turn for each cell of the largest board, and the swap.
    longest_random_game: 362,
};

/// A position of Hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hex {
    grid: Grid,
    /// First's, then Second's.
    stones: [Bits; 2],
    /// The stones of each side that are joined to its first edge: the bottom, or the left.
    joined: [Bits; 2],
    mover: Seat,
    allows_swap: bool,
    winner: Option<Seat>,
}

impl Hex {
    fn empty(&self) -> Bits {
        self.grid.cells() - self.stones[0] - self.stones[1]
    }

    /// The cells for the next stone; none at the end.
    fn open(&self) -> Bits {
        match self.winner {
            None => self.empty(),
            Some(_) => Bits::EMPTY,
        }
    }

    fn swap(&self) -> Swap {
        let is_first_turn = self.mover == Seat::Second && self.stones[1].is_empty();
        match (self.allows_swap, is_first_turn) {
            (false, _) => Swap::Excluded,
            (true, true) => Swap::Possible,
            (true, false) => Swap::Past,
        }
    }

    fn can_swap(&self) -> bool {
        self.swap() == Swap::Possible
    }

    /// Puts a stone of the mover on an empty cell.
    fn put(&mut self, cell: Cell) {
        let side = self.mover.index();
        self.stones[side].insert(cell);
        let height = |cell: Cell| [cell.row(), cell.column()][side];
        let stone = Bits::of(cell);
        if height(cell) == 0 || stone.hexagonal().meets(self.joined[side]) {
            // Only what the new stone joins is new.
            let apart = self.stones[side] - self.joined[side];
            let more = stone.spread_hexagonal(apart);
            self.joined[side] |= more;
            if more.iter().any(|cell| height(cell) + 1 == self.grid.size()) {
                self.winner = Some(self.mover);
            }
        }
    }

    fn letter(&self, cell: Cell) -> Option<char> {
        match self.stones.map(|stones| stones.has(cell)) {
            [true, _] => Some('x'),
            [_, true] => Some('o'),
            _ => None,
        }
    }
}

/// The mirror image in the long diagonal, which exchanges the goals.
const fn mirrored(cell: Cell) -> Cell {
    Cell::at(cell.row(), cell.column())
}

impl Rules for Hex {
    const FACTS: Facts = FACTS;

    const SGF: Option<Sgf> = Some(Sgf {
        number: 11,
        points: Points::Names,
        first_row_is_top: true,
        swap: Swapped::Word("swap-pieces"),
        source: "https://red-bean.com/sgf/hex.html and HexWiki; Little Golem's files are read too",
    });

    type Turn = Stone;

    fn start(options: &Options) -> Result<Self, Refusal> {
        Ok(Self {
            // The option allows no number above 19.
            grid: Grid::new(options.number(&FACTS, "size") as u8),
            stones: [Bits::EMPTY; 2],
            joined: [Bits::EMPTY; 2],
            mover: Seat::First,
            allows_swap: !options.has("noswap"),
            winner: None,
        })
    }

    fn to_move(&self) -> Option<Seat> {
        self.winner.is_none().then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Stone, Refusal> {
        if self.winner.is_some() {
            return Err(Refusal::illegal("The game is over."));
        }
        Stone::read(text, self.grid, self.empty(), self.swap(), "c5")
    }

    fn play(&mut self, turn: &Stone) {
        match *turn {
            Stone::On(cell) => self.put(cell),
            Stone::Swap => {
                let first = self.stones[0].first();
                (self.stones[0], self.joined[0]) = (Bits::EMPTY, Bits::EMPTY);
                if let Some(cell) = first {
                    self.put(mirrored(cell));
                }
            }
        }
        self.mover = self.mover.other();
    }

    fn effects(&self, turns: &[Stone]) -> Vec<String> {
        let mut effects = Vec::new();
        let mut position = *self;
        for turn in turns {
            let (mover, first) = (position.mover, position.stones[0].first());
            position.play(turn);
            if let (Stone::Swap, Some(cell)) = (*turn, first) {
                effects.push(format!("replaced x on {cell} by o on {}", mirrored(cell)));
            }
            if position.winner.is_some() {
                effects.push(match mover {
                    Seat::First => "joined bottom and top".to_owned(),
                    Seat::Second => "joined left and right".to_owned(),
                });
            }
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        self.winner.map(Outcome::Won)
    }

    fn turns(&self, each: &mut dyn FnMut(&Stone) -> ControlFlow<()>) -> ControlFlow<()> {
        self.open().iter().try_for_each(|cell| each(&Stone::On(cell)))?;
        if self.can_swap() {
            each(&Stone::Swap)?;
        }
        ControlFlow::Continue(())
    }

    fn count(&self) -> u64 {
        u64::from(self.open().count()) + u64::from(self.can_swap())
    }

    /// A swap is as likely as any stone.
    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Stone> {
        let count = self.count();
        let place = (count > 0).then(|| rng.random_range(0..count))?;
        match self.open().iter().nth(place as usize) {
            Some(cell) => Some(Stone::On(cell)),
            None => Some(Stone::Swap),
        }
    }

    fn draw(&self, display: Display) -> String {
        let board = Hexagons::new(Form::Rhombus, self.grid.size()).draw(display, |cell| self.letter(cell));
        let swap = if self.can_swap() { "; swap is possible" } else { "" };
        format!("x joins bottom and top, o left and right{swap}\n\n{board}")
    }

    fn cells(&self) -> Vec<(String, char)> {
        let letter = |cell: Cell| Some((cell.to_string(), self.letter(cell)?));
        self.grid.in_reading_order().filter_map(letter).collect()
    }

    fn layout(&self) -> Layout {
        picture::rhombus(self.grid.size(), [Tone::Dark, Tone::Light])
    }

    fn info(&self) -> Info {
        Info::new()
    }
}
