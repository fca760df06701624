//! Games of pieces that go over the cells of a square board and capture what stands where they stop: races, and lines that join.

mod past;
mod reading;

use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use crate::kit::mix::mix;
use crate::kit::picture::{self, Layout};
use crate::kit::square::{Cell, Grid, Move, SmallBits};
use crate::{Display, Evaluate, Facts, Info, Options, Outcome, Refusal, Rules, Seat};

pub use past::{Bounded, Past, Placed, Repeated};

/// The promise of a capture.
const CAPTURE: i32 = 10_000;

/// What a game of this family brings.
pub trait StepGame: Copy + fmt::Debug + Eq + Send + Sync + 'static {
    /// The constants of the game. The first turn of its example is named in refusals.
    const FACTS: Facts;
    /// What a piece is called.
    const PIECE: &'static str;
    /// See [`Evaluate::EFFORT`].
    const EFFORT: u64;
    /// [`Repeated`] if the third occurrence of a position is a draw, [`Bounded`] if none can occur again.
    type Past: Past;

    /// The board, and the pieces of each side at the start.
    fn start(options: &Options) -> (Grid, [SmallBits; 2]);

    /// The legal moves of these pieces of the mover.
    fn moves(at: &Steps<Self>, pieces: SmallBits) -> impl Iterator<Item = Move>;

    /// The number of the mover's legal moves.
    fn count(at: &Steps<Self>) -> u64 {
        Self::moves(at, at.own()).count() as u64
    }

    /// Why the mover's piece on `from` cannot go to `to`.
    fn no_target(at: &Steps<Self>, from: Cell, to: Cell) -> String;

    /// How the game ends with a move of `mover` to this cell; `at` is the position after it.
    fn end(at: &Steps<Self>, mover: Seat, to: Cell) -> Option<Outcome>;

    /// What the move did that ended the game so; see [`Rules::effects`].
    fn words_of_end(at: &Steps<Self>, mover: Seat, outcome: Outcome) -> String;

    /// See [`Evaluate::estimate`].
    fn estimate(at: &Steps<Self>, side: Seat) -> i32;

    /// See [`Evaluate::KNOWS_CAPTURES`].
    const KNOWS_CAPTURES: bool = false;

    /// See [`Evaluate::foregone`].
    fn foregone(_: &Steps<Self>) -> Option<i32> {
        None
    }

    /// The pieces that the mover must capture at once, unless it wins itself; without any each move is as legal as it is worth a look.
    fn threats(_: &Steps<Self>) -> SmallBits {
        SmallBits::EMPTY
    }

    /// What is added to the promise of a move to this cell; a capture has 10,000 already.
    fn promise(_: &Steps<Self>, _: Cell) -> i32 {
        0
    }
}

/// A turn; its text is `b2-c3`, or `pass`.
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

/// A position of such a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps<G: StepGame> {
    /// The board.
    pub(crate) grid: Grid,
    /// The first player's pieces, then the second's.
    pub(crate) pieces: [SmallBits; 2],
    /// Who moves, or would move if the game were not over.
    pub(crate) mover: Seat,
    /// The result.
    pub(crate) outcome: Option<Outcome>,
    /// The positions since the last capture.
    pub(crate) past: G::Past,
    game: PhantomData<G>,
}

// A position whose past is empty is a few words, which a search copies faster than it clones.
impl<G: StepGame<Past = Bounded>> Copy for Steps<G> {}

impl<G: StepGame> Steps<G> {
    /// The mover's pieces.
    pub(crate) const fn own(&self) -> SmallBits {
        self.pieces[self.mover.index()]
    }

    /// The pieces of the mover's opponent.
    pub(crate) const fn enemy(&self) -> SmallBits {
        self.pieces[self.mover.other().index()]
    }

    /// The name of a side.
    pub(crate) const fn side(seat: Seat) -> &'static str {
        G::FACTS.sides[seat.index()]
    }

    fn moves(&self) -> impl Iterator<Item = Move> {
        G::moves(self, self.own())
    }

    pub(crate) fn must_pass(&self) -> bool {
        G::FACTS.knows_pass && self.outcome.is_none() && self.moves().next().is_none()
    }

    fn letter(&self, cell: Cell) -> Option<char> {
        let seat = Seat::BOTH
            .into_iter()
            .find(|seat| self.pieces[seat.index()].has(cell))?;
        G::FACTS.letters[seat.index()].chars().next()
    }

    fn count_of(&self, seat: Seat) -> (&'static str, u32) {
        (Self::side(seat), self.pieces[seat.index()].count())
    }
}

impl<G: StepGame> Rules for Steps<G> {
    const FACTS: Facts = G::FACTS;

    type Turn = Turn;

    fn start(options: &Options) -> Result<Self, Refusal> {
        let (grid, pieces) = G::start(options);
        let mover = Seat::First;
        Ok(Self {
            grid,
            pieces,
            mover,
            outcome: None,
            past: G::Past::new((pieces, mover)),
            game: PhantomData,
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
            self.outcome = G::end(self, mover, to);
        }
        let is_third = self.past.add((self.pieces, other), has_captured);
        if is_third && self.outcome.is_none() {
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
                effects.push(format!("captured a {}", G::PIECE));
            }
            let ended = match turn {
                Turn::Move(Move { to, .. }) => G::end(&position, mover, *to),
                Turn::Pass => None,
            };
            match (ended, position.outcome) {
                (Some(outcome), _) => effects.push(G::words_of_end(&position, mover, outcome)),
                (None, Some(_)) => effects.push("repeated the position for the second time".to_owned()),
                (None, None) if position.must_pass() => {
                    effects.push(format!("left {} no move", Self::side(position.mover)));
                }
                (None, None) => {}
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
        match self.outcome {
            Some(_) => 0,
            None => G::count(self).max(u64::from(G::FACTS.knows_pass)),
        }
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Turn> {
        if self.outcome.is_some() {
            return None;
        }
        match G::count(self) {
            0 => G::FACTS.knows_pass.then_some(Turn::Pass),
            count => {
                let place = rng.random_range(0..count);
                self.moves().nth(place as usize).map(Turn::Move)
            }
        }
    }

    fn draw(&self, display: Display) -> String {
        let [(first, a), (second, b)] = Seat::BOTH.map(|seat| self.count_of(seat));
        let board = self.grid.draw(display, |cell| self.letter(cell).unwrap_or('.'));
        format!("Pieces: {first} {a} {second} {b}\n\n{board}")
    }

    fn cells(&self) -> Vec<(String, char)> {
        self.grid.occupied(|cell| self.letter(cell))
    }

    fn layout(&self) -> Layout {
        picture::square(self.grid)
    }

    fn info(&self) -> Info {
        vec![("pieces", Seat::BOTH.map(|seat| self.count_of(seat)).to_vec())]
    }
}

impl<G: StepGame> Evaluate for Steps<G> {
    const EFFORT: u64 = G::EFFORT;

    const KNOWS_CAPTURES: bool = G::KNOWS_CAPTURES;

    const HAS_FEW_TURNS: bool = true;

    /// Captures first, and those that end the game before them.
    fn promise(&self, turn: &Turn) -> i32 {
        match turn {
            Turn::Move(Move { to, .. }) if self.enemy().has(*to) => CAPTURE + G::promise(self, *to),
            Turn::Move(Move { to, .. }) => G::promise(self, *to),
            Turn::Pass => 0,
        }
    }

    fn number(&self, turn: &Turn) -> u64 {
        let place = |cell: Cell| u64::from(cell.row()) * 10 + u64::from(cell.column());
        match turn {
            Turn::Move(Move { from, to }) => {
                place(*from) * 100 + place(*to) + 10_000 * self.mover.index() as u64
            }
            Turn::Pass => u64::MAX - 1,
        }
    }

    /// How often a position has occurred is left out.
    fn key(&self) -> u64 {
        let [first, second] = self.pieces.map(SmallBits::words);
        mix(first.into_iter().chain(second).chain([self.mover.index() as u64]))
    }

    fn estimate(&self, side: Seat) -> i32 {
        G::estimate(self, side)
    }

    fn foregone(&self) -> Option<i32> {
        G::foregone(self)
    }

    fn turns_that_hold(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        let threats = G::threats(self);
        if threats.is_empty() {
            return self.turns(each);
        }
        let mut moves = self.moves().filter(|step| threats.has(step.to));
        moves.try_for_each(|step| each(&Turn::Move(step)))
    }

    fn captures(&self) -> Vec<Turn> {
        let moves = self.moves().filter(|step| self.enemy().has(step.to));
        moves.map(Turn::Move).collect()
    }
}
