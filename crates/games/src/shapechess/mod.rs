//! Shape Chess, by 日出 (Richu), 2010: complete symmetric shapes and remove them from the board for points.

mod continuations;
mod effects;
mod estimate;
mod judge;
mod pictured;
mod shape;
#[cfg(test)]
mod tests;
mod turn;

use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::{
    Continuations, Display, Facts, Info, Numbers, OptionFact, Options, Outcome, Range, Refusal, Rules, Seat,
    Worked,
};
use crate::kit::picture::{self, Layout};
use crate::kit::square::Bits;
use crate::kit::square::{Cell, Grid};
use shape::{is_symmetric, shapes};
pub use turn::Turn;

/// The fewest stones of a shape that counts.
const LEAST_SHAPE: u32 = 6;

/// A shape scores its number of stones minus this.
const UNPAID: u32 = 5;

const FACTS: Facts = Facts {
    name: "ShapeChess",
    aliases: &["Shape"],
    title: "Shape Chess",
    sides: ["Black", "White"],
    roles: None,
    score: Some("points"),
    letters: ["x", "o"],
    neutral: "",
    options: &[
        number("size", 12, 18, "the number of rows and of columns"),
        number("target", 4, 9, "the number of points that wins"),
    ],
    designer: "Richu",
    summary: "Drop, jump or push stones; symmetric shapes of six or more leave the board and score.",
    rules: include_str!("rules.txt"),
    notation: "A drop is the name of an empty cell: d4. A jump and a push are the cell of the stone and the cell that it \
               goes to: d4-e5. It is a jump if the stone is yours, and a push if it is your opponent's. If you \
               know that you will score, send the actions of the turn together, with commas: c3,f5-f6. They are \
               played all together or not at all.",
    worked: Worked {
        options: &[],
        before: &["c5", "j9", "d5", "j8", "e5", "k3", "f5", "c10", "g5"],
        turns: [
            (
                "g5-h5",
                "The black stone of g5 is on h5 now, with a new white stone on g5. That divides Black's row.",
            ),
            (
                "g5-g6",
                "The white stone of g5 is on g6 now, with a new black stone on g5. The row from c5 to h5 had six stones \
                 and was symmetric, so it left the board. Black must act again.",
            ),
        ],
    },
    pictured: pictured::PICTURED,
    example: &["d4", "d4-e5", "e5-g6", "f7"],
    source: "Richu, Shape Chess, 2010; what it leaves open is settled by the publisher's rulebook of 2025",
    revision: 1,
    knows_draws: true,
    knows_pass: false,
    knows_swap: false,
    has_dice: false,
    // At least three of four random actions put a new stone on the board. The largest board has 324 cells, and at most
    // 16 shapes with 96 stones leave it before one side has 9 points, so 420 new stones end a game. The chance of fewer
    // in 1000 actions is less than 10^-100.
    longest_random_game: 1000,
};

const fn number(name: &'static str, min: u32, max: u32, help: &'static str) -> OptionFact {
    let range = Range {
        min,
        max,
        step: 1,
        default: min,
        numbers: Numbers::Whole,
    };
    OptionFact {
        name,
        range: Some(range),
        help,
    }
}

/// A position of Shape Chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShapeChess {
    grid: Grid,
    target: u32,
    /// Black's stones, then White's.
    stones: [Bits; 2],
    /// The cells of each side whose content changed since its shapes were last examined. Only shapes that touch one of
    /// them need a check: any other symmetric shape of six stones or more would have been removed before.
    changed: [Bits; 2],
    points: [u32; 2],
    mover: Seat,
    outcome: Option<Outcome>,
}

impl ShapeChess {
    fn empty(&self) -> Bits {
        self.grid.cells() - (self.stones[0] | self.stones[1])
    }

    const fn own(&self) -> Bits {
        self.stones[self.mover.index()]
    }

    const fn enemy(&self) -> Bits {
        self.stones[self.mover.other().index()]
    }

    fn put(&mut self, seat: Seat, cell: Cell) {
        self.stones[seat.index()].insert(cell);
        self.changed[seat.index()].insert(cell);
    }

    fn take(&mut self, seat: Seat, cell: Cell) {
        self.stones[seat.index()].remove(cell);
        self.changed[seat.index()].insert(cell);
    }

    /// The first half of an action: no shape is examined yet.
    fn put_stones(&mut self, turn: &Turn) {
        let (mover, other) = (self.mover, self.mover.other());
        match *turn {
            Turn::Drop(cell) => self.put(mover, cell),
            Turn::Jump(from, to) => {
                self.take(mover, from);
                self.put(mover, to);
            }
            Turn::Push(from, to) => {
                self.take(other, from);
                self.put(other, to);
                self.put(mover, from);
            }
        }
    }

    /// Removes and counts the mover's symmetric shapes; decides who acts next, or that the game is over.
    fn settle(&mut self) {
        let mover = self.mover.index();
        let stones = self.stones[mover];
        let changed = std::mem::take(&mut self.changed[mover]);
        let mut removed = Bits::EMPTY;
        for shape in shapes(stones, changed | changed.around()) {
            let size = shape.count();
            if size >= LEAST_SHAPE && is_symmetric(shape) {
                removed |= shape;
                self.points[mover] += size - UNPAID;
            }
        }
        self.stones[mover] -= removed;
        if self.points[mover] >= self.target {
            self.outcome = Some(Outcome::Won(self.mover));
        } else if removed.is_empty() {
            self.mover = self.mover.other();
            if self.empty().is_empty() {
                self.outcome = Some(Outcome::Drawn);
            }
        }
    }

    /// The number of legal pushes.
    fn pushes(&self) -> u64 {
        let (enemy, empty) = (self.enemy(), self.empty());
        let ways = |stones: Bits| [stones.east(), stones.west()];
        let [north, south] = [enemy.north(), enemy.south()];
        let sides = [enemy, north, south].map(ways).into_iter().flatten();
        sides
            .chain([north, south])
            .map(|pushed| u64::from((pushed & empty).count()))
            .sum()
    }

    /// Push number `n` in the order of [`turns`](Rules::turns).
    fn push(&self, mut n: u64) -> Option<Turn> {
        let empty = self.empty();
        self.enemy().iter().find_map(|from| {
            let room = Bits::of(from).around() & empty;
            let count = u64::from(room.count());
            if n >= count {
                n -= count;
                return None;
            }
            room.iter().nth(n as usize).map(|to| Turn::Push(from, to))
        })
    }
}

impl Rules for ShapeChess {
    const FACTS: Facts = FACTS;

    type Turn = Turn;

    fn start(options: &Options) -> Result<Self, Refusal> {
        Ok(Self {
            // The option allows only numbers far below 256.
            grid: Grid::new(options.number(&FACTS, "size") as u8),
            target: options.number(&FACTS, "target"),
            stones: [Bits::EMPTY; 2],
            changed: [Bits::EMPTY; 2],
            points: [0; 2],
            mover: Seat::First,
            outcome: None,
        })
    }

    fn to_move(&self) -> Option<Seat> {
        self.outcome.is_none().then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Turn, Refusal> {
        let written = turn::parse(self.grid, text)?;
        if let Some(second) = written.get(1) {
            let reason = format!("One action is wanted here, and {second} is a second one.");
            return Err(Refusal::unreadable(reason).at(second.at()));
        }
        self.judge(&written[0])
    }

    fn read_all(&self, text: &str) -> Result<Vec<Turn>, Refusal> {
        self.judge_all(&turn::parse(self.grid, text)?)
    }

    fn continuations(&self, begun: &str) -> Result<Continuations, Refusal> {
        self.goes_on(begun)
    }

    fn play(&mut self, turn: &Turn) {
        self.put_stones(turn);
        self.settle();
    }

    fn effects(&self, turns: &[Turn]) -> Vec<String> {
        self.in_words(turns)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn turns(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        if self.outcome.is_some() {
            return ControlFlow::Continue(());
        }
        let empty = self.empty();
        empty.iter().try_for_each(|cell| each(&Turn::Drop(cell)))?;
        for from in self.own() {
            empty.iter().try_for_each(|to| each(&Turn::Jump(from, to)))?;
        }
        for from in self.enemy() {
            let room = Bits::of(from).around() & empty;
            room.iter().try_for_each(|to| each(&Turn::Push(from, to)))?;
        }
        ControlFlow::Continue(())
    }

    fn count(&self) -> u64 {
        if self.outcome.is_some() {
            return 0;
        }
        let empty = u64::from(self.empty().count());
        empty + u64::from(self.own().count()) * empty + self.pushes()
    }

    /// One action in four is a jump and one in four a push, where legal. Without this nearly all random actions would
    /// be jumps, and a game of jumps alone would not end.
    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Turn> {
        if self.outcome.is_some() {
            return None;
        }
        let mut one_of = |set: Bits| match set.count() {
            0 => None,
            count => set.iter().nth(rng.random_range(0..count) as usize),
        };
        let empty = one_of(self.empty())?;
        let own = one_of(self.own());
        match (rng.random_range(0..4_u32), self.pushes()) {
            (0, _) => Some(own.map_or(Turn::Drop(empty), |from| Turn::Jump(from, empty))),
            (1, count @ 1..) => self.push(rng.random_range(0..count)),
            _ => Some(Turn::Drop(empty)),
        }
    }

    fn draw(&self, display: Display) -> String {
        let ([black, white], [x, o]) = (FACTS.sides, self.points);
        let board = self.grid.draw(display, |cell| self.letter(cell).unwrap_or('.'));
        format!("Points: {black} {x} {white} {o}\n\n{board}")
    }

    fn cells(&self) -> Vec<(String, char)> {
        self.grid.occupied(|cell| self.letter(cell))
    }

    fn layout(&self) -> Layout {
        picture::square(self.grid)
    }

    fn info(&self) -> Info {
        let points = |seat: Seat| (FACTS.sides[seat.index()], self.points[seat.index()]);
        vec![("points", Seat::BOTH.map(points).to_vec())]
    }
}

impl ShapeChess {
    fn letter(&self, cell: Cell) -> Option<char> {
        match self.stones.map(|stones| stones.has(cell)) {
            [true, _] => Some('x'),
            [_, true] => Some('o'),
            _ => None,
        }
    }
}
