//! Chess and its relatives: a board that knows the legal moves, and what a game makes of them.

pub mod board;
mod estimate;
mod read;
mod step;

use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use crate::continuations::{self, Listed};
use crate::kit::history::History;
use crate::kit::mix::mix;
use crate::kit::picture::{self, Layout};
use crate::kit::square::{Cell, Grid};
use crate::tagged::Tagged;
use crate::{Continuations, Display, Facts, Info, OptionFact, Options, Outcome, Refusal, Rules, Seat};

pub use board::ChessBoard;
pub use step::{Piece, San, Step};

/// What most games of this family have in common.
pub const FACTS: Facts = Facts {
    sides: ["White", "Black"],
    letters: ["KQRBNP", "kqrbnp"],
    designer: "nobody known",
    notation: "The letter of the piece and the square that it goes to: Nf3, and for a pawn e4. A capture has an x: Bxc6, exd5. O-O and \
               O-O-O castle, e8=Q promotes. e2-e4 and e7e8q are read too.",
    example: &["e4", "e5", "Nf3", "Nc6"],
    knows_draws: true,
    // Fifty turns of both without a pawn's move or a capture are a draw: 96 moves of pawns and 30 captures, each after
    // 99 other turns. Random games of 3000 had 1200 at most.
    longest_random_game: 12_700,
    ..Facts::BLANK
};

/// After this many turns of both sides the game is drawn, without a pawn's move or a capture.
const MAX_QUIET_TURNS: u32 = 100;

/// What a game of this family brings.
pub trait ChessGame: Clone + PartialEq + Send + Sync + 'static {
    /// The constants of the game.
    const FACTS: Facts;
    /// See [`Evaluate::EFFORT`](crate::Evaluate::EFFORT).
    const EFFORT: u64 = 12;
    /// See [`Rules::TAGGED`].
    const TAGGED: Option<Tagged> = None;
    /// The rows and columns of the board.
    const SIZE: u8 = 8;
    /// Whether a position in which neither side can give mate is drawn.
    const KNOWS_DEAD_POSITIONS: bool = true;
    /// Whether all moves that the board allows are legal.
    const ALLOWS_ALL: bool = true;
    /// The board.
    type Board: ChessBoard;

    /// The start.
    fn start(options: &Options) -> (Self, Self::Board);

    /// Whether a move that the board allows is legal in this game.
    fn allows(_: &Self::Board, _: &Step) -> bool {
        true
    }

    /// Why a move that the board allows is not legal in this game.
    fn forbidden(_: &Self::Board, _: &Step) -> String {
        String::new()
    }

    /// Takes note of a turn that was played, and says whether it ends the game by its own rule.
    fn follow(&mut self, _: &Self::Board, _: &Step) -> Option<Outcome> {
        None
    }

    /// The words for such an end, and for what the game counts.
    fn effects(_: &Chess<Self>, _: &Chess<Self>) -> Vec<String> {
        Vec::new()
    }

    /// See [`Rules::info`].
    fn info(&self) -> Info {
        Info::new()
    }

    /// What distinguishes positions with the same board.
    fn key(&self) -> u64 {
        0
    }

    /// What the game adds to the estimate for this side.
    fn bonus(&self, _: &Self::Board, _: Seat) -> i32 {
        0
    }
}

/// A position of such a game.
#[derive(Clone, PartialEq)]
pub struct Chess<G: ChessGame> {
    pub(crate) board: G::Board,
    pub(crate) game: G,
    pub(crate) outcome: Option<Outcome>,
    history: History<u64>,
}

impl<G: ChessGame> Chess<G> {
    /// The position of a board as it would stand at the start of a game.
    pub(crate) fn from_board(game: G, board: G::Board) -> Self {
        Self {
            history: History::new(mix([board.key(), game.key()])),
            outcome: None,
            board,
            game,
        }
    }

    /// All legal moves.
    fn steps(&self) -> Vec<Step> {
        let mut steps = Vec::with_capacity(48);
        if self.outcome.is_none() {
            let _ = self.board.moves(&mut |step| {
                if G::ALLOWS_ALL || G::allows(&self.board, &step) {
                    steps.push(step);
                }
                ControlFlow::Continue(())
            });
        }
        steps
    }

    fn has_step(&self) -> bool {
        let found = self
            .board
            .moves(&mut |step| match G::ALLOWS_ALL || G::allows(&self.board, &step) {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            });
        found.is_break()
    }

    pub(crate) fn play_step(&mut self, step: &Step) {
        let mover = self.board.mover();
        self.board.play(step);
        self.outcome = self.game.follow(&self.board, step);
        let key = mix([self.board.key(), self.game.key()]);
        let occurrences = match self.board.quiet_turns() {
            0 => {
                self.history.restart(key);
                1
            }
            _ => self.history.add(key),
        };
        if self.outcome.is_none() {
            self.outcome = self.end(mover, occurrences);
        }
    }

    fn end(&self, mover: Seat, occurrences: usize) -> Option<Outcome> {
        if !self.has_step() {
            let is_mate = self.board.is_check();
            return Some(if is_mate {
                Outcome::Won(mover)
            } else {
                Outcome::Drawn
            });
        }
        let is_drawn = occurrences >= 3
            || self.board.quiet_turns() >= MAX_QUIET_TURNS
            || (G::KNOWS_DEAD_POSITIONS && is_dead(&self.board));
        is_drawn.then_some(Outcome::Drawn)
    }

    /// Why the game is drawn.
    fn drawn_because(&self) -> &'static str {
        if !self.has_step() {
            "left no legal move: stalemate"
        } else if G::KNOWS_DEAD_POSITIONS && is_dead(&self.board) {
            "left too few pieces for a mate"
        } else if self.board.quiet_turns() >= MAX_QUIET_TURNS {
            "reached fifty turns without a capture or a pawn's move"
        } else {
            "repeated the position for the second time"
        }
    }

    pub(crate) fn letter(&self, cell: Cell) -> Option<char> {
        let (piece, seat) = self.board.on(cell)?;
        let letter = piece.letter();
        Some(match seat {
            Seat::First => letter,
            Seat::Second => letter.to_ascii_lowercase(),
        })
    }
}

/// Whether neither side can give mate: a king alone, or with a knight or a bishop, against a king alone; or only bishops of one colour of
/// cells.
fn is_dead(board: &impl ChessBoard) -> bool {
    let both = |piece| board.of(piece, Seat::First) | board.of(piece, Seat::Second);
    if both(Piece::Pawn) | both(Piece::Rook) | both(Piece::Queen) != 0 {
        return false;
    }
    let (knights, bishops) = (both(Piece::Knight), both(Piece::Bishop));
    const LIGHT: u64 = 0x55aa_55aa_55aa_55aa;
    match (knights.count_ones(), bishops.count_ones()) {
        (0, _) => bishops & LIGHT == 0 || bishops & !LIGHT == 0,
        (1, 0) => true,
        _ => false,
    }
}

impl<G: ChessGame> Rules for Chess<G> {
    const FACTS: Facts = G::FACTS;

    const TAGGED: Option<Tagged> = G::TAGGED;

    const CAPITALS: Option<&'static str> =
        Some("A capital letter is a piece and a small one a column: Bc4 is the bishop's, bc4 the pawn's.");

    type Turn = San;

    fn start(options: &Options) -> Result<Self, Refusal> {
        let (game, board) = G::start(options);
        Ok(Self::from_board(game, board))
    }

    fn to_move(&self) -> Option<Seat> {
        self.outcome.is_none().then(|| self.board.mover())
    }

    fn read(&self, text: &str) -> Result<San, Refusal> {
        self.read_turn(text)
    }

    /// By squares, as one moves a piece: e2, then e4. Castling is a word, and so is any other notation.
    fn continuations(&self, begun: &str) -> Result<Continuations, Refusal> {
        let points = Grid::new(G::SIZE).in_reading_order().map(|cell| cell.to_string());
        let points: Vec<_> = points.collect();
        let points: Vec<&str> = points.iter().map(String::as_str).collect();
        let steps = self.steps();
        let texts: Vec<_> = steps.iter().filter_map(Step::by_squares).collect();
        let read = |text: &str| self.read(text).map(|turn| turn.to_string());
        let listed = Listed {
            capitals: false,
            points: &points,
            turns: &|each| {
                let _ = texts.iter().try_for_each(|text| each(text));
            },
            read: &read,
        };
        let mut continuations = listed.continuations(begun)?;
        if let Some(whole) = &mut continuations.whole {
            *whole = read(whole)?;
        }
        if begun.trim().is_empty() {
            let castling = steps.iter().filter(|step| step.castles.is_some());
            let castling = castling.map(|step| San::among(*step, &steps).to_string());
            let word = |text: String| continuations::Step::word(&text, text.replace('-', ""));
            continuations.steps.extend(castling.map(word));
        }
        Ok(continuations)
    }

    fn play(&mut self, turn: &San) {
        self.play_step(&turn.step);
    }

    fn effects(&self, turns: &[San]) -> Vec<String> {
        let mut effects = Vec::new();
        let mut position = self.clone();
        for turn in turns {
            let before = position.clone();
            position.play(turn);
            if turn.step.captures {
                let captured = before
                    .board
                    .on(turn.step.to)
                    .map_or(Piece::Pawn, |(piece, _)| piece);
                effects.push(format!("captured a {}", captured.name()));
            }
            let own = G::effects(&before, &position);
            let is_told = !own.is_empty();
            effects.extend(own);
            match position.outcome {
                Some(Outcome::Won(_)) if !is_told => effects.push("gave checkmate".to_owned()),
                Some(Outcome::Drawn) if !is_told => effects.push(position.drawn_because().to_owned()),
                None if position.board.is_check() && !is_told => effects.push("gave check".to_owned()),
                _ => {}
            }
        }
        effects
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    fn turns(&self, each: &mut dyn FnMut(&San) -> ControlFlow<()>) -> ControlFlow<()> {
        let steps = self.steps();
        steps.iter().try_for_each(|step| each(&San::among(*step, &steps)))
    }

    fn count(&self) -> u64 {
        match (self.outcome, G::ALLOWS_ALL) {
            (Some(_), _) => 0,
            (None, true) => self.board.count(),
            (None, false) => self.steps().len() as u64,
        }
    }

    fn random_turn(&self, rng: &mut dyn Rng) -> Option<San> {
        let steps = self.steps();
        let at = (!steps.is_empty()).then(|| rng.random_range(0..steps.len()))?;
        Some(San::among(steps[at], &steps))
    }

    fn draw(&self, display: Display) -> String {
        let board = Grid::new(G::SIZE).draw(display, |cell| self.letter(cell).unwrap_or('.'));
        let counts = self.game.info();
        let counts = counts.iter().map(|(name, counts)| {
            let all: Vec<_> = counts
                .iter()
                .map(|(side, count)| format!("{side} {count}"))
                .collect();
            format!("{name}: {}", all.join(" "))
        });
        let mut above: Vec<_> = counts.collect();
        if self.outcome.is_none() && self.board.is_check() {
            above.push("check".to_owned());
        }
        match above.is_empty() {
            true => board,
            false => format!("{}\n\n{board}", above.join("; ")),
        }
    }

    fn cells(&self) -> Vec<(String, char)> {
        Grid::new(G::SIZE).occupied(|cell| self.letter(cell))
    }

    fn layout(&self) -> Layout {
        picture::square(Grid::new(G::SIZE))
    }

    fn info(&self) -> Info {
        self.game.info()
    }
}

/// The option for a start of Chess960, by Scharnagl's numbers.
pub const START: OptionFact = OptionFact::number(
    "960",
    [0, 959, 518],
    "the start of Chess960 with this number; 518 is the usual one",
);
