//! What a computer player knows of Breakthrough: who wins a race, and where pawns are worth more.

use super::{Breakthrough, FORWARD};
use crate::Seat;
use crate::kit::square::{SmallBits, Way};

/// What a race that nobody can stop is worth, and each turn less until it is run.
const RACE: i32 = 3000;
const TURN: i32 = 100;

/// What a pawn that nobody can stop is worth while the other side may be faster.
const PASSED: i32 = 90;

/// What a pawn is worth, on the own edge, and with each way in which an own pawn guards it.
const PAWN: i32 = 60;
const EDGE: i32 = 12;
const GUARDED: i32 = 5;

/// What it is worth to be to move.
const TEMPO: i32 = 6;

/// What a side has.
struct Side {
    /// How many rows the first pawn has to go, and the first one that nobody can stop.
    rows: i32,
    free_rows: Option<i32>,
    worth: i32,
}

impl Side {
    fn of(at: &Breakthrough, seat: Seat) -> Self {
        let (pawns, enemy) = (at.pieces[seat.index()], at.pieces[seat.other().index()]);
        let [_, left, right] = FORWARD[seat.index()].map(|way| pawns.step(way));
        let free = pawns - in_reach(at, enemy, seat.other());
        let size = at.grid.size();
        let rows = (0..size).filter_map(|done| {
            let row = [done, size - 1 - done][seat.index()];
            let here = pawns.row(row);
            (!here.is_empty()).then(|| (done, here, i32::from(size - 1 - done)))
        });
        let (mut worth, mut first, mut free_rows) = (0, i32::from(size), None);
        for (done, here, left) in rows {
            let guards = if done == 0 { EDGE } else { 0 };
            worth += here.count() as i32 * (PAWN + guards + 240 / (left * left + 2));
            first = left;
            if !(here & free).is_empty() {
                free_rows = Some(left);
            }
        }
        let guarded = (pawns & left).count() + (pawns & right).count();
        Self {
            rows: first,
            free_rows,
            worth: worth + GUARDED * guarded as i32,
        }
    }
}

/// The cells to which these pawns can ever come. A pawn of the other side elsewhere cannot be stopped.
fn in_reach(at: &Breakthrough, pawns: SmallBits, seat: Seat) -> SmallBits {
    let board = SmallBits::square(at.grid.size());
    let ahead = |pawns: SmallBits| {
        let cells = FORWARD[seat.index()].map(|way: Way| pawns.step(way));
        (cells[0] | cells[1] | cells[2]) & board
    };
    let (mut all, mut new) = (SmallBits::EMPTY, ahead(pawns));
    while !new.is_empty() {
        all |= new;
        new = ahead(new);
    }
    all
}

impl Breakthrough {
    /// The estimate for the player to move.
    pub(super) fn value(&self) -> i32 {
        let [own, other] = [self.mover, self.mover.other()].map(|seat| Side::of(self, seat));
        // Who is to move is first where both have as far to go. A race is won if the other side has no pawn that is as fast.
        let wins = own.free_rows.filter(|rows| *rows <= other.rows);
        let loses = other.free_rows.filter(|rows| *rows < own.rows);
        match (wins, loses) {
            (Some(rows), _) => return RACE - TURN * rows,
            (None, Some(rows)) => return TURN * rows - RACE,
            (None, None) => {}
        }
        let passed = |side: &Side| if side.free_rows.is_some() { PASSED } else { 0 };
        own.worth - other.worth + passed(&own) - passed(&other) + TEMPO
    }
}
