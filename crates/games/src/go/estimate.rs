//! What a computer player knows of Go: what each side reaches first, which groups are about to be taken, and which have too
//! little room to live.

use super::{Go, Territory};
use crate::Seat;
use crate::kit::square::Bits;

/// The worth of a point.
const POINT: i32 = 10;

/// A group that cannot get more room than this is likely to die.
const ROOM: u32 = 7;

/// The worth of a liberty of a group, up to a few.
const LIBERTY: i32 = 2;

impl Territory {
    /// The estimate for the player to move.
    pub(super) fn estimated(at: &Go) -> i32 {
        let mover = at.mover;
        let mut board = at.board;
        let mut value = 0;
        // The mover takes what is in atari; of the own stones in atari one group can be saved.
        let mut lost = Bits::EMPTY;
        for group in at.board.groups(mover.other()) {
            match group.liberties.count() {
                1 => lost |= group.stones,
                liberties => value -= LIBERTY * liberties.min(4) as i32,
            }
        }
        board.stones[mover.other().index()] -= lost;
        let (mut most, mut in_atari) = (Bits::EMPTY, Bits::EMPTY);
        for group in at.board.groups(mover) {
            match group.liberties.count() {
                1 => {
                    in_atari |= group.stones;
                    if group.stones.count() > most.count() {
                        most = group.stones;
                    }
                }
                liberties => value += LIBERTY * liberties.min(4) as i32,
            }
        }
        board.stones[mover.index()] -= in_atari - most;
        let zones = board.reach();
        let points = |seat: Seat| {
            let (zone, other) = (zones[seat.index()], zones[seat.other().index()]);
            let mut left = zone;
            let mut points = 0;
            while let Some(first) = left.first() {
                let part = Bits::of(first).spread(zone);
                left -= part;
                let size = part.count();
                let is_shut_in = part.adjacent().meets(other) && size < ROOM;
                // It counts for neither side.
                points += if is_shut_in { 0 } else { size as i32 };
            }
            points
        };
        let lead = points(mover) - points(mover.other());
        let komi = match mover {
            Seat::First => -at.game.komi,
            Seat::Second => at.game.komi,
        };
        value + lead * POINT + komi * POINT / 2
    }
}
