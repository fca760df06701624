//! What a computer player knows of Breakthrough: who wins a race, and where pawns are worth more.

use super::{Breakthrough, FORWARD};
use crate::kit::square::{SmallBits, Way};
use crate::{Seat, Weighed};

/// What a race that nobody can stop is worth, and each turn less until it is run.
const RACE: i32 = 3000;
const TURN: i32 = 100;

/// How far the first pawn of a side has to go, and the first one that nobody can stop.
struct Run {
    rows: i32,
    free_rows: Option<i32>,
}

impl Run {
    fn of(at: &Breakthrough, seat: Seat) -> Self {
        let rows = |pawns: SmallBits| match seat {
            Seat::First => pawns.last().map(|cell| at.grid.size() - 1 - cell.row()),
            Seat::Second => pawns.first().map(|cell| cell.row()),
        };
        let size = i32::from(at.grid.size());
        Self {
            rows: rows(at.pieces[seat.index()]).map_or(size, i32::from),
            free_rows: rows(free(at, seat)).map(i32::from),
        }
    }
}

impl Weighed<15> for Breakthrough {
    const WEIGHTS: [(&'static str, i32); 15] = [
        ("pawns", 64),
        ("five rows to go", 4),
        ("four rows to go", 9),
        ("three rows to go", 17),
        ("two rows to go", 36),
        ("one row to go", 76),
        ("on the own edge", 12),
        ("and not in its corners", 0),
        ("ways in which pawns are guarded", 5),
        ("pawns side by side", 0),
        ("attacked and not guarded, not to move", -20),
        ("attacked and not guarded, to move", 0),
        ("attacked and guarded", 0),
        ("can never be stopped", 90),
        ("to move", 6),
    ];

    /// All zero when a race has decided the game.
    fn counts(&self, side: Seat) -> [i32; 15] {
        let runs = self.runs();
        if race_of(&runs).is_some() {
            return [0; 15];
        }
        let [own, other] = [self.mover, self.mover.other()].map(|seat| counts_of(self, seat));
        let sign = if side == self.mover { 1 } else { -1 };
        let passed = runs.map(|run| i32::from(run.free_rows.is_some()));
        std::array::from_fn(|at| {
            sign * match at {
                13 => passed[0] - passed[1],
                14 => 1,
                _ => own[at] - other[at],
            }
        })
    }
}

/// What is counted of a side, but for its race.
fn counts_of(at: &Breakthrough, seat: Seat) -> [i32; 15] {
    let pawns = at.pieces[seat.index()];
    let board = SmallBits::square(at.grid.size());
    let attacks = |seat: Seat| {
        let [_, left, right] = FORWARD[seat.index()].map(|way| at.pieces[seat.index()].step(way));
        [left, right]
    };
    let [left, right] = attacks(seat);
    let [from_left, from_right] = attacks(seat.other());
    let (guarded, attacked) = (left | right, (from_left | from_right) & pawns);
    let last = at.grid.size() - 1;
    let count = |left: u8| {
        let row = [last - left, left][seat.index()];
        // On the smallest board five rows to go are more than there are.
        if left < last {
            pawns.count_in_row(row) as i32
        } else {
            0
        }
    };
    let edge = pawns.row([0, last][seat.index()]);
    let hanging = (attacked - guarded).count() as i32;
    let is_mover = seat == at.mover;
    [
        pawns.count() as i32,
        count(5),
        count(4),
        count(3),
        count(2),
        count(1),
        edge.count() as i32,
        (edge & board.step(Way::East) & board.step(Way::West)).count() as i32,
        ((pawns & left).count() + (pawns & right).count()) as i32,
        (pawns & pawns.step(Way::East)).count() as i32,
        if is_mover { 0 } else { hanging },
        if is_mover { hanging } else { 0 },
        (attacked & guarded).count() as i32,
        0,
        0,
    ]
}

/// The pawns that none of the other side can ever meet, so that nothing stops them.
fn free(at: &Breakthrough, seat: Seat) -> SmallBits {
    let board = SmallBits::square(at.grid.size());
    let ahead = |pawns: SmallBits| {
        let [straight, left, right] = FORWARD[seat.other().index()].map(|way| pawns.step(way));
        (straight | left | right) & board
    };
    let mut free = at.pieces[seat.index()];
    let mut reached = ahead(at.pieces[seat.other().index()]);
    while !reached.is_empty() && !free.is_empty() {
        free -= reached;
        reached = ahead(reached);
    }
    free
}

impl Breakthrough {
    /// In how many turns the player to move wins a race that nobody can stop; with a minus sign, loses it.
    pub(super) fn race(&self) -> Option<i32> {
        race_of(&self.runs())
    }

    fn runs(&self) -> [Run; 2] {
        [self.mover, self.mover.other()].map(|seat| Run::of(self, seat))
    }

    /// The estimate for the player to move.
    pub(super) fn value(&self) -> i32 {
        let runs = self.runs();
        match race_of(&runs) {
            Some(turns @ 0..) => return RACE - TURN * (turns + 1) / 2,
            Some(turns) => return -RACE - TURN * turns / 2,
            None => {}
        }
        self.weighed(self.mover)
    }
}

/// Who is to move is first where both have as far to go. A race is won if the other side has no pawn that is as fast.
fn race_of([own, other]: &[Run; 2]) -> Option<i32> {
    match (own.free_rows, other.free_rows) {
        (Some(rows), _) if rows <= other.rows => Some(2 * rows - 1),
        (_, Some(rows)) if rows < own.rows => Some(-2 * rows),
        _ => None,
    }
}
