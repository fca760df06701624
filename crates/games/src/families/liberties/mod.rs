//! Games of stones with liberties: a group without an empty crossing beside it is taken off the board. No turn takes the own
//! stones (suicide), and no board may come twice (positional superko).

mod board;
mod search;
mod seen;
#[cfg(test)]
pub(crate) mod slow;
mod turn;

use std::fmt;
use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use crate::kit::picture::{self, Layout};
use crate::kit::square::{Bits, Cell, Grid};
use crate::kit::words::count;
use crate::sgf::Sgf;
use crate::{Display, Facts, Info, Mistakes, Options, Outcome, Refusal, Rules, Seat};

pub use board::{Board, Group};
use seen::Seen;
pub use turn::{Point, Turn, column_letter};

/// What a game of this family brings.
pub trait LibertyGame: Copy + fmt::Debug + Eq + Send + Sync + 'static {
    /// The constants of the game. They say whether there is a pass and a swap; the first turn of the example is named in
    /// refusals.
    const FACTS: Facts;
    /// See [`Rules::SGF`].
    const SGF: Option<Sgf> = None;
    /// See [`Evaluate::EFFORT`](crate::Evaluate::EFFORT).
    const EFFORT: u64;
    /// See [`Evaluate::MISTAKES`](crate::Evaluate::MISTAKES).
    const MISTAKES: Mistakes = Mistakes::USUAL;

    /// What the game keeps besides the stones.
    fn start(options: &Options) -> Self;

    /// The stones that First has at the start. If there are any, Second begins.
    fn handicap(_: &Options, _: Grid) -> Bits {
        Bits::EMPTY
    }

    /// The end of the game after the mover's turn, which has taken these stones. A player who cannot move loses in any case.
    fn end(at: &Liberties<Self>, taken: Bits) -> Option<Outcome>;

    /// What the last turn did to end the game, as [`Rules::effects`] says it; `None` if the stones that it took say it.
    fn ended(after: &Liberties<Self>) -> Option<String>;

    /// See [`Rules::info`].
    fn info(_: &Liberties<Self>) -> Info {
        Info::new()
    }

    /// What the line above the drawing says.
    fn status(_: &Liberties<Self>) -> Option<String> {
        None
    }

    /// The estimate for the player to move.
    fn value(at: &Liberties<Self>) -> i32;

    /// Of the legal crossings those that can be good.
    fn worth_a_look(at: &Liberties<Self>, legal: Bits) -> Bits;

    /// Of the legal crossings those on which a stone may win at once.
    fn may_win(_: &Liberties<Self>, legal: Bits) -> Bits {
        legal
    }
}

/// A position of such a game.
#[derive(Clone, Debug)]
pub struct Liberties<G> {
    /// What the game keeps besides.
    pub game: G,
    /// The stones.
    pub board: Board,
    /// The player to move while the game runs.
    pub mover: Seat,
    /// How many turns in a row were passes.
    pub passes: u8,
    /// How many turns were played.
    pub turns: u32,
    outcome: Option<Outcome>,
    may_swap: bool,
    hash: u64,
    seen: Seen,
}

impl<G: LibertyGame> Liberties<G> {
    /// The crossings on which the mover may put a stone; none at the end.
    #[must_use]
    pub fn legal(&self) -> Bits {
        match self.outcome {
            None => self.open(),
            Some(_) => Bits::EMPTY,
        }
    }

    fn open(&self) -> Bits {
        let mut open = self.board.breathing(self.mover);
        if self.seen.can_repeat() {
            for cell in open.iter() {
                if self.repeats(cell) {
                    open.remove(cell);
                }
            }
        }
        open
    }

    fn repeats(&self, cell: Cell) -> bool {
        self.seen
            .has(self.hash_after(cell, self.board.taken(self.mover, cell)))
    }

    fn hash_after(&self, cell: Cell, taken: Bits) -> u64 {
        let put = board::hash_of(self.mover, Bits::of(cell));
        self.hash ^ put ^ board::hash_of(self.mover.other(), taken)
    }

    fn has_turn(&self) -> bool {
        // Before a stone is taken, a crossing beside another empty one is open.
        let empty = self.board.empty();
        G::FACTS.knows_pass
            || (!self.seen.can_repeat() && empty.meets(empty.adjacent()))
            || !self.open().is_empty()
    }

    fn can_swap(&self) -> bool {
        self.may_swap && self.turns == 1
    }

    /// The turns besides stones.
    fn words(&self) -> impl Iterator<Item = Turn> + use<G> {
        let pass = (G::FACTS.knows_pass && self.outcome.is_none()).then_some(Turn::Pass);
        pass.into_iter().chain(self.can_swap().then_some(Turn::Swap))
    }

    /// Why no stone can be put on this crossing.
    fn forbidden(&self, cell: Cell) -> String {
        let point = Point(cell);
        if !self.board.empty().has(cell) {
            format!("A stone is put on an empty crossing, and there is one on {point}.")
        } else if self.board.breathing(self.mover).has(cell) {
            format!("No board may come twice, and a stone on {point} would bring one back that was there.")
        } else {
            format!("A stone on {point} would have no liberty and take nothing: suicide is not allowed.")
        }
    }

    fn forbidden_word(&self, word: Turn) -> Option<String> {
        let name = G::FACTS.title;
        match word {
            Turn::Pass if !G::FACTS.knows_pass => Some(format!("There is no pass in {name}.")),
            Turn::Swap if !G::FACTS.knows_swap => Some(format!("There is no swap in {name}.")),
            Turn::Swap if !self.may_swap => Some("This board is played with -noswap.".to_owned()),
            Turn::Swap if self.turns != 1 => Some(
                "The second player can swap in the place of the first turn, and at no other time.".to_owned(),
            ),
            _ => None,
        }
    }

    fn put(&mut self, cell: Cell) -> Bits {
        let taken = self.board.taken(self.mover, cell);
        self.hash = self.hash_after(cell, taken);
        self.board.stones[self.mover.index()].insert(cell);
        self.board.stones[self.mover.other().index()] -= taken;
        self.seen.add(self.hash, !taken.is_empty());
        taken
    }

    fn letter(&self, cell: Cell) -> Option<char> {
        match self.board.stones.map(|stones| stones.has(cell)) {
            [true, _] => Some('x'),
            [_, true] => Some('o'),
            _ => None,
        }
    }
}

impl<G: LibertyGame> Rules for Liberties<G> {
    const FACTS: Facts = G::FACTS;

    const SGF: Option<Sgf> = G::SGF;

    type Turn = Turn;

    fn start(options: &Options) -> Result<Self, Refusal> {
        // The options allow no number above 19.
        let grid = Grid::new(options.number(&G::FACTS, "size") as u8);
        let mut board = Board::new(grid);
        let handicap = G::handicap(options, grid);
        board.stones[0] = handicap;
        let hash = board::hash_of(Seat::First, handicap);
        let mover = match handicap.is_empty() {
            true => Seat::First,
            false => Seat::Second,
        };
        Ok(Self {
            game: G::start(options),
            board,
            mover,
            passes: 0,
            outcome: None,
            turns: 0,
            may_swap: G::FACTS.knows_swap && !options.has("noswap"),
            hash,
            seen: Seen::new(hash),
        })
    }

    fn to_move(&self) -> Option<Seat> {
        self.outcome.is_none().then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Turn, Refusal> {
        if self.outcome.is_some() {
            return Err(Refusal::illegal("The game is over."));
        }
        let example = G::FACTS.example.first().copied().unwrap_or_default();
        let (turn, at) = turn::read(text, self.board.grid, &[Turn::Pass, Turn::Swap], example)?;
        let reason = match turn {
            Turn::On(Point(cell)) => {
                let is_open = self.board.empty().has(cell)
                    && self.board.breathing(self.mover).has(cell)
                    && !self.repeats(cell);
                (!is_open).then(|| self.forbidden(cell))
            }
            word => self.forbidden_word(word),
        };
        match reason {
            Some(reason) => Err(Refusal::illegal(reason).at(at)),
            None => Ok(turn),
        }
    }

    fn play(&mut self, turn: &Turn) {
        let mut taken = Bits::EMPTY;
        self.passes = match turn {
            Turn::Pass => self.passes + 1,
            _ => 0,
        };
        match *turn {
            Turn::On(Point(cell)) => taken = self.put(cell),
            Turn::Pass => {}
            Turn::Swap => {
                self.board.stones.swap(0, 1);
                self.hash = board::hash_of(Seat::Second, self.board.stones[1]);
                self.seen.add(self.hash, true);
            }
        }
        self.outcome = G::end(self, taken);
        self.turns += 1;
        self.mover = self.mover.other();
        if self.outcome.is_none() && !self.has_turn() {
            self.outcome = Some(Outcome::Won(self.mover.other()));
        }
    }

    fn effects(&self, turns: &[Turn]) -> Vec<String> {
        let mut effects = Vec::new();
        let mut position = self.clone();
        for turn in turns {
            let before = position.clone();
            position.play(turn);
            let enemy = before.mover.other();
            match turn {
                Turn::On(_) => {
                    let taken = before.board.of(enemy) - position.board.of(enemy);
                    if !taken.is_empty() {
                        let side = G::FACTS.sides[enemy.index()].to_ascii_lowercase();
                        let stones = count(taken.count() as usize, &format!("{side} stone"));
                        effects.push(format!("captured {stones}"));
                    }
                }
                Turn::Swap => {
                    let first = position.board.of(before.mover).first();
                    effects.extend(first.map(|cell| format!("replaced Black's stone on {}", Point(cell))));
                }
                Turn::Pass => {}
            }
            if position.outcome.is_some() {
                effects.extend(G::ended(&position));
            }
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn turns(&self, each: &mut dyn FnMut(&Turn) -> ControlFlow<()>) -> ControlFlow<()> {
        let mut stones = self.legal().iter().map(|cell| Turn::On(Point(cell)));
        stones.try_for_each(|turn| each(&turn))?;
        self.words().try_for_each(|turn| each(&turn))
    }

    fn count(&self) -> u64 {
        u64::from(self.legal().count()) + self.words().count() as u64
    }

    /// A pass is likelier than one stone, so that random games end before the board was filled many times.
    fn random_turn(&self, rng: &mut dyn Rng) -> Option<Turn> {
        self.to_move()?;
        let size = u32::from(self.board.grid.size());
        if G::FACTS.knows_pass && rng.random_range(0..size) == 0 {
            return Some(Turn::Pass);
        }
        let (legal, words) = (self.legal(), self.words().count() as u32);
        let place = rng.random_range(0..legal.count() + words) as usize;
        let stone = legal.iter().nth(place).map(|cell| Turn::On(Point(cell)));
        stone.or_else(|| self.words().nth(place - legal.count() as usize))
    }

    fn draw(&self, display: Display) -> String {
        let board = self.board.grid;
        let board = board.draw_named_crossings(display, column_letter, |cell| self.letter(cell));
        let swap = self.can_swap().then(|| "swap is possible".to_owned());
        match G::status(self).or(swap) {
            Some(status) => format!("{status}\n\n{board}"),
            None => board,
        }
    }

    fn cells(&self) -> Vec<(String, char)> {
        let letter = |cell: Cell| Some((Point(cell).to_string(), self.letter(cell)?));
        self.board.grid.in_reading_order().filter_map(letter).collect()
    }

    fn layout(&self) -> Layout {
        let grid = self.board.grid;
        let mut layout = picture::crossings(grid);
        for (point, cell) in layout.points.iter_mut().zip(grid.in_reading_order()) {
            point.name = Point(cell).to_string();
        }
        for label in &mut layout.labels {
            if let [letter @ b'a'..=b'z'] = label.text.as_bytes() {
                label.text = column_letter(letter - b'a').to_string();
            }
        }
        layout
    }

    fn info(&self) -> Info {
        G::info(self)
    }
}
