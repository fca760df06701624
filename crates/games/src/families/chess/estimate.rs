//! What a computer player knows of chess: what pieces are worth where they stand, and what the player to move can take.

use super::board::{bit_of, bits};
use super::step::San;
use super::{Chess, ChessBoard, ChessGame, Piece, Step};
use crate::kit::mix::mix;
use crate::{Evaluate, Seat};

/// The worth of each kind, the pawn first. A pawn more wins two games of three.
const WORTH: [i32; 6] = [60, 190, 200, 300, 560, 10_000];

/// The promise of a capture.
const CAPTURE: i32 = 10_000;

/// What is left of a piece that can be taken by the other side, which is to move.
const HANGING: i32 = 70;

impl<G: ChessGame> Evaluate for Chess<G> {
    const EFFORT: u64 = G::EFFORT;

    const HAS_FEW_TURNS: bool = true;

    /// What is captured, more if a cheap piece captures it, and what a pawn becomes.
    fn promise(&self, turn: &San) -> i32 {
        let step = &turn.step;
        let captured = self.board.on(step.to).map_or(Piece::Pawn, |(piece, _)| piece);
        let capture = match step.captures {
            true => CAPTURE + 10 * worth(captured) - worth(step.piece) / 10,
            false => 0,
        };
        capture + step.promotion.map_or(0, |piece| 10 * worth(piece))
    }

    fn number(&self, turn: &San) -> u64 {
        let Step {
            from, to, promotion, ..
        } = turn.step;
        let promotion = promotion.map_or(0, |piece| piece as u64);
        (u64::from(bit_of(from)) << 6 | u64::from(bit_of(to))) + (promotion << 12)
    }

    fn key(&self) -> u64 {
        // A position that is drawn by repetition has the board of one that is not.
        let is_late = u64::from(self.outcome.is_some()) << 1 | u64::from(self.board.quiet_turns() > 80);
        mix([self.board.key(), self.game.key(), is_late])
    }

    fn estimate(&self, side: Seat) -> i32 {
        let mover = self.board.mover();
        let value =
            self.standing(mover) - self.standing(mover.other()) + self.best_capture() * HANGING / 100 + 5;
        if side == mover { value } else { -value }
    }
}

const fn worth(piece: Piece) -> i32 {
    WORTH[piece as usize]
}

impl<G: ChessGame> Chess<G> {
    /// What the pieces of a side are worth where they stand.
    fn standing(&self, side: Seat) -> i32 {
        let board = &self.board;
        let last = i32::from(G::SIZE) - 1;
        let middle = |bit: u32| {
            let from = |place: u32| (2 * place as i32 - last).abs();
            last - from(bit % 8).max(from(bit / 8))
        };
        let ahead = |bit: u32| match side {
            Seat::First => (bit / 8) as i32,
            Seat::Second => last - (bit / 8) as i32,
        };
        let enemy_queens = board.of(Piece::Queen, side.other()) != 0;
        let mut value = self.game.bonus(board, side);
        for piece in Piece::ALL {
            for bit in bits(board.of(piece, side)) {
                value += match piece {
                    Piece::Pawn => worth(piece) + 2 * ahead(bit) * ahead(bit) / 3 + middle(bit),
                    Piece::Knight => worth(piece) + 4 * middle(bit),
                    Piece::Bishop => worth(piece) + 2 * middle(bit),
                    Piece::Rook => worth(piece) + if ahead(bit) == last - 1 { 12 } else { 0 },
                    Piece::Queen => worth(piece) + middle(bit),
                    // Safe at home while there are queens, in the middle afterwards.
                    Piece::King if enemy_queens => -4 * middle(bit) - 8 * ahead(bit).min(3),
                    Piece::King => 4 * middle(bit),
                };
            }
        }
        if board.of(Piece::Bishop, side).count_ones() > 1 {
            value += 15;
        }
        // Pawns on one column guard nothing.
        let pawns = board.of(Piece::Pawn, side);
        let doubled = (0..8).map(|column| {
            (pawns >> column & 0x0101_0101_0101_0101)
                .count_ones()
                .saturating_sub(1)
        });
        value - 8 * doubled.sum::<u32>() as i32
    }

    /// The most that the side to move gains by taking on one cell, with all that is taken there afterwards.
    fn best_capture(&self) -> i32 {
        let (board, mover) = (&self.board, self.board.mover());
        let all = |seat| {
            Piece::ALL
                .iter()
                .fold(0, |all, piece| all | board.of(*piece, seat))
        };
        let occupied = all(mover) | all(mover.other());
        let mut best = 0;
        for piece in Piece::ALL.into_iter().rev().skip(1) {
            if worth(piece) <= best {
                break;
            }
            for bit in bits(board.of(piece, mover.other())) {
                best = best.max(self.exchange(bit, worth(piece), mover, occupied, 0));
            }
        }
        best
    }

    /// What this side gains by taking a piece of this worth, if both go on taking with their cheapest piece as long as it pays.
    fn exchange(&self, cell: u32, prize: i32, side: Seat, occupied: u64, depth: u32) -> i32 {
        let attackers = self.board.attackers(cell, side, occupied);
        if attackers == 0 || depth > 10 {
            return 0;
        }
        let cheapest = Piece::ALL.into_iter().find_map(|piece| {
            let of = attackers & self.board.of(piece, side);
            (of != 0).then(|| (piece, of & of.wrapping_neg()))
        });
        let Some((piece, from)) = cheapest else { return 0 };
        let left = occupied & !from;
        // A king does not take what is guarded.
        if piece == Piece::King && self.board.attackers(cell, side.other(), left) != 0 {
            return 0;
        }
        (prize - self.exchange(cell, worth(piece), side.other(), left, depth + 1)).max(0)
    }
}
