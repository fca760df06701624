//! Breakthrough, by Dan Troyka, 2000: bring one pawn through to the last row.

mod estimate;
mod pictured;
mod reading;
#[cfg(test)]
mod tests;

use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::{
    Display, Facts, Info, Numbers, OptionFact, Options, Outcome, Range, Refusal, Rules, Seat, Worked,
};
use crate::kit::picture::{self, Layout};
use crate::kit::square::{Cell, Grid, Move, SmallBits, Way};

const FACTS: Facts = Facts {
    name: "Breakthrough",
    aliases: &[],
    title: "Breakthrough",
    sides: ["White", "Black"],
    roles: None,
    score: None,
    letters: ["o", "x"],
    neutral: "",
    options: &[OptionFact {
        name: "size",
        range: Some(Range {
            min: 5,
            max: 10,
            step: 1,
            default: 8,
            numbers: Numbers::Whole,
        }),
        help: "the number of rows and of columns",
    }],
    designer: "Dan Troyka",
    summary: "Pawns that move one step forward. The first pawn on the last row wins.",
    rules: include_str!("rules.txt"),
    notation: "The cell of the pawn and the cell that it moves to, with a hyphen between them: b2-c3. Captures are \
               written alike; b2xc3 is read too, and c3 alone if only one of your pawns can go there.",
    worked: Worked {
        options: &["-size=5"],
        before: &["c2-c3", "b4-b3"],
        turns: [
            ("a2-b3", "A pawn captures diagonally ahead."),
            ("a4-b3", "Black takes back: the pawn on a4 guarded b3."),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["b2-c3", "g7-g6", "c3-c4", "g6-f5"],
    source: "Dan Troyka, Breakthrough, 8x8 Game Design Competition 2001",
    revision: 1,
    knows_draws: false,
    knows_pass: false,
    knows_swap: false,
    // Each turn brings a pawn one row forward. On the largest board ten pawns of each side can go nine rows and ten can
    // go eight.
    longest_random_game: 340,
};

/// The three ways forward of each side, the straight one first.
const FORWARD: [[Way; 3]; 2] = [
    [Way::North, Way::NorthWest, Way::NorthEast],
    [Way::South, Way::SouthWest, Way::SouthEast],
];

/// A position of Breakthrough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Breakthrough {
    grid: Grid,
    /// White's, then Black's.
    pawns: [SmallBits; 2],
    mover: Seat,
    winner: Option<Seat>,
}

impl Breakthrough {
    fn own(&self) -> SmallBits {
        self.pawns[self.mover.index()]
    }

    fn enemy(&self) -> SmallBits {
        self.pawns[self.mover.other().index()]
    }

    /// The cells to which these pawns of the mover can go, by way, in the order of [`FORWARD`].
    fn targets(&self, pawns: SmallBits) -> [(Way, SmallBits); 3] {
        let others = SmallBits::square(self.grid.size()) - self.own();
        FORWARD[self.mover.index()].map(|way| {
            let ahead = pawns.step(way) & others;
            match way {
                Way::North | Way::South => (way, ahead - self.enemy()),
                _ => (way, ahead),
            }
        })
    }

    /// The legal moves of these pawns of the mover.
    fn moves(&self, pawns: SmallBits) -> impl Iterator<Item = Move> {
        let targets = self.targets(pawns);
        targets.into_iter().flat_map(|(way, cells)| {
            cells.into_iter().filter_map(move |to| {
                let from = SmallBits::of(to).step(way.opposite()).first()?;
                Some(Move { from, to })
            })
        })
    }

    fn letter(&self, cell: Cell) -> Option<char> {
        match self.pawns.map(|pawns| pawns.has(cell)) {
            [true, _] => Some('o'),
            [_, true] => Some('x'),
            _ => None,
        }
    }

    fn count_of(&self, seat: Seat) -> (&'static str, u32) {
        (FACTS.sides[seat.index()], self.pawns[seat.index()].count())
    }
}

impl Rules for Breakthrough {
    const FACTS: Facts = FACTS;

    type Turn = Move;

    fn start(options: &Options) -> Result<Self, Refusal> {
        // The option allows no number above 10.
        let size = options.number(&FACTS, "size") as u8;
        let rows = |rows: [u8; 2]| {
            let cells = SmallBits::square(size);
            cells.row(rows[0]) | cells.row(rows[1])
        };
        Ok(Self {
            grid: Grid::new(size),
            pawns: [rows([0, 1]), rows([size - 2, size - 1])],
            mover: Seat::First,
            winner: None,
        })
    }

    fn to_move(&self) -> Option<Seat> {
        self.winner.is_none().then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Move, Refusal> {
        self.read_move(text)
    }

    fn play(&mut self, turn: &Move) {
        let (mover, other) = (self.mover, self.mover.other());
        self.pawns[mover.index()] ^= SmallBits::of(turn.from) | SmallBits::of(turn.to);
        self.pawns[other.index()] -= SmallBits::of(turn.to);
        let last_row = match mover {
            Seat::First => self.grid.size() - 1,
            Seat::Second => 0,
        };
        if turn.to.row() == last_row || self.pawns[other.index()].is_empty() {
            self.winner = Some(mover);
        }
        self.mover = other;
    }

    fn effects(&self, turns: &[Move]) -> Vec<String> {
        let mut effects = Vec::new();
        let mut position = *self;
        for turn in turns {
            let captured = position.enemy().has(turn.to);
            position.play(turn);
            if captured {
                effects.push("captured a pawn".to_owned());
            }
            if position.pawns[position.mover.index()].is_empty() {
                effects.push("left no enemy pawn".to_owned());
            } else if position.winner.is_some() {
                effects.push("reached the last row".to_owned());
            }
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        self.winner.map(Outcome::Won)
    }

    fn turns(&self, each: &mut dyn FnMut(&Move) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.winner.is_some() {
            return ControlFlow::Continue(());
        }
        self.moves(self.own()).try_for_each(|turn| each(&turn))
    }

    fn count(&self) -> u64 {
        if self.winner.is_some() {
            return 0;
        }
        let counts = self.targets(self.own()).map(|(_, cells)| cells.count());
        counts.into_iter().map(u64::from).sum()
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Move> {
        let count = self.count();
        let place = (count > 0).then(|| rng.random_range(0..count))?;
        self.moves(self.own()).nth(place as usize)
    }

    fn draw(&self, display: Display) -> String {
        let [(white, o), (black, x)] = Seat::BOTH.map(|seat| self.count_of(seat));
        let board = self.grid.draw(display, |cell| self.letter(cell).unwrap_or('.'));
        format!("Pieces: {white} {o} {black} {x}\n\n{board}")
    }

    fn cells(&self) -> Vec<(String, char)> {
        let letter = |cell: Cell| Some((cell.to_string(), self.letter(cell)?));
        self.grid.in_reading_order().filter_map(letter).collect()
    }

    fn layout(&self) -> Layout {
        picture::square(self.grid)
    }

    fn info(&self) -> Info {
        vec![("pieces", Seat::BOTH.map(|seat| self.count_of(seat)).to_vec())]
    }
}
