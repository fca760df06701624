//! Reversi: enclose enemy discs and turn them over.

mod estimate;
mod pictured;
mod reading;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::sgf::{Points, Sgf, Swapped};
use super::{
    Display, Facts, Info, Numbers, OptionFact, Options, Outcome, Range, Refusal, Rules, Seat, Worked,
};
use crate::kit::picture::{self, Layout};
use crate::kit::square::{Cell, Grid, SmallBits, Way};
use crate::kit::words::count;

const FACTS: Facts = Facts {
    name: "Reversi",
    aliases: &[],
    title: "Reversi",
    sides: ["Black", "White"],
    roles: None,
    score: Some("discs"),
    letters: ["x", "o"],
    neutral: "",
    options: &[OptionFact {
        name: "size",
        range: Some(Range {
            min: 6,
            max: 10,
            step: 2,
            default: 8,
            numbers: Numbers::Whole,
        }),
        help: "the number of rows and of columns",
    }],
    designer: "Lewis Waterman",
    summary: "Enclose enemy discs in straight lines and turn them over; more discs win.",
    rules: include_str!("rules.txt"),
    notation: "The cell of the disc that you put on the board: d3. If you can turn no disc over, write pass.",
    worked: Worked {
        options: &["-size=6"],
        before: &["c2"],
        turns: [
            (
                "b2",
                "The disc on c3 lies between b2 and White's disc on d4. The disc on c2 stays Black's: no disc of White is \
                 at its other side.",
            ),
            ("a2", "The disc on b2 lies between a2 and Black's disc on c2."),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["d3", "c3", "c4", "e3"],
    source: "the rules of the World Othello Federation, with the start position fixed",
    revision: 1,
    knows_draws: true,
    knows_pass: true,
    knows_swap: false,
    has_dice: false,
    // The largest board has 96 empty cells, and no two passes follow each other.
    longest_random_game: 192,
};

/// A legal turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// A disc on this cell.
    Disc(Cell),
    /// Nothing, since no disc can be turned over.
    Pass,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Disc(cell) => cell.fmt(f),
            Self::Pass => f.write_str("pass"),
        }
    }
}

/// A position of Reversi.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reversi {
    grid: Grid,
    /// Black's, then White's.
    discs: [SmallBits; 2],
    mover: Seat,
    /// The cells on which the mover can put a disc.
    open: SmallBits,
    is_over: bool,
}

impl Reversi {
    const fn own(&self) -> SmallBits {
        self.discs[self.mover.index()]
    }

    const fn enemy(&self) -> SmallBits {
        self.discs[self.mover.other().index()]
    }

    /// The cells on which this side can put a disc.
    fn open_to(&self, seat: Seat) -> SmallBits {
        let (own, other) = (self.discs[seat.index()], self.discs[seat.other().index()]);
        let ends = Way::ALL.map(|way| own.beyond(other, way));
        let reached = ends.into_iter().fold(SmallBits::EMPTY, |all, end| all | end);
        (reached & SmallBits::square(self.grid.size())) - own - other
    }

    /// The enemy discs that a disc of the mover on this cell turns over.
    fn turned(&self, cell: Cell) -> SmallBits {
        let (own, enemy) = (self.own(), self.enemy());
        let mut turned = SmallBits::EMPTY;
        for way in Way::ALL {
            let run = SmallBits::run(cell, way, enemy);
            if !(run & own).is_empty() {
                turned |= run & enemy;
            }
        }
        turned
    }

    /// Finds what the next player can do after a turn of `mover`.
    fn settle(&mut self, mover: Seat) {
        self.mover = mover.other();
        self.open = self.open_to(self.mover);
        self.is_over = self.open.is_empty() && self.open_to(mover).is_empty();
    }

    fn must_pass(&self) -> bool {
        self.open.is_empty() && !self.is_over
    }

    fn letter(&self, cell: Cell) -> Option<char> {
        match self.discs.map(|discs| discs.has(cell)) {
            [true, _] => Some('x'),
            [_, true] => Some('o'),
            _ => None,
        }
    }

    fn count_of(&self, seat: Seat) -> (&'static str, u32) {
        (FACTS.sides[seat.index()], self.discs[seat.index()].count())
    }
}

impl Rules for Reversi {
    const FACTS: Facts = FACTS;

    const SGF: Option<Sgf> = Some(Sgf {
        number: 2,
        points: Points::Names,
        first_row_is_top: true,
        swap: Swapped::SamePoint,
        source: "FF[4] has no page for Othello: as Edax writes it, with the points and the PA of GGF",
    });

    type Turn = Turn;

    fn start(options: &Options) -> Result<Self, Refusal> {
        // The option allows no number above 10.
        let size = options.number(&FACTS, "size") as u8;
        let (low, high) = (size / 2 - 1, size / 2);
        let pair = |cells: [(u8, u8); 2]| cells.map(|(column, row)| Cell::at(column, row)).into_iter();
        let mut position = Self {
            grid: Grid::new(size),
            discs: [
                pair([(low, high), (high, low)]).collect(),
                pair([(low, low), (high, high)]).collect(),
            ],
            mover: Seat::First,
            open: SmallBits::EMPTY,
            is_over: false,
        };
        position.settle(Seat::Second);
        Ok(position)
    }

    fn to_move(&self) -> Option<Seat> {
        (!self.is_over).then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Turn, Refusal> {
        self.read_turn(text)
    }

    fn play(&mut self, turn: &Turn) {
        if let Turn::Disc(cell) = *turn {
            let turned = self.turned(cell);
            self.discs[self.mover.index()] |= turned | SmallBits::of(cell);
            self.discs[self.mover.other().index()] -= turned;
        }
        self.settle(self.mover);
    }

    fn effects(&self, turns: &[Turn]) -> Vec<String> {
        let mut effects = Vec::new();
        let mut position = *self;
        for turn in turns {
            let turned = match turn {
                Turn::Disc(cell) => position.turned(*cell).count() as usize,
                Turn::Pass => 0,
            };
            position.play(turn);
            if turned > 0 {
                effects.push(format!("turned {} over", count(turned, "disc")));
            }
            if position.is_over {
                let [black, white] = Seat::BOTH.map(|seat| position.count_of(seat).1);
                effects.push(format!("ended the game ({black} to {white})"));
            } else if position.must_pass() {
                let side = FACTS.sides[position.mover.index()];
                effects.push(format!("left {side} no move"));
            }
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        if !self.is_over {
            return None;
        }
        let [black, white] = self.discs.map(SmallBits::count);
        Some(match black.cmp(&white) {
            std::cmp::Ordering::Greater => Outcome::Won(Seat::First),
            std::cmp::Ordering::Less => Outcome::Won(Seat::Second),
            std::cmp::Ordering::Equal => Outcome::Drawn,
        })
    }

    fn turns(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.must_pass() {
            return each(&Turn::Pass);
        }
        self.open.iter().try_for_each(|cell| each(&Turn::Disc(cell)))
    }

    fn count(&self) -> u64 {
        u64::from(self.open.count()) + u64::from(self.must_pass())
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Turn> {
        match self.open.count() {
            0 => self.must_pass().then_some(Turn::Pass),
            count => {
                let place = rng.random_range(0..count) as usize;
                self.open.iter().nth(place).map(Turn::Disc)
            }
        }
    }

    fn draw(&self, display: Display) -> String {
        let [(black, x), (white, o)] = Seat::BOTH.map(|seat| self.count_of(seat));
        let board = self.grid.draw(display, |cell| self.letter(cell).unwrap_or('.'));
        format!("Discs: {black} {x} {white} {o}\n\n{board}")
    }

    fn cells(&self) -> Vec<(String, char)> {
        self.grid.occupied(|cell| self.letter(cell))
    }

    fn layout(&self) -> Layout {
        picture::square(self.grid)
    }

    fn info(&self) -> Info {
        vec![("discs", Seat::BOTH.map(|seat| self.count_of(seat)).to_vec())]
    }
}
