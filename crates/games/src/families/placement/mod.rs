//! Games of stones that are put on empty cells one by one and do not move: rows of stones, and chains that join sides.

mod board;
mod fives;
pub mod joining;
pub mod lines;
pub mod rows;
mod search;
mod stone;
pub mod threats;

use std::fmt;
use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use crate::kit::picture::Layout;
use crate::kit::refusal::Kind;
use crate::kit::rhombus::Rhombus;
use crate::kit::square::{BitBoard, Cell};
use crate::kit::words::number;
use crate::sgf::Sgf;
use crate::{Display, Facts, Info, Mistakes, OptionFact, Options, Outcome, Refusal, Rules, Seat};

pub use board::Board;
pub use stone::{Stone, Swap};

/// What most games of this family have in common.
pub const FACTS: Facts = Facts {
    designer: "nobody known",
    notation: "The cell of the stone: c5. The second player can write swap in the place of the first own turn.",
    knows_swap: true,
    // One turn for each cell of the largest board of most games, and the swap.
    longest_random_game: 362,
    ..Facts::BLANK
};

/// The option that excludes the swap.
pub const NO_SWAP: OptionFact = OptionFact::flag("noswap", "the second player cannot swap");

/// The option for the size of a square board.
#[must_use]
pub const fn rows_and_columns(least: u32, most: u32, usual: u32) -> OptionFact {
    OptionFact::number("size", [least, most, usual], "the number of rows and of columns")
}

/// What a game of this family brings. `STRIDE` and `WORDS` are those of its sets of cells.
pub trait StoneGame<const STRIDE: usize = 20, const WORDS: usize = 6>:
    Copy + fmt::Debug + Eq + Send + Sync + 'static
{
    /// The constants of the game. The first turn of its example is named in refusals.
    const FACTS: Facts;
    /// See [`Rules::SGF`].
    const SGF: Option<Sgf> = None;
    /// What is put, and on what, in refusals.
    const PIECE: [&'static str; 2] = ["stone", "cell"];
    /// How many stones a player may put one after the other.
    const STONES: usize = 1;
    /// See [`Evaluate::EFFORT`](crate::Evaluate::EFFORT).
    const EFFORT: u64;
    /// See [`Evaluate::MISTAKES`](crate::Evaluate::MISTAKES).
    const MISTAKES: Mistakes = Mistakes::USUAL;

    /// The board with these options.
    fn board(options: &Options) -> Board;

    /// The cells on which stones can stand.
    fn cells(board: Board) -> BitBoard<STRIDE, WORDS> {
        board.cells()
    }

    /// What the game keeps of an empty board besides the stones.
    fn start(options: &Options, board: Board) -> Self;

    /// Whether the mover may swap: by default in the place of the second player's first turn.
    fn swap(at: &Stones<Self, STRIDE, WORDS>) -> Swap {
        match at.mover == Seat::Second && at.stones[1].is_empty() {
            true => Swap::Possible,
            false => Swap::Past,
        }
    }

    /// Where the first stone stands after a swap.
    fn mirrored(cell: Cell) -> Cell {
        cell
    }

    /// Swaps: by default the first stone is taken away and a stone of the mover is put on its mirror point.
    fn take_over(at: &mut Stones<Self, STRIDE, WORDS>) {
        let first = at.stones[0].first();
        at.stones[0] = BitBoard::EMPTY;
        at.game = at.game.cleared();
        if let Some(cell) = first {
            at.put(Self::mirrored(cell));
        }
    }

    /// What the game keeps when the stones are taken away for a swap.
    #[must_use]
    fn cleared(self) -> Self {
        self
    }

    /// The empty cells on which the mover may put a stone.
    fn open(at: &Stones<Self, STRIDE, WORDS>) -> BitBoard<STRIDE, WORDS> {
        at.empty()
    }

    /// Why the mover may not put a stone on this empty cell.
    fn forbidden(_: &Stones<Self, STRIDE, WORDS>, cell: Cell) -> String {
        format!("No stone can be put on {cell}.")
    }

    /// What follows from the mover's new stone on this cell: captures, and the end of the game.
    fn follow(at: &mut Stones<Self, STRIDE, WORDS>, cell: Cell) -> Option<Outcome>;

    /// What follows when it is the next player's turn: by default nothing.
    fn settle(_: &mut Stones<Self, STRIDE, WORDS>) {}

    /// The player to move after the mover's turn.
    fn next(at: &Stones<Self, STRIDE, WORDS>) -> Seat {
        at.mover.other()
    }

    /// What a stone did besides standing there; see [`Rules::effects`].
    fn effects(
        before: &Stones<Self, STRIDE, WORDS>,
        after: &Stones<Self, STRIDE, WORDS>,
        cell: Cell,
    ) -> Vec<String>;

    /// What the line above the drawing says.
    fn status(_: &Stones<Self, STRIDE, WORDS>) -> Option<String> {
        None
    }

    /// See [`Rules::info`].
    fn info(_: &Stones<Self, STRIDE, WORDS>) -> Info {
        Info::new()
    }

    /// See [`Rules::draw`], without the line above.
    fn draw(at: &Stones<Self, STRIDE, WORDS>, display: Display) -> String {
        at.board.draw(display, |cell| at.letter(cell))
    }

    /// See [`Rules::layout`].
    fn layout(at: &Stones<Self, STRIDE, WORDS>) -> Layout {
        at.board.layout()
    }

    /// What distinguishes positions with the same stones.
    fn key(&self) -> u64 {
        0
    }

    /// The estimate for the player to move; see [`Evaluate::estimate`](crate::Evaluate::estimate).
    fn value(at: &Stones<Self, STRIDE, WORDS>) -> i32;

    /// The cells that hard looks at, if these are not those worth a search; see [`Evaluate::likely`](crate::Evaluate::likely).
    fn likely(_: &Stones<Self, STRIDE, WORDS>, _is_first: bool) -> Option<BitBoard<STRIDE, WORDS>> {
        None
    }

    /// See [`Evaluate::win_by_threats`](crate::Evaluate::win_by_threats).
    fn win_by_threats(_: &Stones<Self, STRIDE, WORDS>) -> Option<Cell> {
        None
    }

    /// See [`Evaluate::rhombus`](crate::Evaluate::rhombus).
    fn rhombus(_: &Stones<Self, STRIDE, WORDS>) -> Option<Rhombus> {
        None
    }

    /// The cells worth a search, and whether stones on all others lose at once.
    fn worth_a_look(at: &Stones<Self, STRIDE, WORDS>) -> (BitBoard<STRIDE, WORDS>, bool) {
        (at.open(), true)
    }
}

/// A position of such a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stones<G, const STRIDE: usize = 20, const WORDS: usize = 6> {
    /// The board.
    pub(crate) board: Board,
    /// Its cells.
    pub(crate) cells: BitBoard<STRIDE, WORDS>,
    /// The first player's stones, then the second's.
    pub(crate) stones: [BitBoard<STRIDE, WORDS>; 2],
    /// Who moves, or would move if the game were not over.
    pub(crate) mover: Seat,
    /// Whether the options allow to swap.
    pub(crate) allows_swap: bool,
    /// The result.
    pub(crate) outcome: Option<Outcome>,
    /// What the game keeps.
    pub(crate) game: G,
}

impl<G: StoneGame<STRIDE, WORDS>, const STRIDE: usize, const WORDS: usize> Stones<G, STRIDE, WORDS> {
    pub(crate) fn empty(&self) -> BitBoard<STRIDE, WORDS> {
        self.cells - self.stones[0] - self.stones[1]
    }

    pub(crate) const fn own(&self) -> BitBoard<STRIDE, WORDS> {
        self.stones[self.mover.index()]
    }

    pub(crate) const fn enemy(&self) -> BitBoard<STRIDE, WORDS> {
        self.stones[self.mover.other().index()]
    }

    /// The cells for the next stone; none at the end.
    pub(crate) fn open(&self) -> BitBoard<STRIDE, WORDS> {
        match self.outcome {
            None => G::open(self),
            Some(_) => BitBoard::EMPTY,
        }
    }

    pub(crate) fn can_swap(&self) -> bool {
        self.allows_swap && self.outcome.is_none() && G::swap(self) == Swap::Possible
    }

    /// Puts a stone of the mover on an empty cell.
    pub(crate) fn put(&mut self, cell: Cell) {
        self.stones[self.mover.index()].insert(cell);
        self.outcome = G::follow(self, cell);
        if self.outcome.is_none() && self.empty().is_empty() {
            self.outcome = Some(Outcome::Drawn);
        }
    }

    pub(crate) fn letter(&self, cell: Cell) -> Option<char> {
        let letter = |side: usize| G::FACTS.letters[side].chars().next();
        match self.stones.map(|stones| stones.has(cell)) {
            [true, _] => letter(0),
            [_, true] => letter(1),
            _ => None,
        }
    }

    /// The winner.
    pub(crate) const fn winner(&self) -> Option<Seat> {
        match self.outcome {
            Some(Outcome::Won(winner)) => Some(winner),
            _ => None,
        }
    }
}

impl<G: StoneGame<STRIDE, WORDS>, const STRIDE: usize, const WORDS: usize> Rules
    for Stones<G, STRIDE, WORDS>
{
    const FACTS: Facts = G::FACTS;

    const SGF: Option<Sgf> = G::SGF;

    type Turn = Stone;

    fn start(options: &Options) -> Result<Self, Refusal> {
        let board = G::board(options);
        Ok(Self {
            board,
            cells: G::cells(board),
            stones: [BitBoard::EMPTY; 2],
            mover: Seat::First,
            allows_swap: G::FACTS.knows_swap && !options.has("noswap"),
            outcome: None,
            game: G::start(options, board),
        })
    }

    fn to_move(&self) -> Option<Seat> {
        self.outcome.is_none().then_some(self.mover)
    }

    fn read(&self, text: &str) -> Result<Stone, Refusal> {
        if self.outcome.is_some() {
            return Err(Refusal::illegal("The game is over."));
        }
        let example = G::FACTS.example.first().unwrap_or(&"a1");
        let swap = match (G::FACTS.knows_swap, self.allows_swap) {
            (false, _) => None,
            (true, false) => Some(Swap::Excluded),
            (true, true) => Some(G::swap(self)),
        };
        let [piece, on] = G::PIECE;
        Stone::read(text, self.board.grid(), swap, example, |cell| {
            if !self.cells.has(cell) {
                return Err(format!("There is no {on} {cell} on this board."));
            }
            if !self.empty().has(cell) {
                return Err(format!(
                    "A {piece} is put on an empty {on}, and there is one on {cell}."
                ));
            }
            match G::open(self).has(cell) {
                true => Ok(()),
                false => Err(G::forbidden(self, cell)),
            }
        })
    }

    /// Cells with blanks or commas between them, where a player puts several stones.
    fn read_all(&self, text: &str) -> Result<Vec<Stone>, Refusal> {
        let mut parts = text
            .split(|c: char| c.is_whitespace() || c == ',')
            .filter(|part| !part.is_empty());
        let (Some(first), Some(second)) = (parts.next(), parts.next()) else {
            return Ok(vec![self.read(text)?]);
        };
        if G::STONES == 1 {
            return Ok(vec![self.read(text)?]);
        }
        let mut position = *self;
        let mut turns = Vec::new();
        for part in [first, second].into_iter().chain(parts) {
            let start = part.as_ptr() as usize - text.as_ptr() as usize;
            let turn = position.read(part).map_err(|mut refusal| {
                refusal.at = refusal.at.map(|at| at.start + start..at.end + start);
                refusal
            });
            // What is no cell is refused as that: it may be no turn at all.
            let is_cell = !matches!(&turn, Err(refusal) if refusal.kind == Kind::Unreadable);
            if is_cell && position.to_move() != Some(self.mover) {
                let reason = format!(
                    "That is one stone too many: after {} the other player moves.",
                    number(turns.len())
                );
                return Err(Refusal::illegal(reason));
            }
            let turn = turn?;
            position.play(&turn);
            turns.push(turn);
        }
        Ok(turns)
    }

    fn play(&mut self, turn: &Stone) {
        match *turn {
            Stone::On(cell) => self.put(cell),
            Stone::Swap => G::take_over(self),
        }
        self.mover = G::next(self);
        G::settle(self);
    }

    fn effects(&self, turns: &[Stone]) -> Vec<String> {
        let mut effects = Vec::new();
        let mut position = *self;
        for turn in turns {
            let before = position;
            position.play(turn);
            match (*turn, before.stones[0].first()) {
                (Stone::On(cell), _) => {
                    effects.extend(G::effects(&before, &position, cell));
                    if position.outcome == Some(Outcome::Drawn) && position.empty().is_empty() {
                        effects.push("filled the board".to_owned());
                    }
                }
                (Stone::Swap, Some(cell)) if before.stones[0].count() == 1 => {
                    let to = G::mirrored(cell);
                    effects.push(match to == cell {
                        true => format!("replaced {}'s {} on {cell}", G::FACTS.sides[0], G::PIECE[0]),
                        false => format!("replaced x on {cell} by o on {to}"),
                    });
                }
                (Stone::Swap, _) => effects.push("exchanged all stones".to_owned()),
            }
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
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
        let open = self.open();
        let count = u64::from(open.count()) + u64::from(self.can_swap());
        let place = (count > 0).then(|| rng.random_range(0..count))?;
        match open.iter().nth(place as usize) {
            Some(cell) => Some(Stone::On(cell)),
            None => Some(Stone::Swap),
        }
    }

    fn draw(&self, display: Display) -> String {
        let swap = self.can_swap().then(|| "swap is possible".to_owned());
        let above: Vec<_> = G::status(self).into_iter().chain(swap).collect();
        let board = G::draw(self, display);
        match above.is_empty() {
            true => board,
            false => format!("{}\n\n{board}", above.join("; ")),
        }
    }

    fn cells(&self) -> Vec<(String, char)> {
        self.board.grid().occupied(|cell| self.letter(cell))
    }

    fn layout(&self) -> Layout {
        G::layout(self)
    }

    fn info(&self) -> Info {
        G::info(self)
    }
}
