//! What a computer player knows of Amazons.

use super::Amazons;
use crate::kit::mix::mix;
use crate::kit::square::{SmallBits, Way};
use crate::{Evaluate, Mistake, Mistakes, Seat};

impl Evaluate for Amazons {
    const EFFORT: u64 = 20;

    const MISTAKES: Mistakes = Mistakes {
        medium: Mistake {
            noise: 30,
            overlooked: 10,
        },
        ..Mistakes::USUAL
    };

    fn key(&self) -> u64 {
        let [white, black] = self.amazons.map(SmallBits::words);
        let rest = [self.mover.index() as u64];
        mix(white
            .into_iter()
            .chain(black)
            .chain(self.arrows.words())
            .chain(rest))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let value = self.value();
        if side == self.mover { value } else { -value }
    }
}

/// What a cell is worth that is nearer by the steps of a queen, and of a king, as the game begins and when the board is full.
const QUEEN: [i32; 2] = [5, 22];
const KING: [i32; 2] = [10, 4];

/// What a free cell is worth that both reach with as many moves of a queen, to the player to move.
const EQUAL: i32 = 2;

/// What an amazon lacks that can go to so few cells, as the game begins.
const CRAMPED: [i32; 8] = [70, 48, 34, 24, 16, 10, 6, 3];

impl Amazons {
    /// The estimate for the player to move.
    fn value(&self) -> i32 {
        let free = self.free();
        let sides = [self.mover, self.mover.other()].map(|seat| self.amazons[seat.index()]);
        let by_queen = nearer(sides, free, queens);
        let by_king = nearer(sides, free, |front, _| front.around());
        let lead = |[own, other, _]: [i32; 3]| own - other;
        let all = i32::from(self.grid.size()).pow(2) - 8;
        let done = self.arrows.count() as i32;
        let now = |[first, last]: [i32; 2]| (first * (all - done) + last * done) / all;
        let cramped = sides.map(|amazons| {
            let lack = amazons.iter().map(|amazon| {
                let cells = SmallBits::queen(amazon, free).count() as usize;
                CRAMPED.get(cells).copied().unwrap_or_default()
            });
            lack.sum::<i32>() * (all - done) / all
        });
        now(QUEEN) * lead(by_queen) + now(KING) * lead(by_king) + EQUAL * by_queen[2] - cramped[0]
            + cramped[1]
    }
}

/// The cells to which queens on these cells go over the free ones.
fn queens(from: SmallBits, free: SmallBits) -> SmallBits {
    let runs = Way::ALL.map(|way| {
        let mut run = from.step(way) & free;
        let mut last = run;
        while !last.is_empty() {
            last = last.step(way) & free;
            run |= last;
        }
        run
    });
    runs.into_iter().fold(SmallBits::EMPTY, |all, run| all | run)
}

/// How many free cells the first of two sides reaches in fewer steps, how many the second, and how many both in as many.
fn nearer(
    sides: [SmallBits; 2],
    mut free: SmallBits,
    step: impl Fn(SmallBits, SmallBits) -> SmallBits,
) -> [i32; 3] {
    let (mut fronts, mut counts, all) = (sides, [0; 3], free);
    while !(fronts[0].is_empty() && fronts[1].is_empty()) {
        let [a, b] = fronts.map(|front| step(front, all) & free);
        for (count, cells) in counts.iter_mut().zip([a - b, b - a, a & b]) {
            *count += cells.count() as i32;
        }
        free -= a | b;
        // A cell that both reach at the same time is nobody's, and leads on for both.
        fronts = [a, b];
    }
    counts
}
