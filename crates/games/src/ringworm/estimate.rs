//! What a computer player knows of Ringworm: how good a position is, and which of its turns are worth a look.
//!
//! Four drops have thousands of millions of orders. So turns are put together: rings that this turn can complete, with the
//! best bursts of each, and drops on the cells that are best one after the other.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use super::rings::{Burst, Stones, bursts, is_shared, line, ring};
use super::turn::MAX_BURSTS;
use super::{Ringworm, Turn, choice};
use crate::kit::hex::{COUNT, Cell, Cells, Direction};
use crate::kit::mix::mix;
use crate::{Evaluate, Promising, Seat};

/// What a ring is worth to a player who has this many of its stones, if the opponent has none.
const RINGS: [i32; 7] = [0, 1, 4, 9, 14, 20, 10];

/// If no more cells are empty, all turns are listed, unless chains of bursts make too many of them.
const FEW_CELLS: usize = 4;
const MAX_LISTED: usize = 300;

/// A lead that is not lost any more.
const GREAT_LEAD: i32 = 50;

/// How many cells begin a turn without a ring.
const STARTS: usize = 24;
const DULL_STARTS: usize = 4;

/// How many bursts are looked at, those that capture most.
const MAX_CAPTURES: usize = 24;

impl Evaluate for Ringworm {
    const EFFORT: u64 = 350;

    fn key(&self) -> u64 {
        let [x, o] = self.stones.map(|stones| stones.words());
        let rest = [
            self.mover.index() as u64,
            self.allowance as u64,
            u64::from(self.passes),
        ];
        mix(x.into_iter().chain(o).chain(rest))
    }

    fn estimate(&self, side: Seat) -> i32 {
        let stones = Stones {
            own: self.stones[side.index()],
            other: self.stones[side.other().index()],
        };
        let ahead = stones.own.count() as i32 - stones.other.count() as i32;
        let empty = stones.empty().count() as i32;
        // A stone is worth the more, the fewer turns are left to win it back.
        let worth = 20 + 1000 / (empty + 10);
        if ahead.abs() >= GREAT_LEAD {
            // With a great lead it only matters to come to the end, and rings put it off.
            return ahead.signum() * (GREAT_LEAD * worth + 50 * (COUNT as i32 - empty));
        }
        let rings: i32 = Cell::ALL
            .into_iter()
            .map(|middle| stones.ring_worth(middle))
            .sum();
        ahead * worth + rings * empty.min(100) / 100
    }

    fn promising(&self, most: usize) -> Promising<Turn> {
        if self.is_over() {
            return Promising::of(Vec::new(), true, most);
        }
        let (stones, drops) = (self.stones(), self.drops());
        // To pass is always legal, when all drops make rings that cannot be burst as well.
        let mut turns = vec![Turn::default()];
        let is_whole = stones.empty().count() <= FEW_CELLS
            && choice::list(stones, drops, &mut |turn| {
                turns.push(turn.clone());
                match turns.len() {
                    MAX_LISTED.. => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            })
            .is_continue();
        if !is_whole {
            stones.captures(drops, &mut turns);
            stones.quiet(drops, &mut turns);
            stones.dull(drops, &mut turns);
        }
        let judged = turns.into_iter().map(|turn| {
            let value = self.value_after(&turn);
            (turn, value)
        });
        Promising::of(judged.collect(), is_whole, most)
    }

    fn best(&self, _: i32) -> (Option<i32>, u64) {
        self.promising(1).best()
    }
}

impl Stones {
    /// What the ring around this cell is worth to the own side, less what it is worth to the other.
    fn ring_worth(&self, middle: Cell) -> i32 {
        let ring = ring(middle);
        if ring.is_empty() {
            return 0;
        }
        match [self.own, self.other].map(|stones| (ring & stones).count()) {
            [own, 0] => RINGS[own],
            [0, other] => -RINGS[other],
            _ => 0,
        }
    }

    /// What a drop on an empty cell changes.
    fn drop_worth(&self, cell: Cell) -> i32 {
        let change = |middle: Cell| {
            let ring = ring(middle);
            if ring.is_empty() {
                return 0;
            }
            match [self.own, self.other].map(|stones| (ring & stones).count()) {
                [own, 0] => RINGS[own + 1] - RINGS[own],
                [0, other] => RINGS[other],
                _ => 0,
            }
        };
        cell.neighbours().map(change).sum()
    }

    /// The empty cells, the best drops first.
    fn by_worth(&self) -> Vec<Cell> {
        let mut cells: Vec<_> = self
            .empty()
            .iter()
            .map(|cell| (cell, self.drop_worth(cell)))
            .collect();
        cells.sort_by_key(|(_, worth)| Reverse(*worth));
        cells.into_iter().map(|(cell, _)| cell).collect()
    }

    /// Turns that make no ring: each begins with another good cell and goes on with the best one.
    fn quiet(&self, drops: usize, turns: &mut Vec<Turn>) {
        for first in self.by_worth().into_iter().take(STARTS) {
            let (mut after, mut turn) = (*self, Turn::default());
            if after.drop_quietly(first, &mut turn) && after.fill(drops - 1, Cells::EMPTY, &mut turn) {
                turns.push(turn);
            }
        }
    }

    /// Turns on the cells that matter least, which keep the rings for later.
    fn dull(&self, drops: usize, turns: &mut Vec<Turn>) {
        for first in self.by_worth().into_iter().rev().take(DULL_STARTS) {
            let (mut after, mut turn) = (*self, Turn::default());
            let dropped = after.drop_quietly(first, &mut turn)
                && (1..drops).all(|_| {
                    let mut cells = after.by_worth().into_iter().rev();
                    cells.any(|cell| after.drop_quietly(cell, &mut turn))
                });
            if dropped {
                turns.push(turn);
            }
        }
    }

    /// Drops a stone unless it makes a ring.
    fn drop_quietly(&mut self, cell: Cell, turn: &mut Turn) -> bool {
        let mut after = *self;
        if !after.drop(cell).is_empty() {
            return false;
        }
        *self = after;
        turn.drops.push(cell);
        true
    }

    /// Drops this many stones on the best cells one after the other, without a ring and outside of some cells. Whether there
    /// were as many cells.
    fn fill(&mut self, drops: usize, without: Cells, turn: &mut Turn) -> bool {
        for _ in 0..drops {
            let cells = (self.empty() - without).iter();
            let quiet = cells.filter(|cell| {
                let mut after = *self;
                after.drop(*cell).is_empty()
            });
            let Some(best) = quiet.max_by_key(|cell| (self.drop_worth(*cell), Reverse(*cell))) else {
                return false;
            };
            self.drop_quietly(best, turn);
        }
        true
    }

    /// Turns that make a ring and burst it, those that capture most.
    fn captures(&self, drops: usize, turns: &mut Vec<Turn>) {
        let mut ways = Vec::new();
        for middle in Cell::ALL {
            let cells = ring(middle);
            let missing = cells - self.own;
            if missing.is_empty() || missing.count() > drops || !(missing & self.other).is_empty() {
                continue;
            }
            let mut best: Vec<(i32, Cell, Direction)> = Vec::new();
            for pivot in cells {
                for direction in Direction::ALL {
                    let line = line(pivot, direction);
                    if !line.is_empty() {
                        let own = (line & (self.own - cells)).count() as i32;
                        best.push(((line & self.other).count() as i32 - own, pivot, direction));
                    }
                }
            }
            best.sort_by_key(|(gain, ..)| Reverse(*gain));
            // A ring that is made sooner leaves drops for other cells.
            let spare = (drops - missing.count()) as i32;
            ways.extend(
                best.into_iter()
                    .take(3)
                    .map(|(gain, pivot, direction)| (4 * gain + spare, middle, pivot, direction)),
            );
        }
        ways.sort_by_key(|(gain, ..)| Reverse(*gain));
        for (_, middle, pivot, direction) in ways.into_iter().take(MAX_CAPTURES) {
            turns.extend(self.capture(drops, middle, pivot, direction));
        }
    }

    /// The turn that makes the ring around a cell and bursts it in this way; the other drops go on the best cells before it.
    /// `None` if another ring is made on the way.
    fn capture(&self, drops: usize, middle: Cell, pivot: Cell, direction: Direction) -> Option<Turn> {
        let (mut after, mut turn) = (*self, Turn::default());
        let missing = ring(middle) - self.own;
        let taken = missing | line(pivot, direction);
        if !after.fill(drops - missing.count(), taken, &mut turn) {
            return None;
        }
        let last = missing.iter().last()?;
        for cell in missing {
            if cell != last && !after.drop_quietly(cell, &mut turn) {
                return None;
            }
        }
        let mut made = after.drop(last);
        turn.drops.push(last);
        let mut next = Burst {
            middle,
            pivot,
            direction,
            shared: is_shared(made, pivot),
        };
        loop {
            made = after.burst(&next);
            turn.bursts.push(next);
            if made.is_empty() {
                return Some(turn);
            }
            if turn.bursts.len() == MAX_BURSTS {
                return None;
            }
            next = bursts(made).max_by_key(|burst| {
                let mut burst_after = after;
                burst_after.burst(burst);
                burst_after.own.count() as i32 - burst_after.other.count() as i32
            })?;
        }
    }
}
