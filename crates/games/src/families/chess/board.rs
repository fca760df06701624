//! A board that knows which moves are legal: that of cozy-chess, or one of our own.

use std::ops::ControlFlow;

use cozy_chess::{BitBoard, Color, File, Move, Square};

use super::step::{Piece, Step};
use crate::Seat;
use crate::kit::square::Cell;

/// A position of pieces, and whose turn it is.
pub trait ChessBoard: Clone + PartialEq + Send + Sync + 'static {
    /// Whose turn it is.
    fn mover(&self) -> Seat;
    /// Passes each legal move to `each`, until it breaks.
    fn moves(&self, each: &mut dyn FnMut(Step) -> ControlFlow<()>) -> ControlFlow<()>;
    /// The number of legal moves.
    fn count(&self) -> u64;
    /// Plays a legal move.
    fn play(&mut self, step: &Step);
    /// Whether the king of the side to move is attacked.
    fn is_check(&self) -> bool;
    /// The same for equal positions, with the rights to castle and to capture in passing.
    fn key(&self) -> u64;
    /// How many turns there were since a pawn moved or a piece was captured.
    fn quiet_turns(&self) -> u32;
    /// What stands on a cell.
    fn on(&self, cell: Cell) -> Option<(Piece, Seat)>;
    /// The cells of the pieces of one kind, as bits of eight to a row.
    fn of(&self, piece: Piece, seat: Seat) -> u64;
    /// The cells from which a piece of one side attacks a cell, when only these cells are occupied.
    fn attackers(&self, cell: u32, seat: Seat, occupied: u64) -> u64;
}

/// The cell of a bit.
pub(crate) const fn cell_of(bit: u32) -> Cell {
    Cell::at((bit % 8) as u8, (bit / 8) as u8)
}

/// The bit of a cell.
pub(crate) const fn bit_of(cell: Cell) -> u32 {
    cell.row() as u32 * 8 + cell.column() as u32
}

/// The bits of a set, the lowest first.
pub(crate) fn bits(mut set: u64) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros())?;
        set &= set - 1;
        Some(bit)
    })
}

pub(crate) const fn colour(seat: Seat) -> Color {
    match seat {
        Seat::First => Color::White,
        Seat::Second => Color::Black,
    }
}

const fn seat(colour: Color) -> Seat {
    match colour {
        Color::White => Seat::First,
        Color::Black => Seat::Second,
    }
}

fn square(cell: Cell) -> Square {
    Square::index(bit_of(cell) as usize % 64)
}

fn cell(square: Square) -> Cell {
    cell_of(square as u32)
}

const fn piece(of: cozy_chess::Piece) -> Piece {
    match of {
        cozy_chess::Piece::Pawn => Piece::Pawn,
        cozy_chess::Piece::Knight => Piece::Knight,
        cozy_chess::Piece::Bishop => Piece::Bishop,
        cozy_chess::Piece::Rook => Piece::Rook,
        cozy_chess::Piece::Queen => Piece::Queen,
        cozy_chess::Piece::King => Piece::King,
    }
}

const fn theirs(of: Piece) -> cozy_chess::Piece {
    match of {
        Piece::Pawn => cozy_chess::Piece::Pawn,
        Piece::Knight => cozy_chess::Piece::Knight,
        Piece::Bishop => cozy_chess::Piece::Bishop,
        Piece::Rook => cozy_chess::Piece::Rook,
        Piece::Queen => cozy_chess::Piece::Queen,
        Piece::King => cozy_chess::Piece::King,
    }
}

/// cozy-chess writes castling as the king's move to the cell of its rook.
fn step(board: &cozy_chess::Board, moved: cozy_chess::Piece, to_play: Move) -> Step {
    let own = board.colors(board.side_to_move());
    let castles = moved == cozy_chess::Piece::King && own.has(to_play.to);
    let is_short = castles && to_play.to.file() > to_play.from.file();
    let to = match (castles, is_short) {
        (true, true) => Square::new(File::G, to_play.from.rank()),
        (true, false) => Square::new(File::C, to_play.from.rank()),
        (false, _) => to_play.to,
    };
    let is_pawn = moved == cozy_chess::Piece::Pawn;
    Step {
        piece: piece(moved),
        from: cell(to_play.from),
        to: cell(to),
        promotion: to_play.promotion.map(piece),
        captures: !castles
            && (board.occupied().has(to_play.to) || is_pawn && to_play.from.file() != to_play.to.file()),
        castles: castles.then_some(is_short),
    }
}

impl ChessBoard for cozy_chess::Board {
    fn mover(&self) -> Seat {
        seat(self.side_to_move())
    }

    fn moves(&self, each: &mut dyn FnMut(Step) -> ControlFlow<()>) -> ControlFlow<()> {
        let stopped = self.generate_moves(|moves| {
            moves
                .into_iter()
                .any(|one| each(step(self, moves.piece, one)).is_break())
        });
        if stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn count(&self) -> u64 {
        let mut count = 0;
        self.generate_moves(|moves| {
            count += moves.len() as u64;
            false
        });
        count
    }

    fn play(&mut self, step: &Step) {
        let rights = self.castle_rights(self.side_to_move());
        let rook = step
            .castles
            .and_then(|is_short| if is_short { rights.short } else { rights.long });
        let to = match rook {
            Some(file) => Square::new(file, square(step.from).rank()),
            None => square(step.to),
        };
        self.play_unchecked(Move {
            from: square(step.from),
            to,
            promotion: step.promotion.map(theirs),
        });
    }

    fn is_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// The column of a pawn that could be captured in passing counts only if one can capture it.
    fn key(&self) -> u64 {
        let Some(file) = self.en_passant() else {
            return self.hash_without_ep();
        };
        let pawns = self.colored_pieces(self.side_to_move(), cozy_chess::Piece::Pawn);
        let passes =
            |one: Move| one.to.file() == file && one.from.file() != file && !self.occupied().has(one.to);
        let can_capture = self.generate_moves_for(pawns, |moves| moves.into_iter().any(passes));
        if can_capture {
            self.hash()
        } else {
            self.hash_without_ep()
        }
    }

    fn quiet_turns(&self) -> u32 {
        u32::from(self.halfmove_clock())
    }

    fn on(&self, cell: Cell) -> Option<(Piece, Seat)> {
        let square = square(cell);
        Some((piece(self.piece_on(square)?), seat(self.color_on(square)?)))
    }

    fn of(&self, piece: Piece, seat: Seat) -> u64 {
        self.colored_pieces(colour(seat), theirs(piece)).0
    }

    fn attackers(&self, cell: u32, seat: Seat, occupied: u64) -> u64 {
        attackers(self, cell, seat, occupied)
    }
}

/// The attackers of a cell, by the tables of cozy-chess.
pub(crate) fn attackers(board: &impl ChessBoard, cell: u32, seat: Seat, occupied: u64) -> u64 {
    let square = Square::index(cell as usize % 64);
    let of = |piece| board.of(piece, seat);
    let queens = of(Piece::Queen);
    let blockers = BitBoard(occupied);
    let straight = cozy_chess::get_rook_moves(square, blockers).0 & (of(Piece::Rook) | queens);
    let slanted = cozy_chess::get_bishop_moves(square, blockers).0 & (of(Piece::Bishop) | queens);
    let pawns = cozy_chess::get_pawn_attacks(square, colour(seat.other())).0 & of(Piece::Pawn);
    (straight
        | slanted
        | pawns
        | cozy_chess::get_knight_moves(square).0 & of(Piece::Knight)
        | cozy_chess::get_king_moves(square).0 & of(Piece::King))
        & occupied
}
