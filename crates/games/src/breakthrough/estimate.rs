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
    /// Goes through the rows from the goal on with the columns that the other side's pawns can reach there. What they cannot reach they
    /// can neither capture nor stop.
    fn of(at: &Breakthrough, seat: Seat) -> Self {
        let [pawns, enemy] = [seat, seat.other()].map(|seat| at.pieces[seat.index()]);
        let last = at.grid.size() - 1;
        let board = SmallBits::square(at.grid.size()).columns(0);
        let (mut reached, mut rows) = (0, None);
        for left in 0..=last {
            let row = [last - left, left][seat.index()];
            let here = pawns.columns(row);
            if here != 0 {
                rows = rows.or(Some(i32::from(left)));
            }
            if here & !reached != 0 {
                let free_rows = Some(i32::from(left));
                return Self {
                    rows: rows.unwrap_or_default(),
                    free_rows,
                };
            }
            if reached == board && rows.is_some() {
                break;
            }
            let wide = reached | enemy.columns(row);
            reached = (wide | wide << 1 | wide >> 1) & board;
        }
        Self {
            rows: rows.unwrap_or(i32::from(last) + 1),
            free_rows: None,
        }
    }
}

impl Weighed<11> for Breakthrough {
    const WEIGHTS: [(&'static str, i32); 11] = [
        ("pawns", 70),
        ("five rows to go", 0),
        ("four rows to go", 4),
        ("three rows to go", 12),
        ("two rows to go", 40),
        ("one row to go", 110),
        ("on the own edge, not in its corners", 16),
        ("ways in which pawns are guarded", 2),
        ("pawns side by side", 4),
        ("can never be stopped", 60),
        ("to move", 6),
    ];

    /// All zero when a race has decided the game.
    fn counts(&self, side: Seat) -> [i32; 11] {
        let runs = self.runs();
        if race_of(&runs).is_some() {
            return [0; 11];
        }
        let sign = if side == self.mover { 1 } else { -1 };
        self.counted(&runs).map(|count| sign * count)
    }
}

/// The places of what is not counted by [`counts_of`].
const PASSED: usize = 9;
const TO_MOVE: usize = 10;

/// What is counted of a side, but for its race.
fn counts_of(at: &Breakthrough, seat: Seat) -> [i32; 11] {
    let pawns = at.pieces[seat.index()];
    let board = SmallBits::square(at.grid.size());
    let [_, left, right] = FORWARD[seat.index()].map(|way| pawns.step(way));
    let last = at.grid.size() - 1;
    // On the smallest board five rows to go are more than there are.
    let count = |left: u8| match last.checked_sub(left) {
        None | Some(0) => 0,
        Some(above) => pawns.columns([above, left][seat.index()]).count_ones() as i32,
    };
    let edge = pawns.row([0, last][seat.index()]);
    [
        pawns.count() as i32,
        count(5),
        count(4),
        count(3),
        count(2),
        count(1),
        (edge & board.step(Way::East) & board.step(Way::West)).count() as i32,
        ((pawns & left).count() + (pawns & right).count()) as i32,
        (pawns & pawns.step(Way::East)).count() as i32,
        0,
        0,
    ]
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
        let counts = self.counted(&runs).into_iter();
        counts
            .zip(Self::WEIGHTS)
            .map(|(count, (_, weight))| count * weight)
            .sum()
    }

    /// The counts for the player to move.
    fn counted(&self, runs: &[Run; 2]) -> [i32; 11] {
        let [own, other] = [self.mover, self.mover.other()].map(|seat| counts_of(self, seat));
        let passed = |run: &Run| i32::from(run.free_rows.is_some());
        std::array::from_fn(|at| match at {
            PASSED => passed(&runs[0]) - passed(&runs[1]),
            TO_MOVE => 1,
            _ => own[at] - other[at],
        })
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
