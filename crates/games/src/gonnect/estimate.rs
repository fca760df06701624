//! What a computer player knows of Gonnect: how many stones a chain lacks, which groups are about to be taken, and who has more
//! room at the end.

use super::{Gonnect, Joined, sides};
use crate::Seat;
use crate::kit::square::Bits;

/// The worth of a stone that a chain lacks less, of a stone in atari, of a crossing that is reached first.
const LACK: i32 = 40;
const ATARI: i32 = 12;
const REACH: i32 = 4;

/// No chain lacks more stones.
const MAX_LACK: i32 = 20;

impl Joined {
    /// The estimate for the player to move.
    pub(super) fn estimated(at: &Gonnect) -> i32 {
        let [own, other] = [at.mover, at.mover.other()];
        let mut board = at.board;
        // The mover takes what is in atari, or saves the own stones.
        let single = |seat: Seat| {
            let groups = at.board.groups(seat).filter(|group| group.liberties.count() == 1);
            groups.fold(Bits::EMPTY, |all, group| all | group.stones)
        };
        let (taken, in_atari) = (single(other), single(own));
        board.stones[other.index()] -= taken;
        let reach = board.reach().map(|zone| zone.count() as i32);
        let lack = |seat: Seat| lack(board.cells, board.of(seat), board.of(seat.other()));
        // The mover is half a stone ahead.
        (2 * (lack(other) - lack(own)) + 1) * LACK / 2
            + (reach[own.index()] - reach[other.index()]) * REACH
            + ATARI * (taken.count() as i32 - in_atari.count() as i32 / 2)
    }
}

/// The least number of stones that join two opposite sides.
fn lack(cells: Bits, own: Bits, enemy: Bits) -> i32 {
    let possible = cells - enemy;
    let way = |[from, to]: [Bits; 2]| {
        let mut reached = (from & own).spread(own);
        let mut next = from & possible;
        for stones in 0..MAX_LACK {
            if reached.meets(to) {
                return stones;
            }
            let grown = reached | next;
            let grown = grown | (grown.adjacent() & own).spread(own);
            next = grown.adjacent() & possible;
            reached = grown;
        }
        MAX_LACK
    };
    sides(cells).into_iter().map(way).min().unwrap_or(MAX_LACK)
}
