//! The board of six rows. Its cells are those at the lower left of a board of eight, and the rest of that is a wall.

use std::ops::ControlFlow;

use cozy_chess::{BitBoard, Square};

use crate::Seat;
use crate::families::chess::board::{attackers, bit_of, bits, cell_of, colour};
use crate::families::chess::{ChessBoard, Piece, Step};
use crate::kit::mix::mix;
use crate::kit::square::Cell;

pub(super) const SIZE: u8 = 6;

/// All cells of the board.
const CELLS: u64 = 0x3f3f_3f3f_3f3f;

/// What a pawn can become.
const PROMOTIONS: [Piece; 3] = [Piece::Queen, Piece::Rook, Piece::Knight];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SmallBoard {
    /// By side and kind.
    pieces: [[u64; 6]; 2],
    mover: Seat,
    quiet: u32,
}

impl SmallBoard {
    pub(super) const START: Self = {
        // Rook, knight, queen, king, knight, rook.
        let first = [0x3f << 8, 0b01_0010, 0, 0b10_0001, 0b00_0100, 0b00_1000];
        let mut second = first;
        let mut kind = 1;
        while kind < 6 {
            second[kind] = first[kind] << 40;
            kind += 1;
        }
        second[0] = 0x3f << 32;
        Self {
            pieces: [first, second],
            mover: Seat::First,
            quiet: 0,
        }
    };

    fn all(&self, seat: Seat) -> u64 {
        self.pieces[seat.index()].iter().fold(0, |all, of| all | of)
    }

    fn occupied(&self) -> u64 {
        self.all(Seat::First) | self.all(Seat::Second)
    }

    /// Where a piece could go if it were not for the own king.
    fn targets(&self, piece: Piece, from: u32) -> u64 {
        let square = Square::index(from as usize % 64);
        let (own, enemy) = (self.all(self.mover), self.all(self.mover.other()));
        let blockers = BitBoard(own | enemy | !CELLS);
        let straight = || cozy_chess::get_rook_moves(square, blockers).0;
        let slanted = || cozy_chess::get_bishop_moves(square, blockers).0;
        let reached = match piece {
            Piece::Pawn => {
                let ahead = match self.mover {
                    Seat::First => 1 << from << 8,
                    Seat::Second => 1_u64 << from >> 8,
                };
                let captures = cozy_chess::get_pawn_attacks(square, colour(self.mover)).0 & enemy;
                ahead & !(own | enemy) | captures
            }
            Piece::Knight => cozy_chess::get_knight_moves(square).0,
            Piece::King => cozy_chess::get_king_moves(square).0,
            Piece::Rook => straight(),
            Piece::Bishop => slanted(),
            Piece::Queen => straight() | slanted(),
        };
        reached & CELLS & !own
    }

    fn is_attacked(&self, seat: Seat) -> bool {
        let kings = self.pieces[seat.index()][Piece::King as usize];
        bits(kings).any(|king| attackers(self, king, seat.other(), self.occupied() | !CELLS) & CELLS != 0)
    }
}

impl ChessBoard for SmallBoard {
    fn mover(&self) -> Seat {
        self.mover
    }

    fn moves(&self, each: &mut dyn FnMut(Step) -> ControlFlow<()>) -> ControlFlow<()> {
        let enemy = self.all(self.mover.other());
        for piece in Piece::ALL {
            for from in bits(self.of(piece, self.mover)) {
                for to in bits(self.targets(piece, from)) {
                    let mut step = Step {
                        piece,
                        from: cell_of(from),
                        to: cell_of(to),
                        promotion: None,
                        captures: enemy >> to & 1 != 0,
                        castles: None,
                    };
                    let mut after = self.clone();
                    after.play(&step);
                    if after.is_attacked(self.mover) {
                        continue;
                    }
                    let is_last = step.to.row() == 0 || step.to.row() + 1 == SIZE;
                    if piece != Piece::Pawn || !is_last {
                        each(step)?;
                        continue;
                    }
                    for promotion in PROMOTIONS {
                        step.promotion = Some(promotion);
                        each(step)?;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn count(&self) -> u64 {
        let mut count = 0;
        let _ = self.moves(&mut |_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    fn play(&mut self, step: &Step) {
        let (from, to) = (1_u64 << bit_of(step.from), 1_u64 << bit_of(step.to));
        let (own, enemy) = (self.mover.index(), self.mover.other().index());
        for of in &mut self.pieces[enemy] {
            *of &= !to;
        }
        self.pieces[own][step.piece as usize] &= !from;
        self.pieces[own][step.promotion.unwrap_or(step.piece) as usize] |= to;
        self.quiet = if step.captures || step.piece == Piece::Pawn {
            0
        } else {
            self.quiet + 1
        };
        self.mover = self.mover.other();
    }

    fn is_check(&self) -> bool {
        self.is_attacked(self.mover)
    }

    fn key(&self) -> u64 {
        mix(self
            .pieces
            .iter()
            .flatten()
            .copied()
            .chain([self.mover.index() as u64]))
    }

    fn quiet_turns(&self) -> u32 {
        self.quiet
    }

    fn on(&self, cell: Cell) -> Option<(Piece, Seat)> {
        let bit = 1_u64 << bit_of(cell);
        Seat::BOTH.into_iter().find_map(|seat| {
            let piece = Piece::ALL
                .into_iter()
                .find(|piece| self.of(*piece, seat) & bit != 0);
            piece.map(|piece| (piece, seat))
        })
    }

    fn of(&self, piece: Piece, seat: Seat) -> u64 {
        self.pieces[seat.index()][piece as usize]
    }

    fn attackers(&self, cell: u32, seat: Seat, occupied: u64) -> u64 {
        attackers(self, cell, seat, occupied | !CELLS) & CELLS & occupied
    }
}
