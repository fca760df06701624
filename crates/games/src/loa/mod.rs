//! Lines of Action, by Claude Soucie: connect all your pieces.

mod estimate;
mod pictured;
mod reading;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::{Display, Facts, Info, OptionFact, Options, Outcome, Refusal, Rules, Seat, Worked};
use crate::kit::history::History;
use crate::kit::picture::{self, Layout};
use crate::kit::square::{Cell, Grid, Move, SmallBits, Way};

const FACTS: Facts = Facts {
    name: "LOA",
    aliases: &["LinesOfAction"],
    title: "Lines of Action",
    sides: ["Black", "White"],
    roles: None,
    score: None,
    letters: ["x", "o"],
    neutral: "",
    options: &[OptionFact {
        name: "scrambled",
        range: None,
        help: "the scrambled eggs start: the pieces of both sides take turns around the edge",
    }],
    designer: "Claude Soucie",
    summary: "A piece moves as far as there are pieces on its line; connect all of yours.",
    rules: include_str!("rules.txt"),
    notation: "The cell of the piece and the cell that it moves to, with a hyphen between them: b1-b3. Captures are \
               written alike; b1xh7 is read too, and b3 alone if only one of your pieces can go there. If no piece of \
               yours can move, write pass.",
    worked: Worked {
        options: &[],
        before: &[],
        turns: [
            (
                "b1-b3",
                "Column b has two pieces, so each of them moves two cells along it.",
            ),
            (
                "a3-c1",
                "The diagonal from a3 to c1 has two pieces, one of each side, so the piece goes two cells and captures.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["b1-b3", "a2-c2", "c1-e3", "h4-f4"],
    source: "Claude Soucie in Sid Sackson's A Gamut of Games, with the rules of Richard's PBeM server as told by Mark Winands",
    revision: 1,
    knows_draws: true,
    knows_pass: true,
    knows_swap: false,
    // Repetition bounds a game only in theory: of 3000 random ones the mean was 212 turns and the longest had 571.
    longest_random_game: 3000,
};

const SIZE: u8 = 8;
const BOARD: SmallBits = SmallBits::square(SIZE);

/// The scrambled eggs start: the first side's cells.
const SCRAMBLED: [(u8, u8); 12] = [
    (1, 0),
    (3, 0),
    (5, 0),
    (7, 1),
    (7, 3),
    (7, 5),
    (2, 7),
    (4, 7),
    (6, 7),
    (0, 2),
    (0, 4),
    (0, 6),
];

/// A legal turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// A piece moves.
    Move(Move),
    /// Nothing, since no piece can move.
    Pass,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(step) => step.fmt(f),
            Self::Pass => f.write_str("pass"),
        }
    }
}

/// A position of Lines of Action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loa {
    /// Black's, then White's.
    pieces: [SmallBits; 2],
    mover: Seat,
    outcome: Option<Outcome>,
    /// The boards since the last capture, each with the player to move.
    history: History<([SmallBits; 2], Seat)>,
}

impl Loa {
    const fn own(&self) -> SmallBits {
        self.pieces[self.mover.index()]
    }

    const fn enemy(&self) -> SmallBits {
        self.pieces[self.mover.other().index()]
    }

    /// How far a piece on `from` moves along the line of this direction.
    fn steps(&self, from: Cell, way: Way) -> u32 {
        let line = SmallBits::ray(from, way) | SmallBits::ray(from, way.opposite()) | SmallBits::of(from);
        (line & (self.pieces[0] | self.pieces[1])).count()
    }

    /// Where the mover's piece on `from` stops in this direction, if it can move there.
    fn target(&self, from: Cell, way: Way) -> Option<Cell> {
        let to = far(from, way, self.steps(from, way))?;
        let between = SmallBits::ray(from, way) - SmallBits::ray(to, way) - SmallBits::of(to);
        let is_open = (between & self.enemy()).is_empty() && !self.own().has(to);
        is_open.then_some(to)
    }

    /// The moves of this piece of the mover.
    fn moves_of(&self, from: Cell) -> impl Iterator<Item = Move> {
        let to = move |way| self.target(from, way);
        Way::ALL
            .into_iter()
            .filter_map(to)
            .map(move |to| Move { from, to })
    }

    fn moves(&self) -> impl Iterator<Item = Move> {
        self.own().into_iter().flat_map(|from| self.moves_of(from))
    }

    fn must_pass(&self) -> bool {
        self.outcome.is_none() && self.moves().next().is_none()
    }

    fn letter(&self, cell: Cell) -> Option<char> {
        match self.pieces.map(|pieces| pieces.has(cell)) {
            [true, _] => Some('x'),
            [_, true] => Some('o'),
            _ => None,
        }
    }

    fn count_of(&self, seat: Seat) -> (&'static str, u32) {
        (FACTS.sides[seat.index()], self.pieces[seat.index()].count())
    }
}

/// The cell this many steps away, if the board has it.
fn far(from: Cell, way: Way, steps: u32) -> Option<Cell> {
    let (right, up) = way.step();
    // There are at most eight cells on a line.
    let along = |place: u8, by: i8| u8::try_from(place as i8 + by * steps as i8).ok();
    let (column, row) = (along(from.column(), right)?, along(from.row(), up)?);
    (column < SIZE && row < SIZE).then(|| Cell::at(column, row))
}

/// Whether all these pieces hang together.
fn is_connected(pieces: SmallBits) -> bool {
    pieces
        .first()
        .is_some_and(|first| SmallBits::of(first).spread_around(pieces) == pieces)
}

impl Rules for Loa {
    const FACTS: Facts = FACTS;

    type Turn = Turn;

    fn start(options: &Options) -> Result<Self, Refusal> {
        let edge = |place: u8| place == 0 || place == SIZE - 1;
        let outer = |cell: &Cell| edge(cell.column()) != edge(cell.row());
        let outer: SmallBits = BOARD.iter().filter(outer).collect();
        let first: SmallBits = match options.has("scrambled") {
            true => SCRAMBLED
                .iter()
                .map(|(column, row)| Cell::at(*column, *row))
                .collect(),
            false => outer.row(0) | outer.row(SIZE - 1),
        };
        let pieces = [first & outer, outer - first];
        Ok(Self {
            pieces,
            mover: Seat::First,
            outcome: None,
            history: History::new((pieces, Seat::First)),
        })
    }

    fn to_move(&self) -> Option<Seat> {
        self.outcome.is_none().then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Turn, Refusal> {
        self.read_turn(text)
    }

    fn play(&mut self, turn: &Turn) {
        let (mover, other) = (self.mover, self.mover.other());
        self.mover = other;
        let mut has_captured = false;
        if let Turn::Move(Move { from, to }) = *turn {
            has_captured = self.pieces[other.index()].has(to);
            self.pieces[mover.index()] ^= SmallBits::of(from) | SmallBits::of(to);
            self.pieces[other.index()] -= SmallBits::of(to);
            let connected = [mover, other].map(|seat| is_connected(self.pieces[seat.index()]));
            self.outcome = match connected {
                [true, true] => Some(Outcome::Drawn),
                [true, false] => Some(Outcome::Won(mover)),
                [false, true] => Some(Outcome::Won(other)),
                [false, false] => None,
            };
        }
        let now = (self.pieces, other);
        if has_captured {
            self.history.restart(now);
        } else if self.history.add(now) >= 3 && self.outcome.is_none() {
            self.outcome = Some(Outcome::Drawn);
        }
    }

    fn effects(&self, turns: &[Turn]) -> Vec<String> {
        let mut effects = Vec::new();
        let mut position = self.clone();
        for turn in turns {
            let (mover, enemy) = (position.mover, position.enemy());
            position.play(turn);
            if position.own() != enemy {
                effects.push("captured a piece".to_owned());
            }
            let both = Seat::BOTH
                .iter()
                .all(|seat| is_connected(position.pieces[seat.index()]));
            match position.outcome {
                Some(Outcome::Won(winner)) => {
                    let whose = FACTS.sides[winner.index()];
                    let again = if winner == mover { "" } else { ", not its own" };
                    effects.push(format!("connected all pieces of {whose}{again}"));
                }
                Some(Outcome::Drawn) if both => effects.push("connected the pieces of both sides".to_owned()),
                Some(Outcome::Drawn) => effects.push("repeated the position for the second time".to_owned()),
                None if position.must_pass() => {
                    effects.push(format!("left {} no move", FACTS.sides[position.mover.index()]));
                }
                None => {}
            }
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn turns(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.must_pass() {
            return each(&Turn::Pass);
        }
        if self.outcome.is_some() {
            return ControlFlow::Continue(());
        }
        self.moves().try_for_each(|step| each(&Turn::Move(step)))
    }

    fn count(&self) -> u64 {
        match (self.outcome, self.moves().count()) {
            (Some(_), _) => 0,
            (None, 0) => 1,
            (None, count) => count as u64,
        }
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Turn> {
        match (self.count(), self.moves().count()) {
            (0, _) => None,
            (_, 0) => Some(Turn::Pass),
            (_, count) => self.moves().nth(rng.random_range(0..count)).map(Turn::Move),
        }
    }

    fn draw(&self, display: Display) -> String {
        let [(black, x), (white, o)] = Seat::BOTH.map(|seat| self.count_of(seat));
        let board = Grid::new(SIZE).draw(display, |cell| self.letter(cell).unwrap_or('.'));
        format!("Pieces: {black} {x} {white} {o}\n\n{board}")
    }

    fn cells(&self) -> Vec<(String, char)> {
        let letter = |cell: Cell| Some((cell.to_string(), self.letter(cell)?));
        let cells = Grid::new(SIZE).in_reading_order();
        cells.filter_map(letter).collect()
    }

    fn layout(&self) -> Layout {
        picture::square(Grid::new(SIZE))
    }

    fn info(&self) -> Info {
        vec![("pieces", Seat::BOTH.map(|seat| self.count_of(seat)).to_vec())]
    }
}
