//! Legal turns: listing and counting them, and choosing one at random.
//!
//! A turn drops stones until one of them makes a ring, or until the number for this turn is reached. If a ring was
//! made, a chain of bursts follows: each burst may make new rings, and then one of those must be burst. All functions
//! here walk this tree. The board is small enough to be copied at every step, so nothing has to be undone.

use std::ops::ControlFlow;

use rand::{Rng, RngExt};

use super::rings::{Stones, bursts};
use super::turn::{MAX_BURSTS, Turn};
use crate::kit::hex::Cells;

/// Visits every turn: `drops` stones, or fewer with a ring, in the order of the cells.
pub(super) fn list(
    stones: Stones,
    drops: usize,
    each: &mut dyn FnMut(&Turn) -> ControlFlow<()>,
) -> ControlFlow<()> {
    drop_next(stones, drops, &mut Turn::default(), each)
}

fn drop_next(
    stones: Stones,
    drops: usize,
    turn: &mut Turn,
    each: &mut dyn FnMut(&Turn) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for cell in stones.empty() {
        let mut after = stones;
        let made = after.drop(cell);
        turn.drops.push(cell);
        match (made.is_empty(), drops) {
            (false, _) => burst_next(after, made, turn, each)?,
            (true, 0 | 1) => each(turn)?,
            (true, _) => drop_next(after, drops - 1, turn, each)?,
        }
        turn.drops.pop();
    }
    ControlFlow::Continue(())
}

fn burst_next(
    stones: Stones,
    made: Cells,
    turn: &mut Turn,
    each: &mut dyn FnMut(&Turn) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if turn.bursts.len() == MAX_BURSTS {
        return ControlFlow::Continue(());
    }
    for burst in bursts(made) {
        let mut after = stones;
        let made = after.burst(&burst);
        turn.bursts.push(burst);
        match made.is_empty() {
            true => each(turn)?,
            false => burst_next(after, made, turn, each)?,
        }
        turn.bursts.pop();
    }
    ControlFlow::Continue(())
}

/// The number of turns that [`list`] visits, if no ring is possible: the ordered choices of cells. `None` if a ring is
/// possible.
pub(super) fn count_without_rings(stones: Stones, drops: usize) -> Option<u64> {
    let empty = stones.empty().count() as u64;
    let orders = || (0..drops as u64).map(|dropped| empty - dropped).product();
    (!stones.can_make_ring(drops)).then(orders)
}

/// A random turn. The first choice is among the empty cells and passing, with equal chances; then each drop and each
/// burst is chosen among all that are possible. A chain that exceeds the limit becomes a pass, which is always legal.
pub(super) fn random(mut stones: Stones, drops: usize, rng: &mut dyn Rng) -> Turn {
    let mut turn = Turn::default();
    let mut made = Cells::EMPTY;
    while turn.drops.len() < drops && made.is_empty() {
        let empty = stones.empty();
        let passing = usize::from(turn.drops.is_empty());
        let Some(cell) = empty.nth(rng.random_range(0..empty.count() + passing)) else {
            return Turn::default();
        };
        made = stones.drop(cell);
        turn.drops.push(cell);
    }
    while !made.is_empty() {
        let ways = bursts(made).count();
        let burst = bursts(made).nth(rng.random_range(0..ways));
        let Some(burst) = burst.filter(|_| turn.bursts.len() < MAX_BURSTS) else {
            return Turn::default();
        };
        made = stones.burst(&burst);
        turn.bursts.push(burst);
    }
    turn
}
