//! Gomoku, an old Japanese game: five stones in a row.

mod estimate;
mod pictured;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::sgf::{Points, Sgf, Swapped};
use super::{Display, Facts, Info, OptionFact, Options, Outcome, Range, Refusal, Rules, Seat, Worked};
use crate::kit::picture::{self, Layout};
use crate::kit::square::{Bits, Cell, Grid};
use crate::kit::stone::{Stone, Swap};
use crate::kit::words::number;

const FACTS: Facts = Facts {
    name: "Gomoku",
    aliases: &["FiveInARow"],
    title: "Gomoku",
    sides: ["Black", "White"],
    roles: None,
    score: None,
    letters: ["x", "o"],
    neutral: "",
    options: &[
        OptionFact {
            name: "exact",
            range: None,
            help: "six and more in a row do not win",
        },
        OptionFact {
            name: "size",
            range: Some(Range {
                min: 9,
                max: 19,
                step: 1,
                default: 15,
            }),
            help: "the number of rows and of columns",
        },
        OptionFact {
            name: "noswap",
            range: None,
            help: "the second player cannot swap",
        },
    ],
    designer: "nobody known",
    summary: "Put stones on the board; five in a row win.",
    rules: include_str!("rules.txt"),
    notation: "The crossing of the stone: h8. The second player can write swap in the place of the first own turn.",
    worked: Worked {
        options: &["-size=9"],
        before: &[],
        turns: [
            (
                "e5",
                "The middle is a strong place for the first stone. Perhaps it is too strong:",
            ),
            (
                "swap",
                "White takes the place with a stone of its own, and Black goes on. A first stone nearer to the edge \
                 would not have been worth it.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["h8", "i9", "h7", "h9"],
    source: "free Gomoku as in the rules of the Renju International Federation's history of the game, with the swap of the first stone",
    revision: 1,
    knows_draws: true,
    knows_pass: false,
    knows_swap: true,
    // One turn for each crossing of the largest board, and the swap.
    longest_random_game: 362,
};

/// The stones in a row that win.
const ROW: u8 = 5;

/// A position of Gomoku.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gomoku {
    grid: Grid,
    is_exact: bool,
    /// Black's, then White's.
    stones: [Bits; 2],
    mover: Seat,
    allows_swap: bool,
    winner: Option<Seat>,
}

impl Gomoku {
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

    /// The lengths of the four rows of this side through a cell.
    fn rows(&self, seat: Seat, cell: Cell) -> [u8; 4] {
        let stones = self.stones[seat.index()];
        let size = self.grid.size() as i8;
        let length = |right: i8, up: i8| {
            let place = |step: i8| (cell.column() as i8 + step * right, cell.row() as i8 + step * up);
            let on_board = |at: i8| (0..size).contains(&at);
            let has = |step: &i8| {
                let (column, row) = place(*step);
                on_board(column) && on_board(row) && stones.has(Cell::at(column as u8, row as u8))
            };
            (1..size).take_while(has).count() as u8
        };
        [(1, 0), (0, 1), (1, 1), (1, -1)].map(|(right, up)| 1 + length(right, up) + length(-right, -up))
    }

    fn wins(&self, row: u8) -> bool {
        row == ROW || (row > ROW && !self.is_exact)
    }

    fn letter(&self, cell: Cell) -> Option<char> {
        match self.stones.map(|stones| stones.has(cell)) {
            [true, _] => Some('x'),
            [_, true] => Some('o'),
            _ => None,
        }
    }
}

impl Rules for Gomoku {
    const FACTS: Facts = FACTS;

    const SGF: Option<Sgf> = Some(Sgf {
        number: 4,
        points: Points::Letters,
        first_row_is_top: false,
        swap: Swapped::SamePoint,
        source: "FF[4] has no page for Gomoku: points as in Go, which programs for Gomoku write",
    });

    type Turn = Stone;

    fn start(options: &Options) -> Result<Self, Refusal> {
        Ok(Self {
            // The option allows no number above 19.
            grid: Grid::new(options.number(&FACTS, "size") as u8),
            is_exact: options.has("exact"),
            stones: [Bits::EMPTY; 2],
            mover: Seat::First,
            allows_swap: !options.has("noswap"),
            winner: None,
        })
    }

    fn to_move(&self) -> Option<Seat> {
        (!self.open().is_empty()).then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Stone, Refusal> {
        if self.to_move().is_none() {
            return Err(Refusal::illegal("The game is over."));
        }
        Stone::read(text, self.grid, self.empty(), self.swap(), "h8")
    }

    fn play(&mut self, turn: &Stone) {
        match *turn {
            Stone::On(cell) => {
                self.stones[self.mover.index()].insert(cell);
                if self.rows(self.mover, cell).into_iter().any(|row| self.wins(row)) {
                    self.winner = Some(self.mover);
                }
            }
            Stone::Swap => self.stones.swap(0, 1),
        }
        self.mover = self.mover.other();
    }

    fn effects(&self, turns: &[Stone]) -> Vec<String> {
        let mut effects = Vec::new();
        let mut position = *self;
        for turn in turns {
            let (mover, first) = (position.mover, position.stones[0].first());
            position.play(turn);
            match (*turn, first) {
                (Stone::Swap, Some(cell)) => effects.push(format!("replaced Black's stone on {cell}")),
                (Stone::On(cell), _) if position.winner.is_some() => {
                    let rows = position.rows(mover, cell).into_iter();
                    let longest = rows.filter(|row| position.wins(*row)).max().unwrap_or(ROW);
                    effects.push(format!("got {} in a row", number(usize::from(longest))));
                }
                _ if position.empty().is_empty() => effects.push("filled the board".to_owned()),
                _ => {}
            }
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.winner {
            Some(winner) => Some(Outcome::Won(winner)),
            None => self.empty().is_empty().then_some(Outcome::Drawn),
        }
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
        let board = self.grid.draw_crossings(display, |cell| self.letter(cell));
        if self.can_swap() {
            return format!("swap is possible\n\n{board}");
        }
        board
    }

    fn cells(&self) -> Vec<(String, char)> {
        let letter = |cell: Cell| Some((cell.to_string(), self.letter(cell)?));
        self.grid.in_reading_order().filter_map(letter).collect()
    }

    fn layout(&self) -> Layout {
        picture::crossings(self.grid)
    }

    fn info(&self) -> Info {
        Info::new()
    }
}
